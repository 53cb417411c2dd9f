//! The table of all paths of partners. Any other path is 404.

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
use crate::partner::parts::{ElementCall, PartnerListElement};
use crate::partner::writing;
use crate::shared::lookup::{self, LookupListSpec, PartnerOperations};
use crate::shared::objects::parts;
use crate::shared::route_table::{Route, RouteMethod, RouteTable, route};
use crate::shared::{company_filter, feed, page};

/// Returns the table of all paths of partners.
pub(crate) fn partner_route_table() -> RouteTable<PartnerHandler> {
    use Scope::WritePayroll;
    let mut routes = vec![
        route(token::TOKEN_PATH).post_without_token(token::issue_token),
        route("/checks")
            .delete(WritePayroll, checks::remove_own_checks)
            .query(checks::REMOVAL_PARAMETERS)
            .with_pii(),
    ];
    routes.extend(company_routes());
    routes.extend(lookup::all_lookup_lists().flat_map(|(kind, spec)| lookup_routes(kind, spec)));
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
        route("/companies").get(ReadCompanies, companies::list).query(company_filter::PARAMETERS).with_pii(),
        route("/companies/{companyId}")
            .get(ReadCompanies, companies::get_company)
            .query(&["includelineage"])
            .with_pii(),
        route("/companies/{companyId}/checks")
            .get(ReadPayroll, checks::list)
            .query(checks::PARAMETERS)
            .post(WritePayroll, checks::add_checks)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        // Some clients send page parameters for every list, so this list without pages accepts them.
        route("/companies/{companyId}/contacttypes")
            .get_without_404(ReadCompanies, lists::list_contact_types)
            .query(page::PARAMETERS),
        route("/companies/{companyId}/customfields")
            .with_configuration_list(ReadCompanies, lists::CUSTOM_FIELD_LIST)
            .with_object_creation::<CustomField>(WriteCompanies),
        route("/companies/{companyId}/customfields/{customFieldId}")
            .with_object_operations::<CustomField>(ReadCompanies, WriteCompanies),
        route("/companies/{companyId}/customfieldscategories")
            .with_configuration_list(ReadCompanies, lists::CATEGORY_LIST)
            .with_object_creation::<CustomFieldCategory>(WriteCompanies),
        route("/companies/{companyId}/customfieldscategories/{categoryId}")
            .with_object_operations::<CustomFieldCategory>(ReadCompanies, WriteCompanies),
        route("/companies/{companyId}/organizations")
            .get(ReadCompanies, organizations::list)
            .query(page::PARAMETERS),
        route("/companies/{companyId}/organizations/{organizationId}")
            .get(ReadCompanies, organizations::get_organization),
        route("/companies/{companyId}/paycomponents")
            .get(ReadPayroll, pay_components::list)
            .query(pay_components::PARAMETERS),
        route("/companies/{companyId}/paycomponents/{componentId}")
            .get(ReadPayroll, pay_components::get_pay_component),
        route("/companies/{companyId}/payperiods")
            .get(ReadPayroll, pay_periods::list)
            .query(pay_periods::PARAMETERS),
        route("/companies/{companyId}/payperiods/{payPeriodId}")
            .get(ReadPayroll, pay_periods::get_pay_period),
        route("/companies/{companyId}/statetaxes").get(ReadPayroll, companies::list_state_taxes),
        route("/companies/{companyId}/workers")
            .get(ReadWorkers, workers::list)
            .query(workers::PARAMETERS)
            .post(WriteWorkers, worker_creation::create_workers)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
    ]
}

/// Returns the partners' paths of a lookup list.
fn lookup_routes(kind: LookupKind, spec: &'static LookupListSpec) -> Vec<Route<PartnerHandler>> {
    let (list, parameters) = (ConfigurationList::for_lookup(kind), lists::lookup_parameters(spec.filter));
    let path_of_list = route(spec.paths.list);
    let list = match spec.unknown_company_is_403 {
        true => path_of_list.get_without_404(spec.scope, move |call| lists::list_objects(call, list)),
        false => path_of_list.get(spec.scope, move |call| lists::list_objects(call, list)),
    };
    let list = list.query(parameters);
    let list = if spec.personal { list.with_pii() } else { list };
    let one = || route(spec.paths.one).get(spec.scope, move |call| lists::get_lookup_item(call, kind));
    match spec.partners {
        PartnerOperations::List => vec![list],
        PartnerOperations::One => {
            vec![list, one().query(lists::lookup_item_parameters(spec.filter))]
        }
        // Jobs are the only lookup list that partners write.
        PartnerOperations::Write => {
            let one = one().query(lists::lookup_item_parameters(spec.filter));
            vec![
                list.with_object_creation::<CompanyJob>(Scope::WriteCompanies),
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
        route("/management/domains").get(ReadWebhooks, management::list_domains),
        route("/management/events").get_with_any_token(events::list).query(feed::PARAMETERS),
        route("/management/hooks").get(ReadWebhooks, hooks::list).post(WriteWebhooks, hooks::register_hook),
        route("/management/hooks/{hookId}")
            .get(ReadWebhooks, hooks::get_hook)
            .patch(WriteWebhooks, hooks::change)
            .delete(WriteWebhooks, hooks::remove),
        route("/management/hooks/{hookId}/deliveries")
            .get(ReadWebhooks, deliveries::list)
            .query(crate::shared::deliveries::PARAMETERS),
        route("/management/hooks/{hookId}/deliveries/{deliveryId}")
            .get(ReadWebhooks, deliveries::get_delivery),
        route("/management/hooks/{hookId}/deliveries/{deliveryId}/replay")
            .post(WriteWebhooks, deliveries::replay),
        route("/management/hooks/{hookId}/enable").post(WriteWebhooks, hooks::enable),
        route("/management/hooks/{hookId}/replay").post(WriteWebhooks, deliveries::replay_deliveries),
        route("/management/hooks/{hookId}/rotate-secret").post(WriteWebhooks, hooks::rotate_secret),
        route("/management/hooks/{hookId}/test").post(WriteWebhooks, deliveries::queue_test_notification),
        route("/management/requestclientaccess").post_with_any_token(access::request_access).with_pii(),
        route("/management/requests")
            .get_with_any_token(requests::list)
            .query(crate::shared::requests::PARAMETERS),
        route("/management/requests/{requestId}").get_with_any_token(requests::get_request).with_pii(),
        route("/management/sourceaddresses").get(ReadWebhooks, management::show_source_addresses),
    ]
}

/// Returns the paths of workers and their communications.
fn worker_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadPayroll, ReadWorkers, WritePayroll, WriteWorkers};
    vec![
        route("/checks/{checkId}/checkcomponents")
            .post(WritePayroll, checks::lines::add_line)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/checks/{checkId}/checkcomponents/{checkComponentId}")
            .patch(WritePayroll, checks::lines::patch_line)
            .query(writing::WRITE_PARAMETERS)
            .delete(WritePayroll, checks::lines::delete_line)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/checks")
            .get(ReadPayroll, checks::list)
            .query(checks::PARAMETERS)
            .post(WritePayroll, checks::add_for_worker)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/checks/{paycheckId}")
            .get(ReadPayroll, checks::get_check)
            .delete(WritePayroll, checks::remove_check)
            .with_pii(),
        route("/workers/{workerId}")
            .get(ReadWorkers, workers::get_worker)
            .patch(WriteWorkers, worker_changes::patch_worker)
            .query(writing::WRITE_PARAMETERS)
            .delete(WriteWorkers, worker_changes::delete_worker)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/communications")
            .get(ReadWorkers, worker_parts::list_communications)
            .query(page::PARAMETERS)
            .with_element_creation::<Communication>(WriteWorkers)
            .with_pii(),
        route("/workers/{workerId}/communications/{communicationId}")
            .with_element_operations::<Communication>(ReadWorkers, WriteWorkers)
            .with_pii(),
    ]
}

/// Returns the paths of the pay, bank accounts and taxes of workers.
fn pay_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadDeposits, ReadPayroll, ReadTaxes, WriteDeposits, WritePayroll, WriteTaxes};
    vec![
        route("/workers/{workerId}/compensation")
            .get(ReadPayroll, compensation::read_compensation)
            .with_pii(),
        route("/workers/{workerId}/compensation/payrates")
            .get(ReadPayroll, worker_parts::list_pay_rates)
            .query(page::PARAMETERS)
            .with_element_creation::<PayRate>(WritePayroll)
            .with_pii(),
        route("/workers/{workerId}/compensation/payrates/{rateId}")
            .with_element_operations::<PayRate>(ReadPayroll, WritePayroll)
            .with_pii(),
        route("/workers/{workerId}/compensation/paystandards")
            .get(ReadPayroll, compensation::get_pay_standards)
            .with_pii(),
        route("/workers/{workerId}/directdeposits")
            .get(ReadDeposits, direct_deposits::list)
            .query(direct_deposits::LIST_PARAMETERS)
            .with_element_creation::<DirectDeposit>(WriteDeposits)
            .patch(WriteDeposits, |call| {
                parts::patch_list(ElementCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/directdeposits/{directDepositId}")
            .get(ReadDeposits, |call| {
                parts::get_element(ElementCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(DirectDeposit::PARAMETERS)
            .patch(WriteDeposits, |call| {
                parts::patch_element(ElementCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .delete(WriteDeposits, |call| {
                parts::delete_element(ElementCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/federaltax")
            .get(ReadTaxes, worker_taxes::get_federal_tax)
            .post(WriteTaxes, worker_taxes::replace_federal_tax)
            .query(writing::WRITE_PARAMETERS)
            .patch(WriteTaxes, worker_taxes::patch_federal_tax)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/statetaxes")
            .get(ReadTaxes, worker_taxes::states::list_state_taxes)
            .patch(WriteTaxes, worker_taxes::states::patch_state_taxes)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/paycomponents")
            .get(ReadPayroll, recurring_components::list_components)
            .query(recurring_components::PARAMETERS)
            .with_element_creation::<RecurringComponent>(WritePayroll)
            .patch(WritePayroll, |call| {
                parts::patch_list(ElementCall::<RecurringComponent>::new(call), RecurringComponent::LIST)
            })
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/paycomponents/{workerComponentId}")
            .with_element_operations::<RecurringComponent>(ReadPayroll, WritePayroll)
            .with_pii(),
    ]
}

/// Returns the paths of other personal data of workers, such as contacts and time off.
fn personal_data_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadWorkers, WriteWorkers};
    vec![
        route("/workers/{workerId}/assignmentdistributions")
            .get(ReadWorkers, read_only::list_assignment_distributions)
            .query(page::PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/i9status").get(ReadWorkers, read_only::get_i9_status).with_pii(),
        route("/workers/{workerId}/status")
            .get(ReadWorkers, read_only::list_statuses)
            .query(page::PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/timeoff")
            .get(ReadWorkers, read_only::list_time_off)
            .query(page::PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/contacts")
            .get(ReadWorkers, worker_parts::list_elements_without_links::<WorkerContact>)
            .query(page::PARAMETERS)
            .with_bulk_element_creation::<WorkerContact>(WriteWorkers)
            .with_pii(),
        route("/workers/{workerId}/contacts/{contactId}")
            .with_element_operations::<WorkerContact>(ReadWorkers, WriteWorkers)
            .with_pii(),
        route("/workers/{workerId}/customfields")
            .get(ReadWorkers, worker_parts::list_elements_without_links::<WorkerCustomField>)
            .query(worker_parts::DATED_LIST_PARAMETERS)
            .with_element_creation::<WorkerCustomField>(WriteWorkers)
            .with_pii(),
        route("/workers/{workerId}/customfields/{workerCustomFieldId}")
            .with_element_operations::<WorkerCustomField>(ReadWorkers, WriteWorkers)
            .with_pii(),
    ]
}

/// Returns the paths of documents and profile images of workers.
fn file_routes() -> Vec<Route<PartnerHandler>> {
    use Scope::{ReadDocuments, WriteDocuments};
    vec![
        route("/workers/{workerId}/documents")
            .get(ReadDocuments, documents::list)
            .query(page::PARAMETERS)
            .post(WriteDocuments, documents::add)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/documents/{documentId}")
            .get(ReadDocuments, documents::download)
            .delete(WriteDocuments, documents::delete)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
        route("/workers/{workerId}/profileimage")
            .get(ReadDocuments, profile_image::get_image)
            .post(WriteDocuments, profile_image::set_image)
            .query(writing::WRITE_PARAMETERS)
            .delete(WriteDocuments, profile_image::delete)
            .query(writing::WRITE_PARAMETERS)
            .with_pii(),
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

/// Returns all operations of the partner API, so that tests and generated documents can cover each of them.
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
