//! The floor's queries for workers and pay periods, and the rows that they return. Both databases use the
//! same query texts. The parameters of `LIMIT` are cast. Without the cast, SQLite prepares the statement
//! again for each new value of such a parameter.

use serde::Serialize;

/// Counts the workers of a company.
pub(super) const WORKERS_COUNT: &str = "SELECT count(*) FROM workers WHERE company_id = $1";
/// Reads a page of workers with the names of the objects that they refer to. The names are read only for the
/// workers of the page.
pub(super) const WORKERS_PAGE: &str = "SELECT w.worker_id, w.employee_id, w.clock_id, w.worker_type, \
    w.employment_type, w.custom_employment_type_id, t.custom_employment_type_name, w.exemption_type, \
    w.work_state, CAST(w.birth_date AS TEXT), w.sex, w.ethnicity_code, CAST(w.hire_date AS TEXT), \
    w.family_name, w.given_name, w.middle_name, w.preferred_name, w.qualification_affix_code, \
    w.title_affix_code, w.legal_id_type, w.legal_id, w.location_id, w.job_id, w.labor_assignment_id, \
    w.job_title_id, w.job_title, w.organization_id, o.name, o.number, w.supervisor_id, s.family_name, \
    s.given_name, w.worker_status_id, w.status_type, w.status_reason, \
    CAST(w.status_effective_date AS TEXT) \
    FROM (SELECT * FROM workers WHERE company_id = $1 ORDER BY created, worker_id \
        LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)) w \
    LEFT JOIN custom_employment_types t ON t.company_id = $1 \
        AND t.custom_employment_type_id = w.custom_employment_type_id \
    LEFT JOIN organizations o ON o.company_id = $1 AND o.organization_id = w.organization_id \
    LEFT JOIN workers s ON s.company_id = $1 AND s.worker_id = w.supervisor_id \
    ORDER BY w.created, w.worker_id";
/// Reads the communications of the workers on the page, in the order of these workers.
pub(super) const WORKERS_COMMUNICATIONS: &str = "SELECT c.owner_id, c.communication_id, \
    c.communication_type, c.usage_type, c.dial_country, c.dial_area, c.dial_number, c.dial_extension, \
    c.uri, c.street_line_one, c.street_line_two, c.post_office_box, c.city, c.postal_code, \
    c.postal_code_extension, c.country_subdivision_code, c.country_code \
    FROM (SELECT company_id, worker_id, created FROM workers WHERE company_id = $1 \
        ORDER BY created, worker_id LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)) w \
    JOIN communications c ON c.company_id = w.company_id AND c.owner_id = w.worker_id \
    ORDER BY w.created, w.worker_id, c.position";
/// Reads the number of pay periods of a company and their common version.
pub(super) const PERIODS_COUNT: &str =
    "SELECT count(*), CAST(sum(version % 2147483648) AS BIGINT) FROM pay_periods WHERE company_id = $1";
/// Reads a page of pay periods.
pub(super) const PERIODS_PAGE: &str = "SELECT pay_period_id, interval_code, status, description, \
    CAST(start_date AS TEXT), CAST(end_date AS TEXT), CAST(submit_by_date AS TEXT), \
    CAST(check_date AS TEXT), check_count FROM pay_periods WHERE company_id = $1 \
    ORDER BY created, pay_period_id LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)";

/// Reads one pay period by its key. The totals of its checks are in the same row.
pub(super) const PERIOD_WITH_TOTALS: &str = "SELECT pay_period_id, interval_code, status, description, \
    CAST(start_date AS TEXT), CAST(end_date AS TEXT), CAST(submit_by_date AS TEXT), \
    CAST(check_date AS TEXT), check_count, version, total_workers, total_gross_earnings, total_net_pay, \
    total_employee_taxes, total_employer_taxes, total_deductions FROM pay_periods \
    WHERE company_id = $1 AND pay_period_id = $2";
/// Finds the operator key that the request contains.
pub(super) const OPERATOR_KEY: &str = "SELECT key_id, name, read_only FROM operator_keys WHERE hash = $1";

/// Defines a struct for a response. Its members are the columns of the query, in the same order.
macro_rules! response_struct {
    ($(#[$meta:meta])* $name:ident { $($member:ident: $type:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct $name { $(pub(super) $member: $type),* }

        impl $name {
            pub(super) fn from_sqlite_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                let mut columns = 0_usize..;
                Ok(Self { $($member: row.get(columns.next().unwrap_or_default())?),* })
            }

            pub(super) fn from_postgres_row(
                row: &tokio_postgres::Row,
            ) -> Result<Self, tokio_postgres::Error> {
                let mut columns = 0_usize..;
                Ok(Self { $($member: row.try_get(columns.next().unwrap_or_default())?),* })
            }
        }
    };
}

type Text = Option<String>;

response_struct! {
    /// A worker in the form in which the minimal server reads workers from the database.
    Worker {
        worker_id: String, employee_id: Text, clock_id: Text, worker_type: String, employment_type: Text,
        custom_employment_type_id: Text, custom_employment_type_name: Text, exemption_type: Text,
        work_state: Text, birth_date: Text, sex: Text, ethnicity_code: Text, hire_date: Text,
        family_name: String, given_name: String, middle_name: Text, preferred_name: Text,
        qualification_affix_code: Text, title_affix_code: Text, legal_id_type: Text, legal_id: Text,
        location_id: Text, job_id: Text, labor_assignment_id: Text, job_title_id: Text, job_title: Text,
        organization_id: Text, organization_name: Text, organization_number: Text, supervisor_id: Text,
        supervisor_family_name: Text, supervisor_given_name: Text, worker_status_id: Text,
        status_type: Text, status_reason: Text, status_effective_date: Text,
    }
}

response_struct! {
    /// A worker's means of communication.
    Communication {
        owner_id: String, communication_id: String, communication_type: String, usage_type: String,
        dial_country: Text, dial_area: Text, dial_number: Text, dial_extension: Text, uri: Text,
        street_line_one: Text, street_line_two: Text, post_office_box: Text, city: Text, postal_code: Text,
        postal_code_extension: Text, country_subdivision_code: Text, country_code: Text,
    }
}

response_struct! {
    /// A pay period in the form in which the minimal server reads pay periods from the database.
    Period {
        pay_period_id: String, interval_code: String, status: String, description: Text,
        start_date: String, end_date: String, submit_by_date: Text, check_date: String, check_count: i64,
    }
}

response_struct! {
    /// A pay period with the totals of its checks.
    PeriodWithTotals {
        pay_period_id: String, interval_code: String, status: String, description: Text,
        start_date: String, end_date: String, submit_by_date: Text, check_date: String, check_count: i64,
        version: i64, total_workers: i64, total_gross_earnings: i64, total_net_pay: i64,
        total_employee_taxes: i64, total_employer_taxes: i64, total_deductions: i64,
    }
}

/// Workers and their communications in separate lists. The response can then nest the communications without
/// copying values.
#[derive(Serialize)]
pub(super) struct WorkerList {
    worker: Worker,
    communications: Vec<Communication>,
}

/// Assigns communications to their workers. Both lists have the same order.
pub(super) fn assign_communications(
    workers: Vec<Worker>,
    communications: Vec<Communication>,
) -> Vec<WorkerList> {
    let mut rest = communications.into_iter().peekable();
    let staff = |worker: Worker| {
        let own = std::iter::from_fn(|| rest.next_if(|one| one.owner_id == worker.worker_id)).collect();
        WorkerList { worker, communications: own }
    };
    workers.into_iter().map(staff).collect()
}
