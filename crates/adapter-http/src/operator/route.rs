//! What a line of the table of paths may say: the methods of a path, and the operations on objects of a
//! kind and on lists of a worker. The table is in `routes`.

use std::future::Future;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use payroll_domain::operator_key::OperatorRole;
use payroll_domain::resource::ResourceKind;

use super::call::OperatorCall;
use super::permissions::{Area, Reach};
use super::{parts as lists_of_parts, resources};
use crate::shared::handled::Handled;
use crate::shared::objects::{Part, parts};
use crate::shared::page;
use crate::shared::route_table::Route;

/// The handler of an operation.
pub(crate) struct OperatorHandler {
    /// Whether the operation changes something.
    pub(crate) writes: bool,
    /// What it is about, which decides the roles that may call it.
    pub(crate) area: Area,
    /// What a key that is restricted to companies gets from it.
    pub(crate) reach: Reach,
    /// The function that handles requests.
    pub(crate) answer: Box<dyn Fn(OperatorCall) -> LocalBoxFuture<'static, Handled> + Send + Sync>,
}

impl OperatorHandler {
    /// The roles that may call it.
    pub(crate) const fn roles(&self) -> &'static [OperatorRole] {
        self.area.roles(self.writes)
    }
}

/// What is below it is of one company.
const ONE_COMPANY: &str = "/operator/v1/companies/{companyId}";

impl Route<OperatorHandler> {
    /// Handles GET, and HEAD with it.
    pub(super) fn get<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.answering("GET", handler)
    }

    /// Adds the handler of POST.
    pub(super) fn post<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.answering("POST", handler)
    }

    /// Adds the handler of PUT.
    pub(super) fn put<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.answering("PUT", handler)
    }

    /// Adds the handler of PATCH.
    pub(super) fn patch<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.answering("PATCH", handler)
    }

    /// Adds the handler of DELETE.
    pub(super) fn delete<F, A>(self, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.answering("DELETE", handler)
    }

    /// The same route, all of whose methods are about that.
    pub(super) fn about(self, area: Area) -> Self {
        self.change_each(|operation| operation.handler.area = area)
    }

    /// The same route, whose last method shows a restricted key what is of its companies.
    pub(super) fn filtered(self) -> Self {
        self.change_last(|operation| operation.handler.reach = Reach::Filtered)
    }

    /// The same route, whose last method is about the session of the caller alone: every key signs in and out.
    pub(super) fn of_caller(self) -> Self {
        self.change_last(|operation| {
            let handler = &mut operation.handler;
            (handler.writes, handler.area, handler.reach) = (false, Area::OwnSession, Reach::Caller);
        })
    }

    /// Adds the handler of a method; all but GET write.
    fn answering<F, A>(self, method: &'static str, handler: F) -> Self
    where
        F: Fn(OperatorCall) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        let answer = Box::new(move |call| handler(call).boxed_local());
        let reach = if self.path().starts_with(ONE_COMPANY) { Reach::Company } else { Reach::Server };
        let (writes, area) = (method != "GET", Area::Administration);
        self.with(method, OperatorHandler { writes, area, reach, answer })
    }

    /// The collection of a kind: GET and POST.
    pub(super) fn lists(self, kind: ResourceKind) -> Self {
        self.get(move |call| resources::list(call, kind)).query(page::PARAMETERS).makes(kind)
    }

    /// POST to the collection of a kind.
    pub(super) fn makes(self, kind: ResourceKind) -> Self {
        self.post(move |call| resources::create(call, kind))
    }

    /// One object of a kind: GET, PUT, PATCH and DELETE.
    pub(super) fn keeps(self, kind: ResourceKind) -> Self {
        self.get(move |call| resources::one(call, kind)).changes(kind)
    }

    /// Changes of one object of a kind: PUT, PATCH and DELETE.
    pub(super) fn changes(self, kind: ResourceKind) -> Self {
        self.put(move |call| resources::replace(call, kind))
            .patch(move |call| resources::patch(call, kind))
            .delete(move |call| resources::delete(call, kind))
    }

    /// A list of a worker: GET and POST.
    pub(super) fn lists_part(self, part: Part) -> Self {
        self.get(move |call| lists_of_parts::list(call, part))
            .query(page::PARAMETERS)
            .post(move |call| parts::create(call, part))
    }

    /// One element of a list of a worker: GET, PUT, PATCH and DELETE.
    pub(super) fn keeps_part(self, part: Part) -> Self {
        self.get(move |call| parts::one(call, part))
            .put(move |call| parts::replace(call, part))
            .patch(move |call| parts::patch(call, part))
            .delete(move |call| parts::delete(call, part))
    }
}
