//! What answers the operations of the table of partners' paths, and who may use them. The methods of
//! [`Route`] name the operations that many paths share.

use std::future::Future;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use payroll_domain::access::Scope;
use payroll_domain::code::Reason;

use super::company_objects::{self, CompanyObject};
use super::lists::{self, ShortList};
use crate::partner::call::Call;
use crate::partner::context::PartnerContext;
use crate::partner::parts::{PartCall, PartnerPart};
use crate::partner::writing;
use crate::shared::handled::Handled;
use crate::shared::incoming::Incoming;
use crate::shared::objects::parts;
use crate::shared::page;
use crate::shared::route_table::Route;

/// A handler of an operation that needs no token.
pub(crate) type OpenHandler =
    Box<dyn Fn(Arc<PartnerContext>, Incoming) -> LocalBoxFuture<'static, Handled> + Send + Sync>;
/// A handler of an operation that needs one.
pub(crate) type CallHandler = Box<dyn Fn(Call) -> LocalBoxFuture<'static, Handled> + Send + Sync>;

/// Who may use an operation, and what answers it.
pub(crate) enum Handler {
    /// Any caller.
    Open(OpenHandler),
    /// A caller with a token.
    ForCaller {
        /// The scope that it needs; `None`: any token will do.
        scope: Option<Scope>,
        /// The error when there is no such company.
        unknown_company: Reason,
        /// What answers.
        answer: CallHandler,
    },
}

impl Handler {
    pub(super) fn for_caller<F, A>(scope: Option<Scope>, unknown_company: Reason, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        let answer: CallHandler = Box::new(move |call| handler(call).boxed_local());
        Self::ForCaller { scope, unknown_company, answer }
    }

    pub(super) const fn scope(&self) -> Option<Scope> {
        match self {
            Self::Open(_) => None,
            Self::ForCaller { scope, .. } => *scope,
        }
    }

    pub(super) const fn takes_token(&self) -> bool {
        matches!(self, Self::ForCaller { .. })
    }
}

impl Route<Handler> {
    /// Answers GET, and HEAD with it, for callers with that scope.
    pub(super) fn get<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with("GET", Handler::for_caller(Some(scope), Reason::UnknownResource, handler))
    }

    /// Answers GET, and HEAD with it, for callers with any token.
    pub(super) fn get_by_any<F, A>(self, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with("GET", Handler::for_caller(None, Reason::UnknownResource, handler))
    }

    /// As [`Self::get`], but the response for a company that does not exist is that for one that the caller
    /// may not see: the specification gives these lists no 404.
    pub(super) fn get_without_404<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with("GET", Handler::for_caller(Some(scope), Reason::NotAuthorized, handler))
    }

    /// A short list, in pages, for callers with that scope.
    pub(super) fn lists(self, scope: Scope, list: ShortList) -> Self {
        self.get(scope, move |call| lists::list(call, list)).query(page::PARAMETERS)
    }

    /// Answers POST for callers with that scope.
    pub(super) fn post<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with("POST", Handler::for_caller(Some(scope), Reason::UnknownResource, handler))
    }

    /// POST of an object of a company.
    pub(super) fn creates<T: CompanyObject>(self, scope: Scope) -> Self {
        self.post(scope, company_objects::create::<T>).query(writing::PARAMETERS)
    }

    /// GET, PATCH and DELETE of an object of a company.
    pub(super) fn keeps<T: CompanyObject>(self, read: Scope, write: Scope) -> Self {
        self.get(read, company_objects::one::<T>)
            .patch(write, company_objects::patch::<T>)
            .query(writing::PARAMETERS)
            .delete(write, company_objects::delete::<T>)
            .query(writing::PARAMETERS)
    }

    /// POST of a part of a worker.
    /// POST of several parts of a worker at once.
    pub(super) fn creates_parts<T: PartnerPart>(self, scope: Scope) -> Self {
        self.post(scope, |call| parts::create_several(PartCall::<T>::new(call), T::PART))
            .query(writing::PARAMETERS)
    }

    pub(super) fn creates_part<T: PartnerPart>(self, scope: Scope) -> Self {
        self.post(scope, |call| parts::create(PartCall::<T>::new(call), T::PART)).query(writing::PARAMETERS)
    }

    /// GET, PATCH and DELETE of a part of a worker.
    pub(super) fn keeps_part<T: PartnerPart>(self, read: Scope, write: Scope) -> Self {
        self.get(read, |call| parts::one(PartCall::<T>::new(call), T::PART))
            .query(T::PARAMETERS)
            .patch(write, |call| parts::patch(PartCall::<T>::new(call), T::PART))
            .query(writing::PARAMETERS)
            .delete(write, |call| parts::delete(PartCall::<T>::new(call), T::PART))
            .query(writing::PARAMETERS)
    }

    /// Answers POST for callers with any token.
    pub(super) fn post_by_any<F, A>(self, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with("POST", Handler::for_caller(None, Reason::UnknownResource, handler))
    }

    /// Answers PATCH for callers with that scope.
    pub(super) fn patch<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with("PATCH", Handler::for_caller(Some(scope), Reason::UnknownResource, handler))
    }

    /// Answers DELETE for callers with that scope.
    pub(super) fn delete<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with("DELETE", Handler::for_caller(Some(scope), Reason::UnknownResource, handler))
    }

    /// Answers POST for any caller.
    pub(super) fn open_post<F, A>(self, handler: F) -> Self
    where
        F: Fn(Arc<PartnerContext>, Incoming) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        let answer: OpenHandler = Box::new(move |partner, incoming| handler(partner, incoming).boxed_local());
        self.with("POST", Handler::Open(answer))
    }
}
