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
use self::handlers::Handler;
use self::lists::ConfigurationList;
use self::worker_parts::{compensation, direct_deposits, read_only, recurring_components};
use crate::partner::parts::{PartCall, PartnerPart};
use crate::partner::writing;
use crate::shared::lookup::{self, LookupListSpec, PartnerOperations};
use crate::shared::objects::parts;
use crate::shared::route_table::{Operation, Route, RouteTable, path};
use crate::shared::{company_filter, feed, page};

/// Returns the table of all paths of partners.
pub(crate) fn table() -> RouteTable<Handler> {
    use Scope::WritePayroll;
    let mut routes = vec![
        path(token::PATH).open_post(token::issue),
        path("/checks").delete(WritePayroll, checks::remove_own).query(checks::REMOVAL_PARAMETERS).personal(),
    ];
    routes.extend(company_routes());
    routes.extend(lookup::all().flat_map(|(kind, family)| lookup_routes(kind, family)));
    routes.extend(management_routes());
    routes.extend(worker_routes());
    routes.extend(pay_routes());
    routes.extend(personal_data_routes());
    routes.extend(file_routes());
    RouteTable::new(routes)
}

/// Returns the paths of companies, their lists, and their checks.
fn company_routes() -> Vec<Route<Handler>> {
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
            .post(WritePayroll, checks::add)
            .query(writing::PARAMETERS)
            .personal(),
        // This list has no pages. It accepts the parameters because some clients send them for every list.
        path("/companies/{companyId}/contacttypes")
            .get_without_404(ReadCompanies, lists::contact_types)
            .query(page::PARAMETERS),
        path("/companies/{companyId}/customfields")
            .lists(ReadCompanies, lists::CUSTOM_FIELDS)
            .creates::<CustomField>(WriteCompanies),
        path("/companies/{companyId}/customfields/{customFieldId}")
            .serves_object::<CustomField>(ReadCompanies, WriteCompanies),
        path("/companies/{companyId}/customfieldscategories")
            .lists(ReadCompanies, lists::CATEGORIES)
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
        path("/companies/{companyId}/statetaxes").get(ReadPayroll, companies::state_taxes),
        path("/companies/{companyId}/workers")
            .get(ReadWorkers, workers::list)
            .query(workers::PARAMETERS)
            .post(WriteWorkers, worker_creation::create)
            .query(writing::PARAMETERS)
            .personal(),
    ]
}

/// Returns the partners' paths of a lookup list.
fn lookup_routes(kind: LookupKind, family: &'static LookupListSpec) -> Vec<Route<Handler>> {
    let (list, parameters) = (ConfigurationList::lookup(kind), lists::lookup_parameters(family.filter));
    let path_of_list = path(family.paths.list);
    let list = match family.unknown_company_is_403 {
        true => path_of_list.get_without_404(family.scope, move |call| lists::list(call, list)),
        false => path_of_list.get(family.scope, move |call| lists::list(call, list)),
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
                    .query(writing::PARAMETERS),
            ]
        }
    }
}

/// Returns the paths of notifications and of the application's own data.
fn management_routes() -> Vec<Route<Handler>> {
    use Scope::{ReadWebhooks, WriteWebhooks};
    vec![
        path("/management/domains").get(ReadWebhooks, management::domains),
        path("/management/events").get_by_any(events::list).query(feed::PARAMETERS),
        path("/management/hooks").get(ReadWebhooks, hooks::list).post(WriteWebhooks, hooks::register),
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
        path("/management/hooks/{hookId}/replay").post(WriteWebhooks, deliveries::replay_many),
        path("/management/hooks/{hookId}/rotate-secret").post(WriteWebhooks, hooks::rotate_secret),
        path("/management/hooks/{hookId}/test").post(WriteWebhooks, deliveries::test),
        path("/management/requestclientaccess").post_with_any_token(access::request_access).personal(),
        path("/management/requests").get_by_any(requests::list).query(crate::shared::requests::PARAMETERS),
        path("/management/requests/{requestId}").get_by_any(requests::get_request).personal(),
        path("/management/sourceaddresses").get(ReadWebhooks, management::source_addresses),
    ]
}

/// Returns the paths of workers and their communications.
fn worker_routes() -> Vec<Route<Handler>> {
    use Scope::{ReadPayroll, ReadWorkers, WritePayroll, WriteWorkers};
    vec![
        path("/checks/{checkId}/checkcomponents")
            .post(WritePayroll, checks::lines::add)
            .query(writing::PARAMETERS)
            .personal(),
        path("/checks/{checkId}/checkcomponents/{checkComponentId}")
            .patch(WritePayroll, checks::lines::patch)
            .query(writing::PARAMETERS)
            .delete(WritePayroll, checks::lines::delete)
            .query(writing::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/checks")
            .get(ReadPayroll, checks::list)
            .query(checks::PARAMETERS)
            .post(WritePayroll, checks::add_for_worker)
            .query(writing::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/checks/{paycheckId}")
            .get(ReadPayroll, checks::get_check)
            .delete(WritePayroll, checks::remove)
            .personal(),
        path("/workers/{workerId}")
            .get(ReadWorkers, workers::get_worker)
            .patch(WriteWorkers, worker_changes::patch)
            .query(writing::PARAMETERS)
            .delete(WriteWorkers, worker_changes::delete)
            .query(writing::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/communications")
            .get(ReadWorkers, worker_parts::communications)
            .query(page::PARAMETERS)
            .creates_part::<Communication>(WriteWorkers)
            .personal(),
        path("/workers/{workerId}/communications/{communicationId}")
            .serves_part::<Communication>(ReadWorkers, WriteWorkers)
            .personal(),
    ]
}

/// Returns the paths of the pay, bank accounts and taxes of workers.
fn pay_routes() -> Vec<Route<Handler>> {
    use Scope::{ReadDeposits, ReadPayroll, ReadTaxes, WriteDeposits, WritePayroll, WriteTaxes};
    vec![
        path("/workers/{workerId}/compensation").get(ReadPayroll, compensation::read_compensation).personal(),
        path("/workers/{workerId}/compensation/payrates")
            .get(ReadPayroll, worker_parts::pay_rates)
            .query(page::PARAMETERS)
            .creates_part::<PayRate>(WritePayroll)
            .personal(),
        path("/workers/{workerId}/compensation/payrates/{rateId}")
            .serves_part::<PayRate>(ReadPayroll, WritePayroll)
            .personal(),
        path("/workers/{workerId}/compensation/paystandards")
            .get(ReadPayroll, compensation::standards)
            .personal(),
        path("/workers/{workerId}/directdeposits")
            .get(ReadDeposits, direct_deposits::list)
            .query(direct_deposits::PARAMETERS)
            .creates_part::<DirectDeposit>(WriteDeposits)
            .patch(WriteDeposits, |call| {
                parts::patch_list(PartCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/directdeposits/{directDepositId}")
            .get(ReadDeposits, |call| {
                parts::get_one(PartCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(DirectDeposit::PARAMETERS)
            .patch(WriteDeposits, |call| {
                parts::patch(PartCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .delete(WriteDeposits, |call| {
                parts::delete(PartCall::<DirectDeposit>::new(call), DirectDeposit::LIST)
            })
            .query(direct_deposits::CHANGE_PARAMETERS)
            .personal(),
        path("/workers/{workerId}/federaltax")
            .get(ReadTaxes, worker_taxes::federal)
            .post(WriteTaxes, worker_taxes::replace_federal)
            .query(writing::PARAMETERS)
            .patch(WriteTaxes, worker_taxes::patch_federal)
            .query(writing::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/statetaxes")
            .get(ReadTaxes, worker_taxes::states::list)
            .patch(WriteTaxes, worker_taxes::states::patch)
            .query(writing::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/paycomponents")
            .get(ReadPayroll, recurring_components::list)
            .query(recurring_components::PARAMETERS)
            .creates_part::<RecurringComponent>(WritePayroll)
            .patch(WritePayroll, |call| {
                parts::patch_list(PartCall::<RecurringComponent>::new(call), RecurringComponent::LIST)
            })
            .query(writing::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/paycomponents/{workerComponentId}")
            .serves_part::<RecurringComponent>(ReadPayroll, WritePayroll)
            .personal(),
    ]
}

/// Returns the paths of other data of workers.
fn personal_data_routes() -> Vec<Route<Handler>> {
    use Scope::{ReadWorkers, WriteWorkers};
    vec![
        path("/workers/{workerId}/assignmentdistributions")
            .get(ReadWorkers, read_only::assignment_distributions)
            .query(page::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/i9status").get(ReadWorkers, read_only::i9_status).personal(),
        path("/workers/{workerId}/status")
            .get(ReadWorkers, read_only::statuses)
            .query(page::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/timeoff")
            .get(ReadWorkers, read_only::time_off)
            .query(page::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/contacts")
            .get(ReadWorkers, worker_parts::list::<WorkerContact>)
            .query(page::PARAMETERS)
            .creates_parts::<WorkerContact>(WriteWorkers)
            .personal(),
        path("/workers/{workerId}/contacts/{contactId}")
            .serves_part::<WorkerContact>(ReadWorkers, WriteWorkers)
            .personal(),
        path("/workers/{workerId}/customfields")
            .get(ReadWorkers, worker_parts::list::<WorkerCustomField>)
            .query(worker_parts::DATED_LIST_PARAMETERS)
            .creates_part::<WorkerCustomField>(WriteWorkers)
            .personal(),
        path("/workers/{workerId}/customfields/{workerCustomFieldId}")
            .serves_part::<WorkerCustomField>(ReadWorkers, WriteWorkers)
            .personal(),
    ]
}

/// Returns the paths of documents and profile images of workers.
fn file_routes() -> Vec<Route<Handler>> {
    use Scope::{ReadDocuments, WriteDocuments};
    vec![
        path("/workers/{workerId}/documents")
            .get(ReadDocuments, documents::list)
            .query(page::PARAMETERS)
            .post(WriteDocuments, documents::add)
            .query(writing::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/documents/{documentId}")
            .get(ReadDocuments, documents::download)
            .delete(WriteDocuments, documents::delete)
            .query(writing::PARAMETERS)
            .personal(),
        path("/workers/{workerId}/profileimage")
            .get(ReadDocuments, profile_image::show)
            .post(WriteDocuments, profile_image::set)
            .query(writing::PARAMETERS)
            .delete(WriteDocuments, profile_image::delete)
            .query(writing::PARAMETERS)
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
    let of_route = |route: &Route<Handler>| {
        let path = route.path();
        let info = |operation: &Operation<Handler>| RouteInfo {
            method: operation.method,
            path,
            token: operation.handler.takes_token(),
            scope: operation.handler.scope(),
            parameters: operation.parameters,
            personal: operation.personal,
        };
        route.operations().iter().map(info).collect::<Vec<_>>()
    };
    table().routes().iter().flat_map(of_route).collect()
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
