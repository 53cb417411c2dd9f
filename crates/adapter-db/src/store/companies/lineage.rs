//! The companies above and below a company, level by level. Each company may be on another node of a
//! distributed database, so a statement reads only one level.

use std::collections::HashSet;

use futures_util::try_join;
use payroll_domain::company::{Lineage, Relative};

use super::super::lists::ListQuery;
use super::super::{Conn, dialect};
use crate::columns::query_row;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::statement::{BindValue, binds, query};

/// The maximum number of levels above and below a company. The limit also ends the search if the data
/// contains a cycle.
const MAX_LINEAGE_DEPTH: usize = 20;

query_row! {
    /// A relative of a company, with the data for reading the next level.
    #[derive(Debug)]
    struct RelativeRow {
        company_id: String,
        display_id: String,
        legal_name: String,
        version: i64,
        created: i64,
        parent_company_id: Option<String>,
    }
}

/// Returns the relatives of a company that the application may read, the nearest first, and the sum of the
/// relatives' versions. `parent` is the id of the company's parent.
pub(in super::super) async fn read_lineage(
    conn: &Conn,
    query: &ListQuery,
    parent: Option<&str>,
) -> Outcome<(Lineage, i64)> {
    let own = query.company_id();
    let (above, below) = try_join!(read_ancestors(conn, own, parent), read_descendants(conn, own))?;
    let all = || above.iter().chain(&below).map(|relative| relative.company_id.as_str());
    let granted = read_granted_ids(conn, query.caller.application_id.as_str(), all().collect()).await?;
    let mut version = 0;
    let mut relatives = |rows: Vec<RelativeRow>| {
        let shown = rows.into_iter().filter(|row| granted.contains(&row.company_id)).map(|row| {
            version += row.version;
            let at = RowLocation { table: "companies", key: &row.company_id };
            let company_id = at.parse_id(&row.company_id)?;
            Ok(Relative { company_id, display_id: row.display_id, legal_name: row.legal_name })
        });
        shown.collect::<Outcome<Vec<_>>>()
    };
    let lineage = Lineage { ancestors: relatives(above)?, descendants: relatives(below)? };
    Ok((lineage, version))
}

/// Returns whether the company `company_id` is the company `other` itself or an ancestor of `other`.
pub(in super::super) async fn is_same_or_ancestor(
    conn: &Conn,
    company_id: &str,
    other: &str,
) -> Outcome<bool> {
    const SELECT_PARENT: &str = "SELECT parent_company_id FROM companies WHERE company_id = $1";
    let (mut at, mut seen) = (other.to_owned(), HashSet::new());
    while at != company_id {
        if !seen.insert(at.clone()) {
            return Ok(false);
        }
        let row: Option<(Option<String>,)> = conn.query_row(query!(SELECT_PARENT, binds![&at])).await?;
        let Some(parent) = row.and_then(|(parent,)| parent) else { return Ok(false) };
        at = parent;
    }
    Ok(true)
}

async fn read_ancestors(conn: &Conn, own: &str, parent: Option<&str>) -> Outcome<Vec<RelativeRow>> {
    const SELECT_COMPANY: &str = "SELECT company_id, display_id, legal_name, version, created, parent_company_id \
        FROM companies WHERE company_id = $1";
    let mut found: Vec<RelativeRow> = Vec::new();
    let mut next = parent.map(str::to_owned);
    while let Some(id) = next.take() {
        let known = id == own || found.iter().any(|row| row.company_id == id);
        if known || found.len() == MAX_LINEAGE_DEPTH {
            break;
        }
        let row: Option<RelativeRow> = conn.query_row(query!(SELECT_COMPANY, binds![&id])).await?;
        next = row.as_ref().and_then(|row| row.parent_company_id.clone());
        found.extend(row);
    }
    Ok(found)
}

async fn read_descendants(conn: &Conn, own: &str) -> Outcome<Vec<RelativeRow>> {
    const SELECT_CHILDREN_OF: &str = concat!(
        "SELECT company_id, display_id, legal_name, version, created, parent_company_id \
         FROM companies WHERE parent_company_id",
        dialect::equals_any!("$1")
    );
    let (mut found, mut seen) = (Vec::new(), HashSet::from([own.to_owned()]));
    let mut parents = vec![own.to_owned()];
    for _ in 0..MAX_LINEAGE_DEPTH {
        if parents.is_empty() {
            break;
        }
        let list = dialect::bind_list(parents.iter().map(String::as_str));
        let mut level: Vec<RelativeRow> = conn.query_rows(query!(SELECT_CHILDREN_OF, [list])).await?;
        level.retain(|row| seen.insert(row.company_id.clone()));
        level.sort_by(|one, other| (one.created, &one.company_id).cmp(&(other.created, &other.company_id)));
        parents = level.iter().map(|row| row.company_id.clone()).collect();
        found.extend(level);
    }
    Ok(found)
}

/// Returns the ids of the given companies that the application may read.
async fn read_granted_ids(conn: &Conn, application_id: &str, ids: Vec<&str>) -> Outcome<HashSet<String>> {
    const SELECT_GRANTED_IDS: &str = concat!(
        "SELECT company_id FROM grants WHERE application_id = $1 AND scopes LIKE '%read:companies%' \
         AND company_id",
        dialect::equals_any!("$2")
    );
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let values = [BindValue::from(application_id), dialect::bind_list(ids)];
    let rows: Vec<(String,)> = conn.query_rows(query!(SELECT_GRANTED_IDS, values)).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}
