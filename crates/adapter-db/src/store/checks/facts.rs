//! Reads the facts for validating new checks: all stored objects to which a request refers. All facts are
//! read in one round trip.

use std::collections::HashMap;

use futures_util::try_join;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::check::{
    LockFacts, MaintainedList, PeriodFacts, RequiredLookups, ValidationFacts, WorkerFacts,
};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{CompanyId, Id};
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::worker::{AssignmentDistribution, PayRate};

use super::super::{Conn, access, dialect};
use crate::error::Outcome;
use crate::one_or_many::{IdStatement, select_from_ids, where_id_matches};
use crate::rows::RowLocation;
use crate::rows::company::ProductRow;
use crate::rows::lists::{OrganizationRow, PayComponentRow};
use crate::rows::parts::OwnedObjectRow;
use crate::rows::workers::{WorkerFactsRow, to_worker_facts};
use crate::statement::{BindValue, Statement, binds, query, sql};
use crate::table::TableDefinition;

/// The query for the facts: the stored data with which a batch of checks is validated.
pub(in super::super) struct FactsQuery {
    /// The application that adds the checks. `None` for an operator.
    pub(in super::super) caller: Option<Caller>,
    pub(in super::super) company_id: CompanyId,
    pub(in super::super) lookups: RequiredLookups,
    pub(in super::super) now: Timestamp,
}

/// The lock of a company: the holder, the instant at which the lock expires, and the id of the period in
/// processing.
pub(in super::super) type LockRow = (Option<String>, Option<i64>, Option<String>);
type PeriodRow = (String, String, time::Date, time::Date);

/// Reads the facts with the caller's access.
pub(in super::super) async fn read_check_validation_data(
    conn: &Conn,
    query: &FactsQuery,
    caller: &Caller,
) -> Outcome<Guarded<ValidationFacts>> {
    let ((access, _), facts) = try_join!(
        access::read_access(conn, caller, Some(query.company_id.as_str())),
        read_validation_data(conn, query)
    )?;
    Ok(Guarded::new(access, facts))
}

/// Reads the facts for the validation without the caller's access.
pub(in super::super) async fn read_validation_data(
    conn: &Conn,
    query: &FactsQuery,
) -> Outcome<ValidationFacts> {
    let ((lock, products), (pay_periods, components), workers, organizations, used, (jobs, assignments)) = try_join!(
        read_lock_and_products(conn, query),
        read_periods_and_components(conn, query),
        read_worker_validation_data(conn, query),
        read_organizations(conn, query),
        read_used_ids(conn, query),
        read_jobs_and_assignments(conn, query),
    )?;
    let mut facts = ValidationFacts::default();
    facts.lock = lock.and_then(|row| to_lock_facts(&row, query.now));
    facts.products = products.into_iter().map(ProductRow::into_product).collect();
    facts.workers = workers;
    for row in pay_periods {
        let at = RowLocation { table: "pay_periods", key: &row.0 };
        let status = at.parse_text(&row.1, PeriodStatus::parse)?;
        let period = PeriodFacts::new(status, row.2, row.3);
        facts.pay_periods.insert(at.parse_id(&row.0)?, period);
    }
    for row in components {
        let component = row.decode_value()?;
        facts.components.insert(component.component_id.clone(), component);
    }
    for row in organizations {
        let organization = row.decode_value()?;
        facts.organizations.insert(organization.organization_id.clone(), organization);
    }
    for (paycheck_id,) in used.0 {
        facts.paychecks.insert(RowLocation { table: "checks", key: &paycheck_id }.parse_id(&paycheck_id)?);
    }
    facts.jobs = to_maintained_list(jobs);
    facts.labor_assignments = to_maintained_list(assignments);
    facts.used_correlation_ids = used.1.into_iter().map(|(id,)| id).collect();
    Ok(facts)
}

/// Returns the lock that is active at that instant. `None` if no lock is active.
pub(in super::super) fn to_lock_facts(row: &LockRow, now: Timestamp) -> Option<LockFacts> {
    let (holder, expires, processing) = row;
    if processing.is_some() {
        return Some(LockFacts::WITHOUT_END);
    }
    holder.as_ref()?;
    match expires {
        None => Some(LockFacts::WITHOUT_END),
        Some(end) => LockFacts::from_expiry(Timestamp::from_micros(*end), now),
    }
}

async fn read_lock_and_products(
    conn: &Conn,
    query: &FactsQuery,
) -> Outcome<(Option<LockRow>, Vec<ProductRow>)> {
    const SELECT_LOCK: &str =
        "SELECT lock_holder, lock_expires, processing_pay_period_id FROM companies WHERE company_id = $1";
    const SELECT_PRODUCTS: &str =
        sql!["SELECT ", ProductRow::COLUMNS, " FROM products WHERE company_id = $1"];
    let id = query.company_id.as_str();
    try_join!(
        conn.query_row(query!(SELECT_LOCK, binds![id])),
        conn.query_rows(query!(SELECT_PRODUCTS, binds![id])),
    )
}

async fn read_periods_and_components(
    conn: &Conn,
    query: &FactsQuery,
) -> Outcome<(Vec<PeriodRow>, Vec<PayComponentRow>)> {
    const SELECT_PERIODS: IdStatement = where_id_matches![
        "SELECT pay_period_id, status, end_date, check_date FROM pay_periods \
         WHERE company_id = $1 AND pay_period_id",
        "$2"
    ];
    const SELECT_COMPONENTS: IdStatement = where_id_matches![
        sql![
            "SELECT ",
            PayComponentRow::COLUMNS,
            " FROM pay_components WHERE company_id = $1 AND component_id"
        ],
        "$2"
    ];
    try_join!(
        conn.query_rows(lookup_statement(query, SELECT_PERIODS, &query.lookups.pay_periods)),
        conn.query_rows(lookup_statement(query, SELECT_COMPONENTS, &query.lookups.components)),
    )
}

async fn read_worker_validation_data(
    conn: &Conn,
    query: &FactsQuery,
) -> Outcome<HashMap<payroll_domain::id::WorkerId, WorkerFacts>> {
    const SELECT_WORKERS: IdStatement = where_id_matches![
        "SELECT worker_id, worker_type, exemption_type FROM workers WHERE company_id = $1 AND worker_id",
        "$2"
    ];
    const SELECT_PAY_RATES: IdStatement = where_id_matches![
        sql![
            "SELECT ",
            OwnedObjectRow::<PayRate>::COLUMNS,
            " FROM pay_rates WHERE company_id = $1 AND worker_id"
        ],
        "$2",
        " ORDER BY worker_id, position"
    ];
    // Only a few companies distribute work over labor assignments. For the other companies, the `EXISTS`
    // condition ends the query after one index lookup.
    const SELECT_DISTRIBUTIONS: IdStatement = where_id_matches![
        sql![
            "SELECT ",
            OwnedObjectRow::<AssignmentDistribution>::COLUMNS,
            " FROM assignment_distributions \
         WHERE EXISTS (SELECT 1 FROM assignment_distributions WHERE company_id = $1) \
           AND company_id = $1 AND worker_id"
        ],
        "$2",
        " ORDER BY worker_id, position"
    ];
    let (rows, rates, distributions) = try_join!(
        conn.query_rows(lookup_statement(query, SELECT_WORKERS, &query.lookups.workers)),
        conn.query_rows(lookup_statement(query, SELECT_PAY_RATES, &query.lookups.workers)),
        conn.query_rows(lookup_statement(query, SELECT_DISTRIBUTIONS, &query.lookups.workers)),
    )?;
    let (rows, rates): (Vec<WorkerFactsRow>, Vec<OwnedObjectRow<PayRate>>) = (rows, rates);
    let distributions: Vec<OwnedObjectRow<AssignmentDistribution>> = distributions;
    let mut workers = HashMap::with_capacity(rows.len());
    for row in &rows {
        workers
            .insert(RowLocation { table: "workers", key: &row.0 }.parse_id(&row.0)?, to_worker_facts(row)?);
    }
    for rate in rates {
        if let Some(worker) = workers.get_mut(rate.owner.as_str()) {
            worker.pay_rates.push(rate.decode_value()?);
        }
    }
    for distribution in distributions {
        if let Some(worker) = workers.get_mut(distribution.owner.as_str()) {
            worker.distributions.push(distribution.decode_value()?);
        }
    }
    Ok(workers)
}

async fn read_organizations(conn: &Conn, query: &FactsQuery) -> Outcome<Vec<OrganizationRow>> {
    const SELECT_ORGANIZATIONS: IdStatement = where_id_matches![
        sql![
            "SELECT ",
            OrganizationRow::COLUMNS,
            " FROM organizations WHERE company_id = $1 AND organization_id"
        ],
        "$2"
    ];
    if query.lookups.organizations.is_empty() {
        return Ok(Vec::new());
    }
    conn.query_rows(lookup_statement(query, SELECT_ORGANIZATIONS, &query.lookups.organizations)).await
}

/// Reads which jobs and labor assignments of the request exist. If the company has any jobs in this database,
/// the list of jobs also contains an empty text. The same applies to the list of labor assignments.
async fn read_jobs_and_assignments(
    conn: &Conn,
    query: &FactsQuery,
) -> Outcome<(Vec<(String,)>, Vec<(String,)>)> {
    const SELECT_JOBS: IdStatement = where_id_matches![
        "SELECT '' WHERE EXISTS (SELECT 1 FROM jobs WHERE company_id = $1) \
         UNION ALL SELECT job_id FROM jobs WHERE company_id = $1 AND job_id",
        "$2"
    ];
    const SELECT_LABOR_ASSIGNMENTS: IdStatement = where_id_matches![
        "SELECT '' WHERE EXISTS (SELECT 1 FROM labor_assignments WHERE company_id = $1) \
         UNION ALL SELECT labor_assignment_id FROM labor_assignments \
         WHERE company_id = $1 AND labor_assignment_id",
        "$2"
    ];
    let RequiredLookups { jobs, labor_assignments, .. } = &query.lookups;
    let jobs = async {
        if jobs.is_empty() {
            Ok(Vec::new())
        } else {
            conn.query_rows(lookup_statement(query, SELECT_JOBS, jobs)).await
        }
    };
    let labor_assignments = async {
        if labor_assignments.is_empty() {
            return Ok(Vec::new());
        }
        conn.query_rows(lookup_statement(query, SELECT_LABOR_ASSIGNMENTS, labor_assignments)).await
    };
    try_join!(jobs, labor_assignments)
}

fn to_maintained_list(found: Vec<(String,)>) -> MaintainedList {
    if found.is_empty() {
        return MaintainedList::External;
    }
    MaintainedList::Internal(found.into_iter().map(|(id,)| id).collect())
}

type UsedCheckIds = (Vec<(String,)>, Vec<(String,)>);

/// Reads which check ids and correlation ids of the request are already in use.
async fn read_used_ids(conn: &Conn, query: &FactsQuery) -> Outcome<UsedCheckIds> {
    try_join!(read_used_paychecks(conn, query), read_used_correlation_ids(conn, query))
}

/// Reads which check ids are in use. Ids of imported and archived checks stay in use even if the check has no
/// row.
async fn read_used_paychecks(conn: &Conn, query: &FactsQuery) -> Outcome<Vec<(String,)>> {
    const SELECT_USED_CHECK_IDS: IdStatement =
        where_id_matches!["SELECT paycheck_id FROM checks WHERE company_id = $1 AND paycheck_id", "$2"];
    const SELECT_RESERVED_CHECK_IDS: IdStatement =
        where_id_matches!["SELECT paycheck_id FROM paycheck_ids WHERE company_id = $1 AND paycheck_id", "$2"];
    if query.lookups.paychecks.is_empty() {
        return Ok(Vec::new());
    }
    let (mut used, reserved): (Vec<(String,)>, Vec<(String,)>) = try_join!(
        conn.query_rows(lookup_statement(query, SELECT_USED_CHECK_IDS, &query.lookups.paychecks)),
        conn.query_rows(lookup_statement(query, SELECT_RESERVED_CHECK_IDS, &query.lookups.paychecks)),
    )?;
    used.extend(reserved);
    Ok(used)
}

async fn read_used_correlation_ids(conn: &Conn, query: &FactsQuery) -> Outcome<Vec<(String,)>> {
    // Each id is looked up individually. With a list, PostgreSQL might read every check of the period if it
    // has not analyzed the table yet.
    const SELECT_USED_CORRELATION_IDS: IdStatement = select_from_ids![
        "SELECT wanted.value FROM ",
        "$1",
        " wanted \
         WHERE (SELECT TRUE FROM checks c WHERE c.company_id = $2 AND c.pay_period_id = $3 \
                AND c.application_id = $4 AND c.correlation_id = wanted.value LIMIT 1) \
            AND (SELECT correlation_ids_last FROM applications WHERE application_id = $4)"
    ];
    const SELECT_IDS_USED_BY_OPERATORS: IdStatement = select_from_ids![
        "SELECT wanted.value FROM ",
        "$1",
        " wanted \
         WHERE (SELECT TRUE FROM checks c WHERE c.company_id = $2 AND c.pay_period_id = $3 \
                AND c.application_id = $4 AND c.correlation_id = wanted.value AND c.reversal_of IS NULL LIMIT 1)"
    ];
    // If the request has checks of several periods, the correlation ids are not looked up, because another
    // rule rejects the request.
    let lookups = &query.lookups;
    let [pay_period_id] = lookups.pay_periods.as_slice() else { return Ok(Vec::new()) };
    let ids: Vec<_> = lookups.correlation_ids.iter().map(String::as_str).collect();
    let (company_id, pay_period_id) = (query.company_id.as_str(), pay_period_id.as_str());
    let (used, caller) = match &query.caller {
        Some(caller) => (SELECT_USED_CORRELATION_IDS, caller.application_id.as_str()),
        None => (SELECT_IDS_USED_BY_OPERATORS, ""),
    };
    let values =
        |ids| [ids, BindValue::from(company_id), BindValue::from(pay_period_id), BindValue::from(caller)];
    conn.query_rows(used.to_statement(&ids, values)).await
}

/// Returns the statement that looks up the ids of one kind in the request. Its first parameter is the
/// company.
fn lookup_statement<'a, K>(query: &'a FactsQuery, statement: IdStatement, ids: &'a [Id<K>]) -> Statement<'a> {
    let ids: Vec<_> = ids.iter().map(Id::as_str).collect();
    statement.to_statement(&ids, |ids| [BindValue::from(query.company_id.as_str()), ids])
}
