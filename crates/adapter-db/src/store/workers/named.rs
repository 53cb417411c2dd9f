//! A worker's row with the names of the objects to which the worker refers. One statement reads the row and
//! the names.

use payroll_domain::check::OrganizationLabel;
use payroll_ports::workers::{WorkerDetail, WorkerView};

use crate::columns::query_row;
use crate::error::Outcome;
use crate::rows::workers::WorkerRow;
use crate::seal::Sealer;

query_row! {
    /// The row of a worker, the name of the custom employment type, the name and number of the organization,
    /// and the family name and given name of the supervisor.
    #[derive(Debug)]
    pub(super) struct WorkerWithNamesRow {
        row: WorkerRow,
        employment_type_name: Option<String>,
        unit_name: Option<String>,
        unit_number: Option<String>,
        family_name_above: Option<String>,
        given_name_above: Option<String>,
    }
}

/// The columns of a [`WorkerWithNamesRow`] for workers of the company $1, in the order of their creation. The
/// argument of the macro is the rest of the statement after `FROM workers WHERE company_id = $1`, which
/// selects the workers.
///
/// Each supervisor is looked up individually. With a join, PostgreSQL would read all workers of the company
/// for one page, because the planner does not know the size of the page.
macro_rules! select_workers_with_names {
    ($($words:expr),+ $(,)?) => {
        sql![
            "SELECT ",
            WorkerRow::COLUMNS,
            ", type_name, unit_name, unit_number, \
                (SELECT above.family_name FROM workers above \
                    WHERE above.company_id = $1 AND above.worker_id = found.supervisor_id) AS family_above, \
                (SELECT above.given_name FROM workers above \
                    WHERE above.company_id = $1 AND above.worker_id = found.supervisor_id) AS given_above \
             FROM (SELECT ",
            WorkerRow::COLUMNS,
            " FROM workers WHERE company_id = $1",
            $($words,)+
            ") found \
             LEFT JOIN (SELECT custom_employment_type_id AS type_id, custom_employment_type_name AS type_name \
                FROM custom_employment_types WHERE company_id = $1) types \
                ON type_id = custom_employment_type_id \
             LEFT JOIN (SELECT organization_id AS unit_id, name AS unit_name, number AS unit_number \
                FROM organizations WHERE company_id = $1) units ON unit_id = organization_id \
             ORDER BY created, worker_id"
        ]
    };
}
pub(super) use select_workers_with_names;

impl WorkerWithNamesRow {
    pub(super) fn worker_id(&self) -> &str {
        self.row.id()
    }

    /// Returns the worker in this row, without communications. A tax ID that the caller does not request is
    /// not decrypted.
    pub(super) fn into_worker_view(self, detail: WorkerDetail, sealer: &Sealer) -> Outcome<WorkerView> {
        let row = if detail.has_tax_identity() { self.row } else { self.row.without_legal_id() };
        let worker = row.decrypt(sealer)?;
        let organization = worker.organization_id.clone().zip(self.unit_name);
        let number = self.unit_number;
        Ok(WorkerView {
            custom_employment_type_name: self.employment_type_name,
            organization: organization.map(|(organization_id, name)| OrganizationLabel {
                organization_id,
                name,
                number,
            }),
            supervisor_name: self.family_name_above.zip(self.given_name_above),
            worker,
        })
    }
}
