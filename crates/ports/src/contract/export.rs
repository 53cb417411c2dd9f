//! Contract tests for the export of companies.

use std::sync::Arc;

use futures_util::TryStreamExt;
use payroll_domain::resource::ResourceKind;

use super::world::{NOW, company, id, import_company, operator_lock_until};
use crate::Store;
use crate::export::ExportItem;

pub(super) async fn an_export_equals_the_import(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    whole.lock = Some(operator_lock_until(None));
    import_company(&store, &whole).await;
    let exported = store.export_company(&id("acme"), NOW).await.unwrap().unwrap();
    assert_eq!((&exported.record.company, exported.omitted_checks), (&whole.company, 0));
    assert_eq!(exported.lock, whole.lock);
    let parts: Vec<ExportItem> = exported.parts.try_concat().await.unwrap();
    let count = |kind: ResourceKind| {
        parts
            .iter()
            .filter(|part| matches!(part, ExportItem::Object(object) if object.kind() == kind))
            .count()
    };
    let checks = parts.iter().filter(|part| matches!(part, ExportItem::Check(_))).count();
    let expected: usize = whole.pay_periods.iter().map(|period| period.processed_checks.len()).sum();
    assert_eq!(checks, expected);
    assert_eq!(count(ResourceKind::Worker), whole.workers.len());
    assert_eq!(count(ResourceKind::PayPeriod), whole.pay_periods.len());
    assert_eq!(count(ResourceKind::PayComponent), whole.pay_components.len());
}

pub(super) async fn a_missing_company_is_not_exported(store: Arc<dyn Store>) {
    assert!(store.export_company(&id("nobody"), NOW).await.unwrap().is_none());
}
