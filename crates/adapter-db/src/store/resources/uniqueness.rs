//! Ids and names that must be unique. A value is only looked up if the change sets this value.

use payroll_domain::lookup::LookupObject;
use payroll_domain::resource::Resource;

use super::super::Conn;
use super::CompanyContext;
use crate::error::Outcome;
use crate::statement::{BindValue, binds, query};

/// Returns an error text if the object has a value that must be unique and that another object already has.
pub(super) async fn find_duplicate(
    context: CompanyContext<'_>,
    before: Option<&Resource>,
    after: &Resource,
) -> Outcome<Option<String>> {
    const SELECT_WORKER: &str = "SELECT company_id FROM workers WHERE worker_id = $1";
    const SELECT_FIELD_WITH_NAME: &str =
        "SELECT custom_field_id FROM custom_fields WHERE company_id = $1 AND name = $2";
    const SELECT_CATEGORY_WITH_NAME: &str = "SELECT category_id FROM custom_field_categories \
        WHERE company_id = $1 AND category_name = $2 AND category_id <> $3";
    const SELECT_DEFAULT_CATEGORY: &str = "SELECT category_id FROM custom_field_categories \
        WHERE company_id = $1 AND is_default AND category_id <> $2";
    const SELECT_SEGMENT: &str = "SELECT job_segment_id FROM job_segments \
        WHERE company_id = $1 AND segment_number = $2 AND job_segment_id <> $3";
    const SELECT_STATUS: &str = "SELECT worker_status_id FROM worker_statuses \
        WHERE company_id = $1 AND status_type = $2 AND status_reason = $3 AND worker_status_id <> $4";
    match (before, after) {
        // The object is new, so this company has no worker with that id. A stored worker with the id
        // therefore belongs to another company.
        (None, Resource::Worker(worker)) => {
            let id = worker.worker_id.as_str();
            let other = read_first_id(context.conn, SELECT_WORKER, binds![id]).await?;
            Ok(other.map(|_| format!("worker {id} belongs to another company")))
        }
        (_, Resource::CustomField(field)) if custom_field_name_differs(before, &field.definition.name) => {
            let name = field.definition.name.as_str();
            let other =
                read_first_id(context.conn, SELECT_FIELD_WITH_NAME, binds![context.company_id, name]).await?;
            Ok(other.map(|id| format!("custom field {id} already has this name")))
        }
        (_, Resource::CustomFieldCategory(category)) => {
            let id = category.category_id.as_str();
            if category_name_differs(before, &category.category_name) {
                let values = binds![context.company_id, category.category_name.as_str(), id];
                if let Some(other) = read_first_id(context.conn, SELECT_CATEGORY_WITH_NAME, values).await? {
                    return Ok(Some(format!("category {other} already has this name")));
                }
            }
            if !category.default {
                return Ok(None);
            }
            let other =
                read_first_id(context.conn, SELECT_DEFAULT_CATEGORY, binds![context.company_id, id]).await?;
            Ok(other.map(|id| format!("category {id} is already the default category")))
        }
        (_, Resource::Lookup(LookupObject::JobSegment(segment))) => {
            let (number, id) = (segment.segment_number, segment.job_segment_id.as_str());
            let other = read_first_id(
                context.conn,
                SELECT_SEGMENT,
                binds![context.company_id, i64::from(number), id],
            )
            .await?;
            Ok(other.map(|id| format!("job segment {id} already has the number {number}")))
        }
        (_, Resource::Lookup(LookupObject::CompanyStatus(status))) => {
            let (of_type, reason) = (status.status_type.as_str(), status.status_reason.as_str());
            let values = binds![context.company_id, of_type, reason, status.worker_status_id.as_str()];
            let other = read_first_id(context.conn, SELECT_STATUS, values).await?;
            Ok(other.map(|id| format!("worker status {id} already has this type and reason")))
        }
        _ => Ok(None),
    }
}

fn custom_field_name_differs(before: Option<&Resource>, name: &str) -> bool {
    !matches!(before, Some(Resource::CustomField(field)) if field.definition.name == name)
}

fn category_name_differs(before: Option<&Resource>, name: &str) -> bool {
    !matches!(before, Some(Resource::CustomFieldCategory(category)) if category.category_name == name)
}

/// Returns the first id that a query returns.
async fn read_first_id<const N: usize>(
    conn: &Conn,
    text: &'static str,
    values: [BindValue<'_>; N],
) -> Outcome<Option<String>> {
    let rows: Vec<(String,)> = conn.query_rows(query(text, values)).await?;
    Ok(rows.into_iter().next().map(|(id,)| id))
}
