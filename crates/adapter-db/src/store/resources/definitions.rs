//! Verifies that workers' values fit the definitions of their company, such as custom fields. The caller has
//! locked the company's row, so values and definitions cannot change before the commit.

use std::collections::BTreeSet;

use payroll_domain::code::Reason;
use payroll_domain::company::ContactType;
use payroll_domain::custom_field::{CustomField, CustomFieldValue};
use payroll_domain::document::{DefinitionMismatch, Definitions};
use payroll_domain::id::DropdownId;
use payroll_domain::resource::Resource;
use payroll_domain::worker::{StatusType, Worker};

use super::super::objects::{ContactTypes, CustomFields, ObjectKind, load_objects};
use super::super::{Conn, dialect};
use super::CompanyContext;
use crate::error::Outcome;
use crate::statement::{BindValue, binds, query};

/// The number of definitions that one statement reads.
const MAX_WORKERS_PER_STATEMENT: usize = 1_000;

/// Returns the values of a worker that do not fit the definitions. Values that the worker already had are
/// skipped, because they were validated when they were stored.
pub(super) async fn find_definition_mismatches(
    context: CompanyContext<'_>,
    before: Option<&Resource>,
    after: &Resource,
) -> Outcome<Vec<DefinitionMismatch>> {
    let Resource::Worker(worker) = after else { return Ok(Vec::new()) };
    let is_same =
        |before: &Worker| before.custom_fields == worker.custom_fields && before.contacts == worker.contacts;
    if matches!(before, Some(Resource::Worker(before)) if is_same(before)) {
        return Ok(Vec::new());
    }
    let mut named = DefinitionIds::default();
    named.add(worker);
    Ok(named.read_definitions(context).await?.find_mismatches(after))
}

/// Returns the reason why an application may not end the employment of a worker. This is the case if the
/// worker is the supervisor of active workers.
pub(super) async fn find_supervisor_mismatch(
    context: CompanyContext<'_>,
    before: Option<&Resource>,
    after: Option<&Resource>,
) -> Outcome<Option<DefinitionMismatch>> {
    const SELECT_SUPERVISED_WORKERS: &str = "SELECT worker_id FROM workers \
        WHERE company_id = $1 AND supervisor_id = $2 AND COALESCE(status_type, '') <> 'TERMINATED' \
        ORDER BY worker_id LIMIT 6";
    let has_ended = |resource: Option<&Resource>| {
        let Some(Resource::Worker(worker)) = resource else { return false };
        worker.current_status.as_ref().is_some_and(|status| status.status_type == StatusType::Terminated)
    };
    let Some(Resource::Worker(worker)) = after else { return Ok(None) };
    if before.is_none() || has_ended(before) || !has_ended(after) {
        return Ok(None);
    }
    let workers = read_ids(
        context.conn,
        SELECT_SUPERVISED_WORKERS,
        binds![context.company_id, worker.worker_id.as_str()],
    )
    .await?;
    Ok((!workers.is_empty()).then(|| DefinitionMismatch {
        reason: Reason::SupervisorEnds,
        pointer: "/currentStatus/statusType".to_owned(),
        sentence: format!("the worker is the supervisor of workers: {}", workers.join(", ")),
    }))
}

/// The ids of the definitions to which workers refer.
#[derive(Default)]
pub(in super::super) struct DefinitionIds<'w> {
    pub(in super::super) custom_fields: BTreeSet<&'w str>,
    pub(in super::super) contact_types: BTreeSet<&'w str>,
}

impl<'w> DefinitionIds<'w> {
    /// Adds the ids to which a worker refers.
    pub(in super::super) fn add(&mut self, worker: &'w Worker) {
        self.custom_fields.extend(worker.custom_fields.iter().map(|value| value.custom_field_id.as_str()));
        self.contact_types.extend(worker.contacts.iter().map(|contact| contact.contact_type_id.as_str()));
    }

    /// Reads the stored definitions of these custom fields and contact types.
    pub(in super::super) async fn read_definitions(
        &self,
        context: CompanyContext<'_>,
    ) -> Outcome<Definitions> {
        let mut found = read_definitions_of_kind::<CustomFields>(context, &self.custom_fields).await?;
        found.extend(read_definitions_of_kind::<ContactTypes>(context, &self.contact_types).await?);
        Ok(found.into_iter().collect())
    }
}

async fn read_definitions_of_kind<K: ObjectKind>(
    context: CompanyContext<'_>,
    ids: &BTreeSet<&str>,
) -> Outcome<Vec<Resource>> {
    let ids: Vec<&str> = ids.iter().copied().collect();
    let mut found = Vec::with_capacity(ids.len());
    for ids in ids.chunks(MAX_WORKERS_PER_STATEMENT) {
        found.extend(
            load_objects::<K>(context, ids).await?.into_iter().map(|stored| K::into_resource(stored.object)),
        );
    }
    Ok(found)
}

/// Returns the reason to reject a change of a definition. This is the case if workers have values that would
/// no longer fit.
pub(super) async fn find_incompatible_values(
    context: CompanyContext<'_>,
    before: Option<&Resource>,
    after: &Resource,
) -> Outcome<Option<String>> {
    match (before, after) {
        (Some(Resource::CustomField(before)), Resource::CustomField(after)) => {
            find_workers_with_incompatible_values(context, before, after).await
        }
        (Some(Resource::ContactType(before)), Resource::ContactType(after)) => {
            find_workers_with_incompatible_contacts(context, before, after).await
        }
        _ => Ok(None),
    }
}

async fn find_workers_with_incompatible_values(
    context: CompanyContext<'_>,
    before: &CustomField,
    after: &CustomField,
) -> Outcome<Option<String>> {
    const SELECT_WORKERS_WITH_FIELD: &str = "SELECT DISTINCT worker_id FROM worker_custom_fields \
        WHERE company_id = $1 AND custom_field_id = $2 ORDER BY worker_id LIMIT 6";
    const SELECT_WORKERS_WITH_CHOICES: &str = concat!(
        "SELECT DISTINCT worker_id FROM worker_custom_fields \
         WHERE company_id = $1 AND custom_field_id = $2 AND dropdown_id",
        dialect::equals_any!("$3"),
        " ORDER BY worker_id LIMIT 6"
    );
    const SELECT_WORKERS_WITH_LONGER_TEXT: &str = "SELECT DISTINCT worker_id FROM worker_custom_fields \
        WHERE company_id = $1 AND custom_field_id = $2 AND length(text_value) > $3 ORDER BY worker_id LIMIT 6";
    let id = after.custom_field_id.as_str();
    let (old, new) = (&before.definition.value, &after.definition.value);
    let (workers, what) = match (old, new) {
        (CustomFieldValue::Dropdown(old), CustomFieldValue::Dropdown(new)) => {
            let retained: BTreeSet<_> = new.iter().filter_map(|choice| choice.dropdown_id.as_ref()).collect();
            let removed = old.iter().filter_map(|choice| choice.dropdown_id.as_ref());
            let removed: Vec<_> =
                removed.filter(|id| !retained.contains(id)).map(DropdownId::as_str).collect();
            if removed.is_empty() {
                return Ok(None);
            }
            let values =
                [BindValue::from(context.company_id), BindValue::from(id), dialect::bind_list(removed)];
            (read_ids(context.conn, SELECT_WORKERS_WITH_CHOICES, values).await?, "choices that are removed")
        }
        (CustomFieldValue::Text { .. }, CustomFieldValue::Text { max_length: Some(most), .. }) => {
            let values = binds![context.company_id, id, i64::from(*most)];
            (read_ids(context.conn, SELECT_WORKERS_WITH_LONGER_TEXT, values).await?, "longer texts")
        }
        _ if old.field_type() == new.field_type() => return Ok(None),
        _ => (
            read_ids(context.conn, SELECT_WORKERS_WITH_FIELD, binds![context.company_id, id]).await?,
            "values of its type",
        ),
    };
    Ok((!workers.is_empty()).then(|| format!("workers have {what}: {}", workers.join(", "))))
}

async fn find_workers_with_incompatible_contacts(
    context: CompanyContext<'_>,
    before: &ContactType,
    after: &ContactType,
) -> Outcome<Option<String>> {
    const SELECT_WORKERS_WITH_CONTACT_TYPES: &str = concat!(
        "SELECT DISTINCT worker_id FROM worker_contacts \
         WHERE company_id = $1 AND contact_type_id = $2 AND relationship_type_id",
        dialect::equals_any!("$3"),
        " ORDER BY worker_id LIMIT 6"
    );
    let notification_ids = |it: &ContactType| -> BTreeSet<String> {
        it.relationship_types.iter().map(|it| it.relationship_type_id.to_string()).collect()
    };
    let (old, new) = (notification_ids(before), notification_ids(after));
    let removed: Vec<&str> = old.difference(&new).map(String::as_str).collect();
    if removed.is_empty() {
        return Ok(None);
    }
    let values = [
        BindValue::from(context.company_id),
        BindValue::from(after.contact_type_id.as_str()),
        dialect::bind_list(removed),
    ];
    let workers = read_ids(context.conn, SELECT_WORKERS_WITH_CONTACT_TYPES, values).await?;
    let sentence =
        || format!("workers have contacts of relationship types that are removed: {}", workers.join(", "));
    Ok((!workers.is_empty()).then(sentence))
}

async fn read_ids<const N: usize>(
    conn: &Conn,
    text: &'static str,
    values: [BindValue<'_>; N],
) -> Outcome<Vec<String>> {
    let found: Vec<(String,)> = conn.query_rows(query(text, values)).await?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}
