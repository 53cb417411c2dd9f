//! The handlers of partner operations and the permissions that they require. The methods of [`Route`] define
//! operations that many paths share.

use std::future::Future;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use payroll_domain::access::Scope;
use payroll_domain::code::Reason;

use super::company_objects::{self, CompanyObject};
use super::lists::{self, ConfigurationList};
use crate::partner::call::PartnerCall;
use crate::partner::context::PartnerContext;
use crate::partner::parts::{ElementCall, PartnerListElement};
use crate::partner::writing;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::objects::parts;
use crate::shared::page;
use crate::shared::route_table::Route;

/// A handler of an operation that needs no token.
pub(crate) type TokenlessHandler =
    Box<dyn Fn(Arc<PartnerContext>, IncomingRequest) -> LocalBoxFuture<'static, HandlerResult> + Send + Sync>;
/// A handler of an operation that needs a token.
pub(crate) type AuthenticatedHandler =
    Box<dyn Fn(PartnerCall) -> LocalBoxFuture<'static, HandlerResult> + Send + Sync>;

/// The handler of an operation, with the permission that it requires.
pub(crate) enum PartnerHandler {
    /// Any client may call the operation.
    Open(TokenlessHandler),
    /// A caller with a token may call the operation.
    ForCaller {
        /// The required scope; `None` accepts any token.
        scope: Option<Scope>,
        /// The reason of the error for an unknown company.
        unknown_company: Reason,
        /// The function that handles requests.
        handle: AuthenticatedHandler,
    },
}

impl PartnerHandler {
    pub(super) fn for_caller<F, A>(scope: Option<Scope>, unknown_company: Reason, handler: F) -> Self
    where
        F: Fn(PartnerCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        let handle: AuthenticatedHandler = Box::new(move |call| handler(call).boxed_local());
        Self::ForCaller { scope, unknown_company, handle }
    }

    pub(super) const fn scope(&self) -> Option<Scope> {
        match self {
            Self::Open(_) => None,
            Self::ForCaller { scope, .. } => *scope,
        }
    }

    pub(super) const fn requires_token(&self) -> bool {
        matches!(self, Self::ForCaller { .. })
    }
}

impl Route<PartnerHandler> {
    /// Adds GET and HEAD for callers with this scope.
    pub(super) fn get<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(PartnerCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_method("GET", PartnerHandler::for_caller(Some(scope), Reason::UnknownResource, handler))
    }

    /// Adds GET and HEAD for callers with any token.
    pub(super) fn get_with_any_token<F, A>(self, handler: F) -> Self
    where
        F: Fn(PartnerCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_method("GET", PartnerHandler::for_caller(None, Reason::UnknownResource, handler))
    }

    /// Adds a GET like [`Self::get`], but an unknown company yields the same error as a company without a
    /// grant. The specification defines no 404 for these lists.
    pub(super) fn get_without_404<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(PartnerCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_method("GET", PartnerHandler::for_caller(Some(scope), Reason::NotAuthorized, handler))
    }

    /// Adds GET of a short list with pages, for callers with this scope.
    pub(super) fn with_configuration_list(self, scope: Scope, list: ConfigurationList) -> Self {
        self.get(scope, move |call| lists::list_objects(call, list)).query(page::PARAMETERS)
    }

    /// Adds POST for callers with this scope.
    pub(super) fn post<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(PartnerCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_method("POST", PartnerHandler::for_caller(Some(scope), Reason::UnknownResource, handler))
    }

    /// Adds POST that creates a company object.
    pub(super) fn with_object_creation<T: CompanyObject>(self, scope: Scope) -> Self {
        self.post(scope, company_objects::create::<T>).query(writing::WRITE_PARAMETERS)
    }

    /// Adds GET, PATCH and DELETE of a company object. `read` and `write` are the required scopes.
    pub(super) fn with_object_operations<T: CompanyObject>(self, read: Scope, write: Scope) -> Self {
        self.get(read, company_objects::get_object::<T>)
            .patch(write, company_objects::patch::<T>)
            .query(writing::WRITE_PARAMETERS)
            .delete(write, company_objects::delete::<T>)
            .query(writing::WRITE_PARAMETERS)
    }

    /// Adds POST that creates one or several elements of a worker's list.
    pub(super) fn with_bulk_element_creation<T: PartnerListElement>(self, scope: Scope) -> Self {
        self.post(scope, |call| parts::create_elements(ElementCall::<T>::new(call), T::LIST))
            .query(writing::WRITE_PARAMETERS)
    }

    pub(super) fn with_element_creation<T: PartnerListElement>(self, scope: Scope) -> Self {
        self.post(scope, |call| parts::create_element(ElementCall::<T>::new(call), T::LIST))
            .query(writing::WRITE_PARAMETERS)
    }

    /// Adds GET, PATCH and DELETE of an element of a worker's list. `read` and `write` are the required
    /// scopes.
    pub(super) fn with_element_operations<T: PartnerListElement>(self, read: Scope, write: Scope) -> Self {
        self.get(read, |call| parts::get_element(ElementCall::<T>::new(call), T::LIST))
            .query(T::PARAMETERS)
            .patch(write, |call| parts::patch_element(ElementCall::<T>::new(call), T::LIST))
            .query(writing::WRITE_PARAMETERS)
            .delete(write, |call| parts::delete_element(ElementCall::<T>::new(call), T::LIST))
            .query(writing::WRITE_PARAMETERS)
    }

    /// Adds POST for callers with any token.
    pub(super) fn post_with_any_token<F, A>(self, handler: F) -> Self
    where
        F: Fn(PartnerCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_method("POST", PartnerHandler::for_caller(None, Reason::UnknownResource, handler))
    }

    /// Adds PATCH for callers with this scope.
    pub(super) fn patch<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(PartnerCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_method("PATCH", PartnerHandler::for_caller(Some(scope), Reason::UnknownResource, handler))
    }

    /// Adds DELETE for callers with this scope.
    pub(super) fn delete<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(PartnerCall) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_method("DELETE", PartnerHandler::for_caller(Some(scope), Reason::UnknownResource, handler))
    }

    /// Adds POST for any client.
    pub(super) fn post_without_token<F, A>(self, handler: F) -> Self
    where
        F: Fn(Arc<PartnerContext>, IncomingRequest) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        let handle: TokenlessHandler =
            Box::new(move |partner, incoming| handler(partner, incoming).boxed_local());
        self.with_method("POST", PartnerHandler::Open(handle))
    }
}
