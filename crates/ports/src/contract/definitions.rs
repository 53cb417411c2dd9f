//! Contract tests for values of workers that must match the company's definitions, such as custom fields.

use std::sync::Arc;

use payroll_domain::custom_field::{CustomField, CustomFieldValue};
use payroll_domain::document::DefinitionMismatch;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::worker::Worker;

use super::world::{company, custom_field, full_worker, id, import_company};
use super::writing::{execute_write, read_worker, worker_resource};
use crate::Store;
use crate::resources::{ObjectWrite, WriteOutcome, WriteRefusal};

/// Returns a write that replaces the worker `acme-w1`, after `change` was applied to the worker.
fn create_worker_write(change: impl FnOnce(&mut Worker)) -> ObjectWrite {
    let mut worker = full_worker("acme-w1");
    worker.supervisor_id = None;
    worker.organization_id = None;
    change(&mut worker);
    ObjectWrite::Replace(worker_resource(worker), None)
}

fn mismatch_pointers(written: WriteOutcome) -> Vec<String> {
    match written {
        WriteOutcome::Refused(WriteRefusal::Unfit(mismatches)) => {
            mismatches.into_iter().map(|DefinitionMismatch { pointer, .. }| pointer).collect()
        }
        other => panic!("{other:?}"),
    }
}

pub(super) async fn rejects_a_value_that_does_not_fit_its_custom_field(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let text = create_worker_write(|worker| {
        worker.custom_fields.iter_mut().for_each(|value| {
            value.boolean_value = None;
            value.text_value = Some("seven".to_owned());
        });
    });
    let expected = ["/customFields/0/textValue", "/customFields/0/booleanValue"];
    assert_eq!(mismatch_pointers(execute_write(&store, "acme", text).await), expected);
    let elsewhere = create_worker_write(|worker| {
        worker.custom_fields.iter_mut().for_each(|value| value.custom_field_id = id("nowhere"));
    });
    let refused = execute_write(&store, "acme", elsewhere).await;
    assert!(matches!(refused, WriteOutcome::Refused(WriteRefusal::Missing(_))), "{refused:?}");
    let fits = execute_write(&store, "acme", create_worker_write(|_| {})).await;
    assert!(matches!(fits, WriteOutcome::Stored(_)), "{fits:?}");
}

pub(super) async fn rejects_a_change_of_a_custom_field_that_values_do_not_fit(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let stored = execute_write(&store, "acme", create_worker_write(|_| {})).await;
    assert!(matches!(stored, WriteOutcome::Stored(_)), "{stored:?}");
    let replaced = |change: fn(&mut CustomField)| {
        let mut field = custom_field("shirt");
        change(&mut field);
        ObjectWrite::Replace(Resource::CustomField(Box::new(field)), None)
    };
    let text = replaced(|field| {
        field.definition.value = CustomFieldValue::Text { default: None, max_length: None };
    });
    let deleted = ObjectWrite::Delete(ResourceKind::CustomField, "field-shirt".to_owned(), None);
    for change in [text, deleted] {
        let refused = execute_write(&store, "acme", change).await;
        assert!(matches!(refused, WriteOutcome::Refused(WriteRefusal::Referenced(_))), "{refused:?}");
    }
    let renamed = execute_write(&store, "acme", replaced(|field| field.definition.required = true)).await;
    assert!(matches!(renamed, WriteOutcome::Stored(_)), "{renamed:?}");
    assert!(read_worker(&store, "acme", ResourceKind::CustomField, "field-shirt").await.is_some());
}
