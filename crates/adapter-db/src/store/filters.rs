//! The filters of lists: SQL conditions and their values. The first parameter is the company. Partners and
//! operators use the same filters.
//!
//! If a filter value is not given, its parameter is NULL, and its condition matches every row. On both
//! databases `lower` only changes the letters A to Z. [`to_name_search_keys`] handles other letters.

use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::CompanyId;
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::worker::{StatusType, to_name_search_keys};
use payroll_ports::filters::{CompanyFilter, ComponentFilter, PeriodFilter, WorkerFilter};

use super::{dialect, remove_nul};
use crate::statement::{BindValue, sql};

/// The condition that a name contains one of three texts, if the first one is given. The texts have no
/// wildcards.
macro_rules! name_contains {
    ($name:literal, $small:literal, $capitals:literal, $titled:literal) => {
        concat!(
            " AND (CAST(",
            $small,
            " AS TEXT) IS NULL OR ",
            dialect::text_contains!($name, $small),
            " OR ",
            dialect::text_contains!($name, $capitals),
            " OR ",
            dialect::text_contains!($name, $titled),
            ")"
        )
    };
}
pub(super) use name_contains;

/// The condition that a company is in the list, if the flag is set.
macro_rules! is_selected_company {
    ($company_id:literal, $flag:literal, $list:literal) => {
        concat!(" AND (CAST(", $flag, " AS TEXT) IS NULL OR ", $company_id, dialect::equals_any!($list), ")")
    };
}
pub(super) use is_selected_company;

/// Returns the values for [`is_selected_company!`]: the flag, and the list of companies.
pub(super) fn company_id_binds(company_ids: Option<&[CompanyId]>) -> [BindValue<'_>; 2] {
    let flag = BindValue::from(company_ids.map(|_| "restricted".to_owned()));
    [flag, dialect::bind_list(company_ids.unwrap_or_default().iter().map(|id| id.as_str()))]
}

/// The companies that a query of a log selects. Each variant uses a different index.
#[derive(Debug, Clone, Copy)]
pub(super) enum LogCompanySelection<'a> {
    /// Selects the rows of all companies, and the rows without a company.
    All,
    /// Selects the rows of the company with this id.
    One(&'a CompanyId),
    /// Selects the rows of the companies in this list.
    Among(&'a [CompanyId]),
}

impl<'a> LogCompanySelection<'a> {
    /// Selects the companies that match both arguments: the requested company, and the companies that the
    /// caller may see.
    pub(super) fn new(company_id: Option<&'a CompanyId>, visible_companies: Option<&'a [CompanyId]>) -> Self {
        match (company_id, visible_companies) {
            (None, None) => Self::All,
            (None, Some(ids)) => Self::Among(ids),
            (Some(id), Some(ids)) if !ids.contains(id) => Self::Among(&[]),
            (Some(id), _) => Self::One(id),
        }
    }
}

/// The condition for workers: one of the states $2, a status date (or hire date) from $3 to $4, the
/// employee id $5 and the location $6. Three conditions on names follow, with three parameters each: given
/// names ($7, $8, $9), family names ($10, $11, $12) and texts in the full name ($13, $14, $15).
pub(super) const WORKER_CONDITIONS: &str = concat!(
    " AND coalesce(status_type, '')",
    dialect::equals_any!("$2"),
    " AND (CAST($3 AS DATE) IS NULL OR coalesce(status_effective_date, hire_date) >= $3) \
         AND (CAST($4 AS DATE) IS NULL OR coalesce(status_effective_date, hire_date) <= $4) \
         AND (CAST($5 AS TEXT) IS NULL OR employee_id = $5) \
         AND (CAST($6 AS TEXT) IS NULL OR location_id = $6) \
         AND (CAST($7 AS TEXT) IS NULL OR lower(given_name) IN ($7, $8, $9)) \
         AND (CAST($10 AS TEXT) IS NULL OR lower(family_name) IN ($10, $11, $12))",
    name_contains!("lower(given_name || ' ' || family_name)", "$13", "$14", "$15")
);

/// Like [`WORKER_CONDITIONS`], for workers whose tax ID has one of the hashes $16 and that were changed at
/// $17 or later. The condition on the hash has no NULL case, so that an index can be used.
pub(super) const LAST_FOUR_DIGITS_CONDITIONS: &str = sql![
    WORKER_CONDITIONS,
    " AND last_four_hash",
    dialect::equals_any!("$16"),
    " AND last_four_of = legal_id AND (CAST($17 AS BIGINT) IS NULL OR modified >= $17)"
];

/// Like [`WORKER_CONDITIONS`], for workers that were changed at $16 or later. This condition can use an
/// index.
pub(super) const CHANGED_WORKER_CONDITIONS: &str = sql![WORKER_CONDITIONS, " AND modified >= $16"];

/// Like [`WORKER_CONDITIONS`], for workers with one of the family names $16 to $18. This condition can use an
/// index.
pub(super) const NAMED_WORKER_CONDITIONS: &str =
    sql![WORKER_CONDITIONS, " AND lower(family_name) IN ($16, $17, $18)"];

/// The condition for pay components. $2 is the effect, $3 the classification, and $4 the name. $5 to $7 are
/// texts, one of which must be in the name. $8 is the earliest instant of the last change. A company has too
/// few pay components to need an index.
pub(super) const COMPONENT_CONDITIONS: &str = concat!(
    " AND (CAST($2 AS TEXT) IS NULL OR effect_on_pay = $2) \
         AND (CAST($3 AS TEXT) IS NULL OR classification_type = $3) \
         AND (CAST($4 AS TEXT) IS NULL OR name = $4)",
    name_contains!("lower(name)", "$5", "$6", "$7"),
    " AND (CAST($8 AS BIGINT) IS NULL OR modified >= $8)"
);

/// The condition for pay periods. $2 is the list of states, $3 the earliest start, and $4 the latest end. $5
/// is the earliest instant of the last change.
pub(super) const PERIOD_CONDITIONS: &str = concat!(
    "status",
    dialect::equals_any!("$2"),
    " AND (CAST($3 AS DATE) IS NULL OR start_date >= $3) \
         AND (CAST($4 AS DATE) IS NULL OR end_date <= $4) \
         AND (CAST($5 AS BIGINT) IS NULL OR modified >= $5)"
);

/// The condition for companies of the server, without a parameter for an owning company. $1 is the display
/// key. $2 to $4 are texts, one of which must be in the name. $6 is the list of states on the day $5. If $7
/// is set, the company must be in the list $8.
pub(super) const COMPANY_CONDITIONS: &str = concat!(
    "(CAST($1 AS TEXT) IS NULL OR display_key = $1)",
    name_contains!("lower(legal_name)", "$2", "$3", "$4"),
    " AND CASE WHEN end_date < $5 THEN 'ENDED' WHEN converting THEN 'CONVERTING' ELSE 'ACTIVE' END",
    dialect::equals_any!("$6"),
    is_selected_company!("company_id", "$7", "$8")
);

/// The condition of a list statement that selects workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkerCondition {
    /// Selects all workers of the company.
    None,
    /// Selects the workers that match any filter ([`WORKER_CONDITIONS`]).
    Filter,
    /// Selects the workers whose tax ID ends with some digits ([`LAST_FOUR_DIGITS_CONDITIONS`]).
    LastFour,
    /// Selects the workers that have changed since an instant ([`CHANGED_WORKER_CONDITIONS`]).
    ModifiedSince,
    /// Selects the workers with a family name ([`NAMED_WORKER_CONDITIONS`]).
    FamilyName,
}

impl WorkerCondition {
    /// Chooses the most selective condition: digits of a tax ID first, then an instant, then a family name.
    pub(super) fn for_filter(filter: &WorkerFilter) -> Self {
        if filter.last_four.is_some() {
            Self::LastFour
        } else if filter.modified_since.is_some() {
            Self::ModifiedSince
        } else if filter.family_name.is_some() {
            Self::FamilyName
        } else if *filter == WorkerFilter::default() {
            Self::None
        } else {
            Self::Filter
        }
    }

    /// Returns whether an index finds the matching workers. Such a selection has only a few workers, so
    /// sorting them afterwards is cheap.
    pub(super) const fn is_served_by_index(self) -> bool {
        matches!(self, Self::LastFour | Self::ModifiedSince | Self::FamilyName)
    }
}

/// Returns the values for the condition. `hashes` are the hashes of the last four digits in the filter.
pub(super) fn worker_filter_binds<'a>(
    company_id: &'a str,
    filter: &'a WorkerFilter,
    hashes: &'a [String],
) -> Vec<BindValue<'a>> {
    let since = || BindValue::from(filter.modified_since.map(Timestamp::as_micros));
    let own: Vec<BindValue<'_>> = match WorkerCondition::for_filter(filter) {
        WorkerCondition::None => return vec![BindValue::from(company_id)],
        WorkerCondition::Filter => Vec::new(),
        WorkerCondition::LastFour => {
            vec![dialect::bind_list(hashes.iter().map(String::as_str)), since()]
        }
        WorkerCondition::ModifiedSince => vec![since()],
        WorkerCondition::FamilyName => name_key_binds(filter.family_name.as_deref()).into(),
    };
    worker_binds(company_id, filter).into_iter().chain(own).collect()
}

/// Returns the values for the condition [`WORKER_CONDITIONS`].
fn worker_binds<'a>(company_id: &'a str, filter: &'a WorkerFilter) -> Vec<BindValue<'a>> {
    let mut values = vec![BindValue::from(company_id), bind_worker_states(&filter.statuses)];
    values.extend([&filter.from, &filter.to].map(BindValue::from));
    values.extend([&filter.employee_id, &filter.location_id].map(BindValue::from));
    for name in [&filter.given_name, &filter.family_name, &filter.part_of_name] {
        values.extend(name_key_binds(name.as_deref()));
    }
    values
}

/// Returns the values for the condition [`COMPONENT_CONDITIONS`].
pub(super) fn component_filter_binds<'a>(
    company_id: &'a str,
    filter: &'a ComponentFilter,
) -> Vec<BindValue<'a>> {
    let effect = filter.effect_on_pay.map(|effect| effect.as_str());
    let classification = filter.classification_type.map(|classification| classification.as_str());
    let mut values =
        vec![BindValue::from(company_id), BindValue::from(effect), BindValue::from(classification)];
    values.push(BindValue::from(&filter.name));
    values.extend(name_key_binds(filter.part_of_name.as_deref()));
    values.push(BindValue::from(filter.modified_since.map(Timestamp::as_micros)));
    values
}

/// Returns the values for the condition [`PERIOD_CONDITIONS`].
pub(super) fn period_filter_binds<'a>(company_id: &'a str, filter: &'a PeriodFilter) -> Vec<BindValue<'a>> {
    let all = if filter.statuses.is_empty() { PeriodStatus::ALL } else { &filter.statuses };
    let statuses = dialect::bind_list(all.iter().map(|status| status.as_str()));
    let modified_since = BindValue::from(filter.modified_since.map(Timestamp::as_micros));
    vec![
        BindValue::from(company_id),
        statuses,
        BindValue::from(&filter.from),
        BindValue::from(&filter.to),
        modified_since,
    ]
}

/// Returns the values for [`COMPANY_CONDITIONS`]. A filter without a state matches all states.
pub(super) fn company_filter_binds(filter: &CompanyFilter) -> Vec<BindValue<'_>> {
    use payroll_domain::company::CompanyState;
    let (states, day): (&[CompanyState], Option<Date>) = match &filter.states {
        Some((states, day)) => (states, Some(*day)),
        None => (CompanyState::ALL, None),
    };
    let mut values = vec![BindValue::from(&filter.display_key)];
    values.extend(name_key_binds(filter.part_of_name.as_deref()));
    values.push(BindValue::from(&day));
    values.push(dialect::bind_list(states.iter().map(|state| state.as_str())));
    values.extend(company_id_binds(filter.visible_companies.as_deref()));
    values
}

/// Returns the three keys of [`to_name_search_keys`] with which stored names are compared. Without a name,
/// all three values are NULL.
fn name_key_binds(name: Option<&str>) -> [BindValue<'static>; 3] {
    name.map(to_name_search_keys).map_or([None, None, None], |keys| keys.map(Some)).map(BindValue::from)
}

/// Returns the states of the filter. A worker without a state is treated as having the empty text as its
/// state. Such a worker only matches a filter without states.
fn bind_worker_states(types: &[StatusType]) -> BindValue<'static> {
    let all = if types.is_empty() { StatusType::ALL } else { types };
    let none = types.is_empty().then_some("");
    dialect::bind_list(all.iter().map(|state| state.as_str()).chain(none))
}

/// Returns the filter with texts that PostgreSQL accepts, without NUL characters.
pub(super) fn remove_nul_from_worker_filter(filter: WorkerFilter) -> WorkerFilter {
    WorkerFilter {
        part_of_name: remove_nul_from_option(filter.part_of_name),
        given_name: remove_nul_from_option(filter.given_name),
        family_name: remove_nul_from_option(filter.family_name),
        employee_id: remove_nul_from_option(filter.employee_id),
        location_id: remove_nul_from_option(filter.location_id),
        ..filter
    }
}

/// Returns the filter of pay components with texts that PostgreSQL accepts.
pub(super) fn remove_nul_from_component_filter(filter: ComponentFilter) -> ComponentFilter {
    ComponentFilter {
        name: remove_nul_from_option(filter.name),
        part_of_name: remove_nul_from_option(filter.part_of_name),
        ..filter
    }
}

/// Returns the filter of companies with texts that PostgreSQL accepts.
pub(super) fn remove_nul_from_company_filter(filter: CompanyFilter) -> CompanyFilter {
    CompanyFilter {
        display_key: remove_nul_from_option(filter.display_key),
        part_of_name: remove_nul_from_option(filter.part_of_name),
        ..filter
    }
}

fn remove_nul_from_option(text: Option<String>) -> Option<String> {
    text.map(|text| remove_nul(&text))
}
