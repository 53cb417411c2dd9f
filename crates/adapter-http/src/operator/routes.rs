//! The table of all paths of operators. Any other path is 404. `route` defines the content of a row, and
//! `route_table` matches paths.

#[cfg(test)]
mod tests;

use payroll_domain::operator_key::OperatorRole;
use payroll_domain::resource::ResourceKind;
use payroll_domain::worker::{DirectDeposit, PayRate, RecurringComponent, WorkerContact, WorkerCustomField};

use super::permissions::{CompanyRestriction, PermissionArea};
use super::route::OperatorHandler;
use super::{
    access_requests, added_checks, applications, audit, companies, completion_requests, deliveries,
    deposit_requests, disclosures, documents, events, export, grants, health, hooks, import, journal, keys,
    lists, lock, period_states, periods, removals, requests, reversals, sandbox, search, secrets, sessions,
    worker_changes,
};
use crate::shared::route_table::{Route, RouteMethod, RouteTable, route};
use crate::shared::{feed, lookup, page};

/// Returns the table of paths. A sandbox has additional paths.
pub(crate) fn operator_route_table(is_sandbox: bool) -> RouteTable<OperatorHandler> {
    let own = if is_sandbox { sandbox_only_routes() } else { Vec::new() };
    let all = [
        company_routes(),
        lookup_routes(),
        pay_run_routes(),
        worker_routes(),
        worker_detail_routes(),
        server_routes(),
        access_routes(),
        hook_routes(),
        own,
    ]
    .into_iter()
    .flatten();
    // All responses of operators contain personal data or permissions, so caches must not store them.
    RouteTable::new(all.map(Route::with_pii).collect())
}

/// Returns the paths of companies, their lists, their locks, and their history.
fn company_routes() -> Vec<Route<OperatorHandler>> {
    use ResourceKind::{Company, ContactType, CustomField, CustomFieldCategory, Organization, PayComponent};
    vec![
        route("/operator/v1/companies")
            .get(companies::list)
            .query(companies::PARAMETERS)
            .for_visible_companies()
            .with_object_creation(Company),
        route("/operator/v1/companies/{companyId}").with_object_operations(Company),
        route("/operator/v1/companies/{companyId}/organizations").with_collection(Organization),
        route("/operator/v1/companies/{companyId}/organizations/{organizationId}")
            .with_object_operations(Organization),
        route("/operator/v1/companies/{companyId}/contacttypes").with_collection(ContactType),
        route("/operator/v1/companies/{companyId}/contacttypes/{contactTypeId}")
            .with_object_operations(ContactType),
        route("/operator/v1/companies/{companyId}/customfieldscategories")
            .with_collection(CustomFieldCategory),
        route("/operator/v1/companies/{companyId}/customfieldscategories/{categoryId}")
            .with_object_operations(CustomFieldCategory),
        route("/operator/v1/companies/{companyId}/customfields").with_collection(CustomField),
        route("/operator/v1/companies/{companyId}/customfields/{customFieldId}")
            .with_object_operations(CustomField),
        route("/operator/v1/companies/{companyId}/paycomponents")
            .get(lists::list_components)
            .query(lists::COMPONENT_PARAMETERS)
            .with_object_creation(PayComponent),
        route("/operator/v1/companies/{companyId}/paycomponents/{componentId}")
            .with_object_operations(PayComponent),
        route("/operator/v1/companies/{companyId}/reveal-taxid")
            .post(disclosures::reveal_company_tax_id)
            .in_area(PermissionArea::Payroll),
        route("/operator/v1/companies/{companyId}/lock")
            .get(lock::get_lock)
            .put(lock::put_lock)
            .delete(lock::delete)
            .in_area(PermissionArea::Payroll),
        route("/operator/v1/completionrequests")
            .get(completion_requests::list)
            .query(page::PARAMETERS)
            .for_visible_companies()
            .in_area(PermissionArea::Payroll),
        route("/operator/v1/depositrequests")
            .get(deposit_requests::list)
            .query(page::PARAMETERS)
            .for_visible_companies()
            .in_area(PermissionArea::PersonalData),
        route("/operator/v1/events").get(events::list).query(feed::PARAMETERS).for_visible_companies(),
        route("/operator/v1/audit")
            .get(audit::list)
            .query(audit::PARAMETERS)
            .for_visible_companies()
            .in_area(PermissionArea::PersonalData),
        route("/operator/v1/import").post(import::import_lines).query(import::PARAMETERS),
        route("/operator/v1/export")
            .get(export::export_companies)
            .query(export::PARAMETERS)
            .for_visible_companies()
            .in_area(PermissionArea::Export),
    ]
}

/// Returns the paths of the lookup lists of companies.
fn lookup_routes() -> Vec<Route<OperatorHandler>> {
    let routes = lookup::all_lookup_lists().flat_map(|(kind, spec)| {
        let (kind, paths) = (ResourceKind::Lookup(kind), &spec.paths);
        let area = if spec.personal { PermissionArea::PersonalData } else { PermissionArea::Administration };
        [
            route(paths.operator_list).with_collection(kind),
            route(paths.operator_one).with_object_operations(kind),
        ]
        .map(|route| route.in_area(area))
    });
    routes.collect()
}

/// Returns the paths of pay periods with their checks and state transitions.
fn pay_run_routes() -> Vec<Route<OperatorHandler>> {
    let routes = [
        route("/operator/v1/companies/{companyId}/payperiods")
            .get(periods::list)
            .query(lists::PERIOD_PARAMETERS)
            .with_object_creation(ResourceKind::PayPeriod),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}")
            .get(periods::get_period)
            .with_object_changes(ResourceKind::PayPeriod),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/process")
            .post(period_states::process),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/complete")
            .post(period_states::complete)
            .query(period_states::COMPLETE_QUERY_PARAMETERS),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reopen")
            .post(period_states::reopen),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest")
            .get(completion_requests::get_completion_request)
            .post(completion_requests::create)
            .delete(completion_requests::withdraw),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest/approve")
            .post(completion_requests::approve)
            .query(completion_requests::APPROVE_PARAMETERS),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks")
            .get(periods::list_checks)
            .query(page::PARAMETERS)
            .post(added_checks::add_checks)
            .query(added_checks::PARAMETERS)
            .delete(removals::remove_operator_checks)
            .query(removals::PARAMETERS),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/checks/{paycheckId}")
            .delete(removals::remove_check),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/register")
            .get(periods::get_register)
            .query(page::PARAMETERS),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/journal")
            .get(journal::get_journal),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reversals")
            .post(reversals::create),
        route("/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/reversals/{paycheckId}")
            .delete(removals::remove_reversal),
        route("/operator/v1/payruns")
            .get(periods::list_pay_runs)
            .query(periods::PAY_RUNS_PARAMETERS)
            .for_visible_companies(),
        route("/operator/v1/payruns/totals")
            .get(periods::get_pay_run_totals)
            .query(periods::PAY_RUN_TOTALS_PARAMETERS)
            .for_visible_companies(),
    ];
    routes.map(|route| route.in_area(PermissionArea::Payroll)).into()
}

/// Returns the paths for diagnosis, health and search.
fn server_routes() -> Vec<Route<OperatorHandler>> {
    vec![
        route("/operator/v1/diagnosis").get(health::run_diagnosis),
        route("/operator/v1/health").get(health::get_health),
        route("/operator/v1/search")
            .get(search::search_objects)
            .query(search::PARAMETERS)
            .for_visible_companies(),
    ]
}

/// Returns the paths of the workers of companies.
fn worker_routes() -> Vec<Route<OperatorHandler>> {
    use ResourceKind::Worker;
    let routes = [
        route("/operator/v1/companies/{companyId}/workers")
            .get(lists::list_workers)
            .query(lists::WORKER_PARAMETERS)
            .with_object_creation(Worker),
        route("/operator/v1/companies/{companyId}/workerchanges")
            .post(worker_changes::change_workers)
            .query(worker_changes::PARAMETERS),
        route("/operator/v1/companies/{companyId}/workers/{workerId}").with_object_operations(Worker),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/reveal-taxid")
            .post(disclosures::reveal_worker_tax_id),
    ];
    routes.map(|route| route.in_area(PermissionArea::Payroll)).into()
}

/// Returns the paths of the lists of workers, such as contacts, and of their files.
fn worker_detail_routes() -> Vec<Route<OperatorHandler>> {
    let routes = [
        route("/operator/v1/companies/{companyId}/workers/{workerId}/payrates").with_worker_list::<PayRate>(),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/payrates/{rateId}")
            .with_worker_list_element::<PayRate>(),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/recurringcomponents")
            .with_worker_list::<RecurringComponent>(),
        route(
            "/operator/v1/companies/{companyId}/workers/{workerId}/recurringcomponents/{workerComponentId}",
        )
        .with_worker_list_element::<RecurringComponent>(),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits")
            .with_worker_list::<DirectDeposit>(),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits/{directDepositId}")
            .with_worker_list_element::<DirectDeposit>(),
        route(
            "/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits/{directDepositId}/approve",
        )
        .post(deposit_requests::approve),
        route(
            "/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits/{directDepositId}/refuse",
        )
        .post(deposit_requests::reject),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/customfields")
            .with_worker_list::<WorkerCustomField>(),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/customfields/{workerCustomFieldId}")
            .with_worker_list_element::<WorkerCustomField>(),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/contacts")
            .with_worker_list::<WorkerContact>(),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/contacts/{contactId}")
            .with_worker_list_element::<WorkerContact>(),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/documents")
            .get(documents::list)
            .query(page::PARAMETERS)
            .post(documents::add),
        route("/operator/v1/companies/{companyId}/workers/{workerId}/documents/{documentId}")
            .get(documents::download_content)
            .delete(documents::delete),
    ];
    routes.map(|route| route.in_area(PermissionArea::WorkerDetails)).into()
}

/// Returns the paths of applications, keys and sessions.
fn access_routes() -> Vec<Route<OperatorHandler>> {
    vec![
        route("/operator/v1/applications")
            .get(applications::list)
            .query(page::PARAMETERS)
            .post(applications::create),
        route("/operator/v1/applications/{applicationId}")
            .get(applications::get_application)
            .put(applications::replace)
            .patch(applications::patch)
            .delete(applications::delete),
        route("/operator/v1/applications/{applicationId}/secrets")
            .get(secrets::list)
            .query(page::PARAMETERS)
            .post(secrets::create),
        route("/operator/v1/applications/{applicationId}/secrets/{secretId}")
            .get(secrets::get_secret)
            .delete(secrets::delete),
        route("/operator/v1/applications/{applicationId}/grants").get(grants::list).query(page::PARAMETERS),
        route("/operator/v1/applications/{applicationId}/grants/{companyId}")
            .get(grants::get_grant)
            .put(grants::put_grant)
            .delete(grants::delete),
        route("/operator/v1/applications/{applicationId}/requests")
            .get(requests::list)
            .query(crate::shared::requests::PARAMETERS),
        route("/operator/v1/applications/{applicationId}/requests/{requestId}").get(requests::get_request),
        route("/operator/v1/accessrequests").get(access_requests::list).query(page::PARAMETERS),
        route("/operator/v1/accessrequests/{accessRequest}").get(access_requests::get_access_request),
        route("/operator/v1/accessrequests/{accessRequest}/approve").post(access_requests::approve),
        route("/operator/v1/accessrequests/{accessRequest}/refuse").post(access_requests::reject),
        route("/operator/v1/keys").get(keys::list).query(page::PARAMETERS).post(keys::create),
        route("/operator/v1/keys/{keyId}").get(keys::get_key).delete(keys::delete),
        route("/operator/v1/sessions")
            .get(sessions::list)
            .query(page::PARAMETERS)
            .post(sessions::create)
            .for_own_session(),
        route("/operator/v1/sessions/current")
            .get(sessions::get_current_session)
            .for_own_session()
            .delete(sessions::sign_out)
            .for_own_session(),
        route("/operator/v1/sessions/{sessionId}").get(sessions::get_session).delete(sessions::delete),
    ]
}

/// Returns the paths of the hooks of all applications.
fn hook_routes() -> Vec<Route<OperatorHandler>> {
    vec![
        route("/operator/v1/hooks").get(hooks::list).query(hooks::PARAMETERS),
        route("/operator/v1/hooks/summary").get(hooks::show_queue_summary),
        route("/operator/v1/applications/{applicationId}/hooks/{hookId}").get(hooks::get_hook),
        route("/operator/v1/applications/{applicationId}/hooks/{hookId}/enable").post(hooks::enable),
        route("/operator/v1/applications/{applicationId}/hooks/{hookId}/disable").post(hooks::disable),
        route("/operator/v1/applications/{applicationId}/hooks/{hookId}/test")
            .post(deliveries::queue_test_notification)
            .in_area(PermissionArea::Deliveries),
        route("/operator/v1/applications/{applicationId}/hooks/{hookId}/replay")
            .post(deliveries::replay_deliveries)
            .in_area(PermissionArea::Deliveries),
        route("/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries")
            .get(deliveries::list)
            .query(crate::shared::deliveries::PARAMETERS),
        route("/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries/{deliveryId}")
            .get(deliveries::get_delivery),
        route("/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries/{deliveryId}/replay")
            .post(deliveries::replay)
            .in_area(PermissionArea::Deliveries),
    ]
}

/// Returns the paths of the controls of a sandbox.
fn sandbox_only_routes() -> Vec<Route<OperatorHandler>> {
    vec![
        route("/operator/v1/sandbox/clock")
            .get(sandbox::show_clock)
            .put(sandbox::set_clock)
            .delete(sandbox::release_clock),
        route("/operator/v1/sandbox/reset").post(sandbox::reset_sandbox),
        route("/operator/v1/sandbox/triggers").post(sandbox::trigger_event),
    ]
}

/// The properties of an operator operation, for other modules and crates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorRoute {
    /// The method of the operation.
    pub method: &'static str,
    /// The path, with parameter names in braces.
    pub path: &'static str,
    /// Whether the operation writes.
    pub writes: bool,
    /// The roles that may call the operation.
    pub roles: &'static [OperatorRole],
    /// Whether keys that are restricted to companies may call the operation.
    pub is_for_restricted: bool,
    /// The names of the query parameters.
    pub parameters: &'static [&'static str],
}

/// Returns all operations of operators, except those that only a sandbox has. Tests and generators of
/// documents use this list to cover each operation.
#[must_use]
pub fn operator_routes() -> Vec<OperatorRoute> {
    described_routes(operator_route_table(false).routes())
}

/// Returns the operations that only a sandbox has.
#[must_use]
pub fn sandbox_routes() -> Vec<OperatorRoute> {
    described_routes(&sandbox_only_routes())
}

fn described_routes(routes: &[Route<OperatorHandler>]) -> Vec<OperatorRoute> {
    let of_route = |route: &Route<OperatorHandler>| {
        let path = route.path();
        let info = |operation: &RouteMethod<OperatorHandler>| OperatorRoute {
            method: operation.method,
            path,
            writes: operation.handler.writes,
            roles: operation.handler.roles(),
            is_for_restricted: operation.handler.restriction != CompanyRestriction::Server,
            parameters: operation.parameters,
        };
        route.operations().iter().map(info).collect::<Vec<_>>()
    };
    routes.iter().flat_map(of_route).collect()
}
