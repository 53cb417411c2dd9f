//! The table of all paths of partners. Any other path is 404. `route_table` matches paths.

pub(crate) mod access;
pub(crate) mod checks;
pub(crate) mod companies;
pub(crate) mod company_objects;
pub(crate) mod deliveries;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod handlers;
pub(crate) mod hooks;
pub(crate) mod lists;
pub(crate) mod management;
pub(crate) mod organizations;
pub(crate) mod pay_components;
pub(crate) mod pay_periods;
pub(crate) mod requests;
pub(crate) mod token;
mod worker_changes;
mod worker_creation;
pub(crate) mod worker_parts;
mod worker_taxes;
pub(crate) mod workers;

use payroll_domain::access::Scope;
use payroll_domain::company::Communication;
use payroll_domain::custom_field::{CustomField, CustomFieldCategory};
use payroll_domain::lookup::{CompanyJob, LookupKind};
use payroll_domain::worker::{
    DirectDeposit, PayRate, RecurringComponent, WorkerContact, WorkerCustomField, WorkerPart,
};

use self::files::{documents, profile_image};
use self::handlers::PartnerHandler;
use self::lists::ConfigurationList;
use self::worker_parts::{compensation, direct_deposits, read_only, recurring_components};
use crate::partner::parts::{PartCall, PartnerPart};
use crate::partner::writing;
use crate::shared::lookup::{self, LookupListSpec, PartnerOperations};
use crate::shared::objects::parts;
use crate::shared::route_table::{Route, RouteMethod, RouteTable, path};
use crate::shared::{company_filter, feed, page};

/// Returns the table of all paths of partners.
pub(crate) fn partner_route_table() -> RouteTable<PartnerHandler> {
    use Scope::WritePayroll;
    let mut routes = vec![
        path(token::TOKEN_PATH).open_post(token::issue_token),
        path("/checks")
            .delete(WritePayroll, checks::remove_own_checks)
            .query(checks::REMOVAL_PARAMETERS)
            .personal(),
    ];
    routes.extend(company_routes());
    routes.extend(lookup::all_families().flat_map(|(kind, family)| lookup_routes(kind, family)));
    routes.extend(management_routes());
    routes.extend(worker_routes());
    routes.extend(pay_routes());
    routes.extend(personal_data_routes());
    routes.extend(file_routes());
    RouteTable::new(routes)
}

/// Returns the paths of companies, their lists, and their checks.
fn company_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadCompanies, ReadPayroll, ReadWorkers, WriteCompanies, WritePayroll, WriteWorkers};
    vec![
        path("/companies").get(ReadCompanies, companies::list).query(company_filter::PARAMETERS).personal(),
        path("/companies/{companyId}")
            .get(ReadCompanies, companies::get_company)
            .query(&["includelineage"])
            .personal(),
        path("/companies/{companyId}/checks")
            .get(ReadPayroll, checks::list)
            .query(checks::PARAMETERS)
            .post(WritePayroll, checks::add_checks)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        // This list has no pages. It accepts the parameters because some clients send them for every list.
        path("/companies/{companyId}/contacttypes")
            .get_without_404(ReadCompanies, lists::list_contact_types)
            .query(page::PARAMETERS),
        path("/companies/{companyId}/customfields")
            .lists(ReadCompanies, lists::CUSTOM_FIELD_LIST)
            .creates::<CustomField>(WriteCompanies),
        path("/companies/{companyId}/customfields/{customFieldId}")
            .serves_object::<CustomField>(ReadCompanies, WriteCompanies),
        path("/companies/{companyId}/customfieldscategories")
            .lists(ReadCompanies, lists::CATEGORY_LIST)
            .creates::<CustomFieldCategory>(WriteCompanies),
        path("/companies/{companyId}/customfieldscategories/{categoryId}")
            .serves_object::<CustomFieldCategory>(ReadCompanies, WriteCompanies),
        path("/companies/{companyId}/organizations")
            .get(ReadCompanies, organizations::list)
            .query(page::PARAMETERS),
        path("/companies/{companyId}/organizations/{organizationId}")
            .get(ReadCompanies, organizations::get_organization),
        path("/companies/{companyId}/paycomponents")
            .get(ReadPayroll, pay_components::list)
            .query(pay_components::PARAMETERS),
        path("/companies/{companyId}/paycomponents/{componentId}")
            .get(ReadPayroll, pay_components::get_pay_component),
        path("/companies/{companyId}/payperiods")
            .get(ReadPayroll, pay_periods::list)
            .query(pay_periods::PARAMETERS),
        path("/companies/{companyId}/payperiods/{payPeriodId}").get(ReadPayroll, pay_periods::get_pay_period),
        path("/companies/{companyId}/statetaxes").get(ReadPayroll, companies::list_state_taxes),
        path("/companies/{companyId}/workers")
            .get(ReadWorkers, workers::list)
            .query(workers::PARAMETERS)
            .post(WriteWorkers, worker_creation::create_workers)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
    ]
}

/// Returns the partners' paths of a lookup list.
fn lookup_routes(kind: LookupKind, family: &'static LookupListSpec) -> Vec<Route<PartnerHandler>> {
    let (list, parameters) = (ConfigurationList::for_lookup(kind), lists::lookup_parameters(family.filter));
    let path_of_list = path(family.paths.list);
    let list = match family.unknown_company_is_403 {
        true => path_of_list.get_without_404(family.scope, move |call| lists::list_objects(call, list)),
        false => path_of_list.get(family.scope, move |call| lists::list_objects(call, list)),
    };
    let list = list.query(parameters);
    let list = if family.personal { list.personal() } else { list };
    match family.partners {
        PartnerOperations::List => vec![list],
        PartnerOperations::One => {
            let one =
                path(family.paths.one).get(family.scope, move |call| lists::get_lookup_item(call, kind));
            vec![list, one.query(lists::lookup_one_parameters(family.filter))]
        }
        // Jobs are the only lookup list that partners write.
        PartnerOperations::Write => {
            let one =
                path(family.paths.one).get(family.scope, move |call| lists::get_lookup_item(call, kind));
            let one = one.query(lists::lookup_one_parameters(family.filter));
            vec![
                list.creates::<CompanyJob>(Scope::WriteCompanies),
                one.patch(Scope::WriteCompanies, company_objects::patch::<CompanyJob>)
                    .query(writing::WRITE_PARAMETERS),
            ]
        }
    }
}

/// Returns the paths of notifications and of the application's own data.
fn management_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadWebhooks, WriteWebhooks};
    vec![
        path("/management/domains").get(ReadWebhooks, management::list_domains),
        path("/management/events").get_by_any(events::list).query(feed::PARAMETERS),
        path("/management/hooks").get(ReadWebhooks, hooks::list).post(WriteWebhooks, hooks::register_hook),
        path("/management/hooks/{hookId}")
            .get(ReadWebhooks, hooks::get_hook)
            .patch(WriteWebhooks, hooks::change)
            .delete(WriteWebhooks, hooks::remove),
        path("/management/hooks/{hookId}/deliveries")
            .get(ReadWebhooks, deliveries::list)
            .query(crate::shared::deliveries::PARAMETERS),
        path("/management/hooks/{hookId}/deliveries/{deliveryId}")
            .get(ReadWebhooks, deliveries::get_delivery),
        path("/management/hooks/{hookId}/deliveries/{deliveryId}/replay")
            .post(WriteWebhooks, deliveries::replay),
        path("/management/hooks/{hookId}/enable").post(WriteWebhooks, hooks::enable),
        path("/management/hooks/{hookId}/replay").post(WriteWebhooks, deliveries::replay_deliveries),
        path("/management/hooks/{hookId}/rotate-secret").post(WriteWebhooks, hooks::rotate_secret),
        path("/management/hooks/{hookId}/test").post(WriteWebhooks, deliveries::queue_test),
        path("/management/requestclientaccess").post_with_any_token(access::request_access).personal(),
        path("/management/requests").get_by_any(requests::list).query(crate::shared::requests::PARAMETERS),
        path("/management/requests/{requestId}").get_by_any(requests::get_request).personal(),
        path("/management/sourceaddresses").get(ReadWebhooks, management::show_source_addresses),
    ]
}

/// Returns the paths of workers and their communications.
fn worker_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadPayroll, ReadWorkers, WritePayroll, WriteWorkers};
    vec![
        path("/checks/{checkId}/checkcomponents")
            .post(WritePayroll, checks::lines::add_line)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/checks/{checkId}/checkcomponents/{checkComponentId}")
            .patch(WritePayroll, checks::lines::patch_line)
            .query(writing::WRITE_PARAMETERS)
            .delete(WritePayroll, checks::lines::delete_line)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/checks")
            .get(ReadPayroll, checks::list)
            .query(checks::PARAMETERS)
            .post(WritePayroll, checks::add_for_worker)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/checks/{paycheckId}")
            .get(ReadPayroll, checks::get_check)
            .delete(WritePayroll, checks::remove_check)
            .personal(),
        path("/workers/{workerId}")
            .get(ReadWorkers, workers::get_worker)
            .patch(WriteWorkers, worker_changes::patch_worker)
            .query(writing::WRITE_PARAMETERS)
            .delete(WriteWorkers, worker_changes::delete_worker)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/communications")
            .get(ReadWorkers, worker_parts::list_communications)
            .query(page::PARAMETERS)
            .creates_part::<Communication>(WriteWorkers)
            .personal(),
        path("/workers/{workerId}/communications/{communicationId}")
            .serves_part::<Communication>(ReadWorkers, WriteWorkers)
            .personal(),
    ]
}

/// Returns the paths of the pay, bank accounts and taxes of workers.
fn pay_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadDeposits, ReadPayroll, ReadTaxes, WriteDeposits, WritePayroll, WriteTaxes};
    vec![
        path("/workers/{workerId}/compensation").get(ReadPayroll, compensation::read_compensation).personal(),
        path("/workers/{workerId}/compensation/payrates")
            .get(ReadPayroll, worker_parts::list_pay_rates)
            .query(page::PARAMETERS)
            .creates_part::<PayRate>(WritePayroll)
            .personal(),
        path("/workers/{workerId}/compensation/payrates/{rateId}")
            .serves_part::<PayRate>(ReadPayroll, WritePayroll)
            .personal(),
        path("/workers/{workerId}/compensation/paystandards")
            .get(ReadPayroll, compensation::get_standards)
            .personal(),
        path("/workers/{workerId}/directdeposits")
            .get(ReadDeposits, direct_deposits::list)
            .query(direct_deposits::LIST_PARAMETERS)
            .creates_part::<DirectDeposit>(WriteDeposits)
            .patch(WriteDeposits, |call| {
                parts::patch_list(PartCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/directdeposits/{directDepositId}")
            .get(ReadDeposits, |call| {
                parts::get_element(PartCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(DirectDeposit::PARAMETERS)
            .patch(WriteDeposits, |call| {
                parts::patch_element(PartCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .delete(WriteDeposits, |call| {
                parts::delete_element(PartCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/federaltax")
            .get(ReadTaxes, worker_taxes::get_federal)
            .post(WriteTaxes, worker_taxes::replace_federal)
            .query(writing::WRITE_PARAMETERS)
            .patch(WriteTaxes, worker_taxes::patch_federal)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/statetaxes")
            .get(ReadTaxes, worker_taxes::states::list_states)
            .patch(WriteTaxes, worker_taxes::states::patch_states)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/paycomponents")
            .get(ReadPayroll, recurring_components::list_components)
            .query(recurring_components::PARAMETERS)
            .creates_part::<RecurringComponent>(WritePayroll)
            .patch(WritePayroll, |call| {
                parts::patch_list(PartCall::<RecurringComponent>::new(call), RecurringComponent::LIST)
            })
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/paycomponents/{workerComponentId}")
            .serves_part::<RecurringComponent>(ReadPayroll, WritePayroll)
            .personal(),
    ]
}

/// Returns the paths of other data of workers.
fn personal_data_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadWorkers, WriteWorkers};
    vec![
        path("/workers/{workerId}/assignmentdistributions")
            .get(ReadWorkers, read_only::list_assignment_distributions)
            .query(page::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/i9status").get(ReadWorkers, read_only::get_i9_status).personal(),
        path("/workers/{workerId}/status")
            .get(ReadWorkers, read_only::list_statuses)
            .query(page::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/timeoff")
            .get(ReadWorkers, read_only::list_time_off)
            .query(page::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/contacts")
            .get(ReadWorkers, worker_parts::list_parts::<WorkerContact>)
            .query(page::PARAMETERS)
            .creates_parts::<WorkerContact>(WriteWorkers)
            .personal(),
        path("/workers/{workerId}/contacts/{contactId}")
            .serves_part::<WorkerContact>(ReadWorkers, WriteWorkers)
            .personal(),
        path("/workers/{workerId}/customfields")
            .get(ReadWorkers, worker_parts::list_parts::<WorkerCustomField>)
            .query(worker_parts::DATED_LIST_PARAMETERS)
            .creates_part::<WorkerCustomField>(WriteWorkers)
            .personal(),
        path("/workers/{workerId}/customfields/{workerCustomFieldId}")
            .serves_part::<WorkerCustomField>(ReadWorkers, WriteWorkers)
            .personal(),
    ]
}

/// Returns the paths of documents and profile images of workers.
fn file_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadDocuments, WriteDocuments};
    vec![
        path("/workers/{workerId}/documents")
            .get(ReadDocuments, documents::list)
            .query(page::PARAMETERS)
            .post(WriteDocuments, documents::add)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/documents/{documentId}")
            .get(ReadDocuments, documents::download)
            .delete(WriteDocuments, documents::delete)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/profileimage")
            .get(ReadDocuments, profile_image::show_image)
            .post(WriteDocuments, profile_image::set_image)
            .query(writing::WRITE_PARAMETERS)
            .delete(WriteDocuments, profile_image::delete)
            .query(writing::WRITE_PARAMETERS)
            .personal(),
    ]
}

/// The properties of a partner operation, for other modules and crates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteInfo {
    /// The method of the operation.
    pub method: &'static str,
    /// The path, with parameter names such as `{companyId}` in braces.
    pub path: &'static str,
    /// Whether the operation needs a token.
    pub token: bool,
    /// The scope that the token must have, if any.
    pub scope: Option<Scope>,
    /// The names of the query parameters.
    pub parameters: &'static [&'static str],
    /// Whether the responses of the operation contain personal data.
    pub personal: bool,
}

/// Returns all operations of partners. Tests and generators of documents use it to cover each operation.
#[must_use]
pub fn routes() -> Vec<RouteInfo> {
    let of_route = |route: &Route<PartnerHandler>| {
        let path = route.path();
        let info = |operation: &RouteMethod<PartnerHandler>| RouteInfo {
            method: operation.method,
            path,
            token: operation.handler.requires_token(),
            scope: operation.handler.scope(),
            parameters: operation.parameters,
            personal: operation.personal,
        };
        route.operations().iter().map(info).collect::<Vec<_>>()
    };
    partner_route_table().routes().iter().flat_map(of_route).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_listed_once_with_its_scope() {
        let mut all = routes();
        let count = all.len();
        all.sort_by_key(|route| (route.path, route.method));
        all.dedup();
        assert_eq!(all.len(), count);
        for route in all {
            let kind = if route.method == "GET" { "read:" } else { "write:" };
            let fits = route.scope.is_none_or(|scope| scope.as_str().starts_with(kind));
            assert!(fits, "{route:?}");
        }
    }
}
