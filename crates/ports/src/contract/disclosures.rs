//! Contract tests for the audit rows that are written when masked values are revealed.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::audit::{AuditAction, AuditRow};
use payroll_domain::id::CompanyId;
use payroll_domain::resource::ResourceKind;
use payroll_domain::tax_id::{LegalId, LegalIdType};
use payroll_domain::worker::Worker;

use super::world::{NOW, company, id, import_company, worker};
use crate::Store;
use crate::audit::AuditQuery;
use crate::write::AuditContext;

fn command_audit() -> AuditContext {
    AuditContext::for_command("somebody", NOW.plus_seconds(7))
}

/// Returns the audit rows of reveals and exports, which change nothing.
async fn read_disclosure_rows(store: &Arc<dyn Store>) -> Vec<AuditRow> {
    let limit = NonZeroU32::new(1000).unwrap();
    let query = AuditQuery {
        before: None,
        company_id: None,
        visible_companies: None,
        kind: None,
        resource_id: None,
        from: None,
        until: None,
        limit,
    };
    let rows = store.read_audit_log(&query).await.unwrap().rows;
    rows.into_iter().filter(|row| [AuditAction::Reveal, AuditAction::Export].contains(&row.action)).collect()
}

pub(super) async fn revealing_a_tax_id_writes_an_audit_row_without_it(store: Arc<dyn Store>) {
    let mut acme = company("acme");
    let identity = |id, legal_id| Worker { legal_id, ..worker(id) };
    let stored = LegalId::parse(LegalIdType::Ssn, "000006789");
    acme.workers = vec![identity("whole", stored.clone()), identity("without", None)];
    import_company(&store, &acme).await;
    let company_id: CompanyId = id("acme");
    let reveal = async |kind, id| store.reveal_tax_id(&company_id, kind, id, &command_audit()).await.unwrap();
    assert_eq!(reveal(ResourceKind::Worker, "whole").await, stored);
    assert_eq!(reveal(ResourceKind::Worker, "without").await, None);
    assert_eq!(reveal(ResourceKind::Worker, "nobody").await, None);
    assert_eq!(reveal(ResourceKind::Company, "whole").await, None);
    let rows = read_disclosure_rows(&store).await;
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (row.action, row.resource_id.as_str(), row.at),
        (AuditAction::Reveal, "whole", command_audit().now)
    );
    assert_eq!(row.actor.name, "somebody");
    assert_eq!((row.company_id.as_ref(), &row.before, &row.after), (Some(&company_id), &None, &None));
    assert_eq!(reveal(ResourceKind::Company, "acme").await, acme.company.legal_id);
}

pub(super) async fn exporting_an_existing_company_writes_an_audit_row(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    assert!(!store.record_export(&id("nobody"), &command_audit()).await.unwrap());
    assert!(store.record_export(&id("acme"), &command_audit()).await.unwrap());
    let rows = read_disclosure_rows(&store).await;
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (row.action, row.resource_id.as_str(), row.actor.name.as_str()),
        (AuditAction::Export, "acme", "somebody")
    );
    assert_eq!((&row.before, &row.after), (&None, &None));
}
