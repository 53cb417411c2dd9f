//! The distribution of each table in a distributed database.

/// The way in which the rows of a table are distributed over the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableDistribution {
    /// By company: all rows of one company are on one node. A transaction of one company therefore only needs
    /// that node.
    Company,
    /// By an id that must be unique over all companies. Equal ids are on the same node, which can therefore
    /// enforce the uniqueness.
    Id(&'static str),
    /// The table is copied to each node. This is used for tables that rarely change and that statements about
    /// a company join.
    Everywhere,
    /// The table is on the coordinator and in Citus's metadata. A transaction that writes to such a table and
    /// to a table of a company is committed on both nodes or on neither.
    InTheCatalogue,
    /// The table is on the coordinator, as a normal table.
    Coordinator,
}

use std::sync::LazyLock;

use crate::rows::declared;

use TableDistribution::{Company, Coordinator, Everywhere, Id, InTheCatalogue};

/// The distribution of each table of the schema. The table `companies` comes before the tables that are
/// colocated with it.
pub(super) static LAYOUT: LazyLock<Vec<(&str, TableDistribution)>> = LazyLock::new(|| {
    let declared = declared::all_tables().map(|table| (table.name, Company));
    UNDECLARED_TABLES.iter().copied().chain(declared).collect()
});

/// The tables that are not declared in the module `rows`.
const UNDECLARED_TABLES: &[(&str, TableDistribution)] = &[
    ("companies", Company),
    ("products", Company),
    ("organizations", Company),
    ("contact_types", Company),
    ("custom_field_categories", Company),
    ("custom_fields", Company),
    ("pay_components", Company),
    ("pay_periods", Company),
    ("workers", Company),
    ("due_statuses", Company),
    ("documents", Company),
    ("blobs", Company),
    ("unused_blobs", Company),
    ("checks", Company),
    ("archived_checks", Company),
    ("archived_workers", Company),
    ("check_archives", Company),
    ("completion_requests", Company),
    ("worker_ids", Id("worker_id")),
    ("paycheck_ids", Id("paycheck_id")),
    ("applications", Everywhere),
    ("secrets", Everywhere),
    ("grants", Everywhere),
    ("events", InTheCatalogue),
    ("audit", InTheCatalogue),
    ("idempotency_keys", InTheCatalogue),
    ("hooks", Coordinator),
    ("deliveries", Coordinator),
    ("attempts", Coordinator),
    ("noted_requests", Coordinator),
    ("requests", Coordinator),
    ("request_details", Coordinator),
    ("access_requests", Coordinator),
    ("operator_keys", Coordinator),
    ("operator_sessions", Coordinator),
    ("key_canaries", Coordinator),
    ("database_marks", Coordinator),
];

impl TableDistribution {
    /// Returns the statement that distributes a table, including the semicolon.
    pub(super) fn distribution_statement(self, table: &str) -> String {
        match self {
            Company if table == "companies" => {
                format!("SELECT create_distributed_table('{table}', 'company_id', colocate_with => 'none'); ")
            }
            Company => format!(
                "SELECT create_distributed_table('{table}', 'company_id', colocate_with => 'companies'); "
            ),
            Id(column) => {
                format!("SELECT create_distributed_table('{table}', '{column}', colocate_with => 'none'); ")
            }
            Everywhere => format!("SELECT create_reference_table('{table}'); "),
            InTheCatalogue => format!("SELECT citus_add_local_table_to_metadata('{table}'); "),
            Coordinator => String::new(),
        }
    }

    /// Describes the distribution for an error message, such as `it is a reference table`.
    pub(super) fn description(self) -> String {
        match self {
            Company => "it is distributed by company_id, together with companies".to_owned(),
            Id(column) => format!("it is distributed by {column}"),
            Everywhere => "it is a reference table".to_owned(),
            InTheCatalogue => "it is a local table of the coordinator that is registered in Citus".to_owned(),
            Coordinator => "it is a local table of the coordinator".to_owned(),
        }
    }

    /// Returns the distribution of a table from its row in the Citus catalogue. `None` if no table of this
    /// schema has such a distribution.
    pub(super) fn from_catalogue(column: Option<&str>, is_everywhere: bool) -> Option<Self> {
        match (column, is_everywhere) {
            (Some("company_id"), _) => Some(Company),
            (Some("worker_id"), _) => Some(Id("worker_id")),
            (Some("paycheck_id"), _) => Some(Id("paycheck_id")),
            (Some(_), _) => None,
            (None, true) => Some(Everywhere),
            (None, false) => Some(InTheCatalogue),
        }
    }
}
