//! Reads a caller's access. The access is always read in the same snapshot as the data for which it is
//! required.

use payroll_domain::access::{Access, Caller};

use super::Conn;
use crate::error::Outcome;
use crate::rows::access::AccessRow;
use crate::statement::{BindValue, binds, query};

/// Reads a caller's access. $1 is the secret, $2 the company and $3 the application.
pub(super) const SELECT_ACCESS: &str = "\
    SELECT a.enabled, s.secret_id, a.access_version, a.rate_limit_per_minute, a.correlation_ids_last, \
        a.webhook_scopes, c.company_id, c.end_date, c.converting, c.version, g.scopes \
    FROM applications a \
    LEFT JOIN secrets s ON s.application_id = a.application_id AND s.secret_id = $1 \
    LEFT JOIN companies c ON c.company_id = $2 \
    LEFT JOIN grants g ON g.application_id = a.application_id AND g.company_id = $2 \
    WHERE a.application_id = $3";

/// Reads the access for a request without a company. $2 is NULL. On a distributed database, [`SELECT_ACCESS`]
/// with NULL for $2 would search the grants on all nodes without a result.
pub(super) const SELECT_ACCESS_TO_NO_COMPANY: &str = "\
    SELECT a.enabled, s.secret_id, a.access_version, a.rate_limit_per_minute, a.correlation_ids_last, \
        a.webhook_scopes, none.company_id, CAST(NULL AS DATE) AS end_date, \
        CAST(NULL AS BOOLEAN) AS converting, CAST(NULL AS BIGINT) AS version, CAST(NULL AS TEXT) AS scopes \
    FROM applications a \
    LEFT JOIN secrets s ON s.application_id = a.application_id AND s.secret_id = $1 \
    CROSS JOIN (SELECT CAST($2 AS TEXT) AS company_id) none \
    WHERE a.application_id = $3";

/// Reads the access, and the version of the company's lists. The version of the lists is 0 if the request has
/// no company, or if the company does not exist.
pub(super) async fn read_access(
    conn: &Conn,
    caller: &Caller,
    company_id: Option<&str>,
) -> Outcome<(Access, i64)> {
    let values = access_bind_values(caller, company_id);
    let statement = match company_id {
        Some(_) => query!(SELECT_ACCESS, values),
        None => query!(SELECT_ACCESS_TO_NO_COMPANY, values),
    };
    let row: Option<AccessRow> = conn.query_row(statement).await?;
    let access = AccessRow::to_access(row.as_ref(), caller.application_id.as_str())?;
    Ok((access, row.and_then(|row| row.version).unwrap_or(0)))
}

/// Returns the values for [`SELECT_ACCESS`] and [`SELECT_ACCESS_TO_NO_COMPANY`].
pub(super) fn access_bind_values<'a>(caller: &'a Caller, company_id: Option<&'a str>) -> [BindValue<'a>; 3] {
    binds![caller.secret_id.as_str(), company_id, caller.application_id.as_str()]
}
