//! The building blocks of the table of paths: the methods of a path, and the operations on objects of a kind
//! and on lists of a worker. The table is in `routes`.

use std::future::Future;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use payroll_domain::operator_key::OperatorRole;
use payroll_domain::resource::ResourceKind;
use payroll_domain::worker::WorkerPart;

use super::call::OperatorCall;
use super::permissions::{CompanyRestriction, PermissionArea};
use super::{parts as lists_of_parts, resources};
use crate::shared::handler_result::HandlerResult;
use crate::shared::objects::parts;
use crate::shared::page;
use crate::shared::route_table::Route;

/// The handler of an operation.
pub(crate) struct OperatorHandler {
    /// Whether the operation writes.
    pub(crate) writes: bool,
    /// The area of the operation, which determines the permitted roles.
    pub(crate) area: PermissionArea,
    /// Whether a key that is restricted to companies may call the operation, and for which companies.
    pub(crate) restriction: CompanyRestriction,
    /// The function that handles requests.
    pub(crate) handle: Box<dyn Fn(OperatorCall) -> LocalBoxFuture<'static, HandlerResult> + Send + Sync>,
}

impl OperatorHandler {
    /// Returns the roles that may call the operation.
    pub(crate) const fn roles(&self) -> &'static [OperatorRole] {
        self.area.roles(self.writes)
    }
}

/// The path prefix of operations that concern one company.
const COMPANY_PATH_PREFIX: &str = "/operator/v1/companies/{companyId}";

impl Route<OperatorHandler> {
    /// Adds the handler of GET and HEAD.
    pub(super) fn get<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_handler("GET", handler)
    }

    /// Adds the handler of POST.
    pub(super) fn post<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_handler("POST", handler)
    }

    /// Adds the handler of PUT.
    pub(super) fn put<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_handler("PUT", handler)
    }

    /// Adds the handler of PATCH.
    pub(super) fn patch<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_handler("PATCH", handler)
    }

    /// Adds the handler of DELETE.
    pub(super) fn delete<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_handler("DELETE", handler)
    }

    /// Sets the area of all methods of the route.
    pub(super) fn in_area(self, area: PermissionArea) -> Self {
        self.change_each_operation(|operation| operation.handler.area = area)
    }

    /// Declares that the operation that was added last covers several companies. The handler omits the
    /// companies that a restricted key cannot access.
    pub(super) fn for_visible_companies(self) -> Self {
        self.change_last_operation(|operation| {
            operation.handler.restriction = CompanyRestriction::VisibleCompanies
        })
    }

    /// Declares that the method added last concerns only the caller's session. Any key may use this method,
    /// so that every operator can sign in and out.
    pub(super) fn for_own_session(self) -> Self {
        self.change_last_operation(|operation| {
            let handler = &mut operation.handler;
            (handler.writes, handler.area, handler.restriction) =
                (false, PermissionArea::OwnSession, CompanyRestriction::Caller);
        })
    }

    /// Adds the handler of a method. All methods except GET count as writing.
    fn with_handler<F, A>(self, method: &'static str, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        let handle = Box::new(move |call| handler(call).boxed_local());
        let reach = if self.path().starts_with(COMPANY_PATH_PREFIX) {
            CompanyRestriction::Company
        } else {
            CompanyRestriction::Server
        };
        let (writes, area) = (method != "GET", PermissionArea::Administration);
        self.with_method(method, OperatorHandler { writes, area, restriction: reach, handle })
    }

    /// Adds GET and POST for the collection of a kind.
    pub(super) fn with_collection(self, kind: ResourceKind) -> Self {
        self.get(move |call| resources::list(call, kind)).query(page::PARAMETERS).with_object_creation(kind)
    }

    /// Adds POST for the collection of a kind.
    pub(super) fn with_object_creation(self, kind: ResourceKind) -> Self {
        self.post(move |call| resources::create(call, kind))
    }

    /// Adds GET, PUT, PATCH and DELETE for one object of a kind.
    pub(super) fn with_object_operations(self, kind: ResourceKind) -> Self {
        self.get(move |call| resources::get_object(call, kind)).with_object_changes(kind)
    }

    /// Adds PUT, PATCH and DELETE for one object of a kind.
    pub(super) fn with_object_changes(self, kind: ResourceKind) -> Self {
        self.put(move |call| resources::replace(call, kind))
            .patch(move |call| resources::patch(call, kind))
            .delete(move |call| resources::delete(call, kind))
    }

    /// Adds GET and POST for a list of a worker.
    pub(super) fn with_worker_list<T: WorkerPart>(self) -> Self {
        self.get(|call| lists_of_parts::list_elements(call, T::LIST))
            .query(page::PARAMETERS)
            .post(|call| parts::create_element(call, T::LIST))
    }

    /// Adds GET, PUT, PATCH and DELETE for one element of a worker's list.
    pub(super) fn with_worker_list_element<T: WorkerPart>(self) -> Self {
        self.get(|call| parts::get_element(call, T::LIST))
            .put(|call| parts::replace_element(call, T::LIST))
            .patch(|call| parts::patch_element(call, T::LIST))
            .delete(|call| parts::delete_element(call, T::LIST))
    }
}
