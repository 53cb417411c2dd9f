//! Searches in all companies. Indexes find workers, periods and checks by ids, complete numbers, and the
//! start of names. A name is searched in several spellings. Each search uses an index, so only matching rows
//! are read. A server has few companies and applications, so all of them are scanned for a part of a name.

use std::collections::BTreeSet;

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::company::to_display_key;
use payroll_domain::id::CompanyId;
use payroll_domain::worker::to_name_search_keys;
use payroll_ports::StoreError;
use payroll_ports::search::{MAX_HITS_PER_KIND, SearchHit, SearchStore};

use super::{Conn, Store, dialect, filters, remove_nul};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::statement::{BindValue, binds, query, sql};

/// The last character. Every text that starts with a prefix sorts before the prefix followed by this
/// character.
const LAST_CHAR: char = char::MAX;

/// Selects the columns of a worker for a search result.
const SELECT_WORKERS: &str = "SELECT w.company_id, \
        (SELECT c.legal_name FROM companies c WHERE c.company_id = w.company_id), \
        w.worker_id, w.given_name, w.family_name, w.employee_id FROM workers w WHERE ";

/// Orders the rows as in an index and limits their number, so that PostgreSQL and SQLite stop reading after
/// the last needed match.
macro_rules! order_and_limit {
    ($key:literal, $limit:literal) => {
        concat!(" ORDER BY ", $key, ", w.company_id, w.worker_id LIMIT CAST(", $limit, " AS BIGINT)")
    };
}

type CompanyHit = (String, String, String);
type WorkerHit = (String, String, String, String, String, Option<String>);
type PeriodHit = (String, String, String, Option<String>);
type CheckHit = (String, String, String, String, String);
type ApplicationHit = (String, String);

#[async_trait]
impl SearchStore for Store {
    async fn search(
        &self,
        text: &str,
        visible_companies: Option<&[CompanyId]>,
    ) -> Result<Vec<SearchHit>, StoreError> {
        let (text, within) = (remove_nul(text), visible_companies.map(<[_]>::to_vec));
        Ok(run_on_connection!(self.read, |conn, text| search_all_kinds(conn, (&text, within.as_deref())))?)
    }
}

/// The search text, and the companies to search. `None` means all companies.
type ScopedSearch<'a> = (&'a str, Option<&'a [CompanyId]>);

async fn search_all_kinds(conn: &Conn, search: ScopedSearch<'_>) -> Outcome<Vec<SearchHit>> {
    let (companies, workers, periods, checks, applications) = try_join!(
        search_companies(conn, search),
        search_workers(conn, search),
        search_periods(conn, search),
        search_checks(conn, search),
        search_applications(conn, search),
    )?;
    let all = [companies, workers, periods, checks, applications];
    Ok(all.into_iter().flatten().collect())
}

/// Returns the values to bind to a statement: the values for the search text and for the visible companies,
/// and the limit.
fn search_bind_values<'a>(
    of_text: impl IntoIterator<Item = BindValue<'a>>,
    visible_companies: Option<&'a [CompanyId]>,
) -> Vec<BindValue<'a>> {
    of_text
        .into_iter()
        .chain(filters::company_id_binds(visible_companies))
        .chain(binds![max_hits()])
        .collect()
}

async fn search_companies(
    conn: &Conn,
    (text, visible_companies): ScopedSearch<'_>,
) -> Outcome<Vec<SearchHit>> {
    const SELECT_COMPANIES_BY_ID: &str = sql![
        "SELECT company_id, legal_name, display_id FROM companies WHERE (company_id = $1 OR display_key = $2)",
        filters::is_selected_company!("company_id", "$3", "$4"),
        " ORDER BY company_id LIMIT CAST($5 AS BIGINT)"
    ];
    const SELECT_COMPANIES_BY_NAME: &str = sql![
        "SELECT company_id, legal_name, display_id FROM companies WHERE TRUE",
        filters::name_contains!("lower(legal_name)", "$1", "$2", "$3"),
        filters::is_selected_company!("company_id", "$4", "$5"),
        " ORDER BY created, company_id LIMIT CAST($6 AS BIGINT)"
    ];
    let [small, capitals, titled] = to_name_search_keys(text);
    let key = to_display_key(text);
    let (numbered, named) = try_join!(
        conn.query_rows::<CompanyHit>(query!(
            SELECT_COMPANIES_BY_ID,
            search_bind_values(binds![text, key.as_str()], visible_companies)
        )),
        conn.query_rows::<CompanyHit>(query!(
            SELECT_COMPANIES_BY_NAME,
            search_bind_values(binds![small, capitals, titled], visible_companies)
        )),
    )?;
    remove_duplicates([numbered, named].concat(), |(company_id, ..)| company_id.clone())
        .map(|(company_id, name, display_id)| {
            let company_id = RowLocation { table: "companies", key: &company_id }.parse_id(&company_id)?;
            Ok(SearchHit::Company { company_id, name, display_id })
        })
        .collect()
}

async fn search_workers(conn: &Conn, (text, visible_companies): ScopedSearch<'_>) -> Outcome<Vec<SearchHit>> {
    const SELECT_WORKERS_BY_ID: &str = sql![
        SELECT_WORKERS,
        "w.worker_id = $1",
        filters::is_selected_company!("w.company_id", "$2", "$3"),
        " LIMIT CAST($4 AS BIGINT)"
    ];
    const SELECT_WORKERS_BY_EMPLOYEE_ID: &str = sql![
        SELECT_WORKERS,
        "w.employee_id = $1",
        filters::is_selected_company!("w.company_id", "$2", "$3"),
        order_and_limit!("w.employee_id", "$4")
    ];
    let (by_id, by_number) = try_join!(
        conn.query_rows::<WorkerHit>(query!(
            SELECT_WORKERS_BY_ID,
            search_bind_values(binds![text], visible_companies)
        )),
        conn.query_rows::<WorkerHit>(query!(
            SELECT_WORKERS_BY_EMPLOYEE_ID,
            search_bind_values(binds![text], visible_companies)
        )),
    )?;
    let mut found = [by_id, by_number].concat();
    for key in BTreeSet::from(to_name_search_keys(text)) {
        found.extend(search_workers_by_name(conn, (&key, visible_companies)).await?);
    }
    remove_duplicates(found, |worker| worker.2.clone()).map(to_worker_hit).collect()
}

/// Finds the workers whose family name or given name starts with a search key. A search text of two names
/// finds the workers who have both names.
async fn search_workers_by_name(
    conn: &Conn,
    (key, visible_companies): ScopedSearch<'_>,
) -> Outcome<Vec<WorkerHit>> {
    const SELECT_WORKERS_BY_FAMILY_NAME: &str = sql![
        SELECT_WORKERS,
        "lower(w.family_name) >= $1 AND lower(w.family_name) < $2",
        filters::is_selected_company!("w.company_id", "$3", "$4"),
        order_and_limit!("lower(w.family_name)", "$5")
    ];
    const SELECT_WORKERS_BY_GIVEN_NAME: &str = sql![
        SELECT_WORKERS,
        "lower(w.given_name) >= $1 AND lower(w.given_name) < $2",
        filters::is_selected_company!("w.company_id", "$3", "$4"),
        order_and_limit!("lower(w.given_name)", "$5")
    ];
    // Many workers have the same given name or the same family name. The index over both columns finds only
    // the workers with both names.
    const SELECT_WORKERS_BY_BOTH_NAMES: &str = sql![
        SELECT_WORKERS,
        "lower(w.family_name) >= $1 AND lower(w.family_name) < $2 AND lower(w.given_name) = $3",
        filters::is_selected_company!("w.company_id", "$4", "$5"),
        order_and_limit!("lower(w.family_name)", "$6")
    ];
    let end = format!("{key}{LAST_CHAR}");
    let (family, given) = try_join!(
        conn.query_rows::<WorkerHit>(query!(
            SELECT_WORKERS_BY_FAMILY_NAME,
            search_bind_values(binds![key, end.as_str()], visible_companies)
        )),
        conn.query_rows::<WorkerHit>(query!(
            SELECT_WORKERS_BY_GIVEN_NAME,
            search_bind_values(binds![key, end.as_str()], visible_companies)
        )),
    )?;
    let mut found = [family, given].concat();
    if let Some((first, rest)) = key.split_once(' ') {
        let end = format!("{rest}{LAST_CHAR}");
        let values = search_bind_values(binds![rest, end.as_str(), first], visible_companies);
        found.extend(conn.query_rows::<WorkerHit>(query!(SELECT_WORKERS_BY_BOTH_NAMES, values)).await?);
    }
    Ok(found)
}

fn to_worker_hit(
    (company, company_name, worker, given, family, employee_id): WorkerHit,
) -> Outcome<SearchHit> {
    let at = RowLocation { table: "workers", key: &worker };
    let (company_id, worker_id) = (at.parse_id(&company)?, at.parse_id(&worker)?);
    Ok(SearchHit::Worker {
        company_id,
        company_name,
        worker_id,
        name: format!("{given} {family}"),
        employee_id,
    })
}

async fn search_periods(conn: &Conn, (text, visible_companies): ScopedSearch<'_>) -> Outcome<Vec<SearchHit>> {
    const SELECT_PERIODS: &str = sql![
        "SELECT p.company_id, (SELECT c.legal_name FROM companies c WHERE c.company_id = p.company_id), \
            p.pay_period_id, p.description FROM pay_periods p WHERE p.pay_period_id = $1",
        filters::is_selected_company!("p.company_id", "$2", "$3"),
        " ORDER BY p.company_id LIMIT CAST($4 AS BIGINT)"
    ];
    let rows: Vec<PeriodHit> =
        conn.query_rows(query!(SELECT_PERIODS, search_bind_values(binds![text], visible_companies))).await?;
    rows.into_iter()
        .map(|(company, company_name, period, description)| {
            let at = RowLocation { table: "pay_periods", key: &period };
            let (company_id, pay_period_id) = (at.parse_id(&company)?, at.parse_id(&period)?);
            Ok(SearchHit::PayPeriod { company_id, company_name, pay_period_id, description })
        })
        .collect()
}

async fn search_checks(conn: &Conn, (text, visible_companies): ScopedSearch<'_>) -> Outcome<Vec<SearchHit>> {
    const SELECT_CHECKS: &str = sql![
        "SELECT k.company_id, (SELECT c.legal_name FROM companies c WHERE c.company_id = k.company_id), \
            k.pay_period_id, k.worker_id, k.paycheck_id FROM checks k WHERE k.paycheck_id = $1",
        filters::is_selected_company!("k.company_id", "$2", "$3"),
        " LIMIT CAST($4 AS BIGINT)"
    ];
    let rows: Vec<CheckHit> =
        conn.query_rows(query!(SELECT_CHECKS, search_bind_values(binds![text], visible_companies))).await?;
    rows.into_iter()
        .map(|(company, company_name, period, worker, check)| {
            let at = RowLocation { table: "checks", key: &check };
            Ok(SearchHit::Check {
                company_id: at.parse_id(&company)?,
                company_name,
                pay_period_id: at.parse_id(&period)?,
                worker_id: at.parse_id(&worker)?,
                paycheck_id: at.parse_id(&check)?,
            })
        })
        .collect()
}

async fn search_applications(
    conn: &Conn,
    (text, visible_companies): ScopedSearch<'_>,
) -> Outcome<Vec<SearchHit>> {
    const SELECT_APPLICATIONS_BY_ID: &str =
        "SELECT application_id, name FROM applications WHERE application_id = $1 OR client_id = $1";
    const SELECT_APPLICATIONS_BY_NAME: &str = sql![
        "SELECT application_id, name FROM applications WHERE TRUE",
        filters::name_contains!("lower(name)", "$1", "$2", "$3"),
        " ORDER BY created, application_id LIMIT CAST($4 AS BIGINT)"
    ];
    if visible_companies.is_some() {
        return Ok(Vec::new());
    }
    let [small, capitals, titled] = to_name_search_keys(text);
    let (numbered, named) = try_join!(
        conn.query_rows::<ApplicationHit>(query!(SELECT_APPLICATIONS_BY_ID, binds![text])),
        conn.query_rows::<ApplicationHit>(query!(
            SELECT_APPLICATIONS_BY_NAME,
            binds![small, capitals, titled, max_hits()]
        )),
    )?;
    remove_duplicates([numbered, named].concat(), |(application_id, _)| application_id.clone())
        .map(|(application, name)| {
            let application_id =
                RowLocation { table: "applications", key: &application }.parse_id(&application)?;
            Ok(SearchHit::Application { application_id, name })
        })
        .collect()
}

fn max_hits() -> i64 {
    MAX_HITS_PER_KIND.into()
}

/// Returns the distinct matches in the order of their first occurrence. The number is limited to the maximum
/// for one kind of result.
fn remove_duplicates<T>(hits: Vec<T>, id: impl Fn(&T) -> String) -> impl Iterator<Item = T> {
    let mut seen = BTreeSet::new();
    hits.into_iter().filter(move |hit| seen.insert(id(hit))).take(MAX_HITS_PER_KIND as usize)
}
