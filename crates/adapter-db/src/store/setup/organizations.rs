//! A company's organizations, with their direct children.

use std::collections::HashMap;

use futures_util::try_join;
use payroll_domain::access::Guarded;
use payroll_domain::id::OrganizationId;
use payroll_ports::resources::Versioned;
use payroll_ports::setup::OrganizationView;

use super::super::lists::{ListQuery, PagedList, count_rows_sql};
use super::super::parts::{ChildrenQuery, ListStatements};
use super::super::{Conn, access, dialect};
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::lists::OrganizationRow;
use crate::statement::{BindValue, binds, query, sql, window};
use crate::table::TableDefinition;

/// The organizations of a company.
pub(super) struct OrganizationList;

/// The ids of the parent and of the child.
type ChildRow = (String, String);

impl PagedList for OrganizationList {
    type Item = OrganizationView;
    type Row = OrganizationRow;
    type Child = (i64, String, String);

    fn statements(_: &ListQuery) -> Outcome<&'static ListStatements> {
        Ok(&ListStatements {
            size: count_rows_sql!("organizations"),
            page: sql![
                "SELECT ",
                OrganizationRow::COLUMNS,
                " FROM organizations WHERE company_id = $1 ORDER BY created, organization_id",
                window!("$2", "$3")
            ],
            children: Some(ChildrenQuery {
                id: "organization_id",
                text: concat!(
                    "SELECT created, parent_organization_id, organization_id \
                    FROM (SELECT company_id AS listed_company, organization_id AS listed_id FROM listed) l \
                    JOIN organizations ON company_id = listed_company AND parent_organization_id = listed_id",
                    dialect::same_company_condition!("$1")
                ),
            }),
        })
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        Ok(binds![query.company_id()].into())
    }

    fn row_id(row: &Self::Row) -> &str {
        row.id()
    }

    fn items_from_rows(
        rows: Vec<Self::Row>,
        mut children: Vec<Self::Child>,
        _: &ListQuery,
    ) -> Outcome<Vec<Self::Item>> {
        children.sort();
        let mut children = group_by_parent(children.into_iter().map(|(_, parent, id)| (parent, id)))?;
        rows.into_iter().map(|row| to_organization_view(row, &mut children)).collect()
    }
}

/// Reads one organization with the version of the company, because the list of its children may change while
/// the organization's own row does not.
pub(super) async fn read_organization(
    conn: &Conn,
    query: &ListQuery,
    id: &str,
) -> Outcome<Guarded<Option<Versioned<OrganizationView>>>> {
    const SELECT_ORGANIZATION: &str = sql![
        "SELECT ",
        OrganizationRow::COLUMNS,
        " FROM organizations WHERE company_id = $1 AND organization_id = $2"
    ];
    const SELECT_CHILDREN: &str = "SELECT parent_organization_id, organization_id FROM organizations \
        WHERE company_id = $1 AND parent_organization_id = $2 ORDER BY created, organization_id";
    let company_id = query.company_id();
    let ((access, version), row, children) = try_join!(
        access::read_access(conn, &query.caller, Some(company_id)),
        conn.query_row(query!(SELECT_ORGANIZATION, binds![company_id, id])),
        conn.query_rows(query!(SELECT_CHILDREN, binds![company_id, id])),
    )?;
    let (row, children): (Option<OrganizationRow>, Vec<ChildRow>) = (row, children);
    let mut children = group_by_parent(children)?;
    let found = row.map(|row| to_organization_view(row, &mut children)).transpose()?;
    Ok(Guarded::new(access, found.map(|value| Versioned { value, version })))
}

fn to_organization_view(
    row: OrganizationRow,
    children: &mut HashMap<String, Vec<OrganizationId>>,
) -> Outcome<OrganizationView> {
    let children = children.remove(row.id()).unwrap_or_default();
    Ok(OrganizationView { organization: row.decode_value()?, children })
}

fn group_by_parent(
    rows: impl IntoIterator<Item = ChildRow>,
) -> Outcome<HashMap<String, Vec<OrganizationId>>> {
    let mut sorted: HashMap<String, Vec<OrganizationId>> = HashMap::new();
    for (parent, id) in rows {
        let child = RowLocation { table: "organizations", key: &id }.parse_id(&id)?;
        sorted.entry(parent).or_default().push(child);
    }
    Ok(sorted)
}
