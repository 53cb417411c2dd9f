//! THE table of paths: what is not here is 404.
//!
//! Paths are matched here and not by the HTTP library, so that every odd one (`//`, `%2e%2e`,
//! `%2F`, a NUL, bytes that are no text) meets the same rules: a path is split at its slashes
//! first and decoded after, a name must fit to the letter, and what stands for an id is either a
//! well-formed id or the id of nothing.

pub(crate) mod checks;
pub(crate) mod companies;
pub(crate) mod custom_fields;
pub(crate) mod lists;
pub(crate) mod token;

use std::future::Future;

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::HeaderValue;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use payroll_domain::access::Scope;
use payroll_domain::code::Reason;

use crate::call::{Call, CompanyInPath};
use crate::error::Failure;
use crate::incoming::Incoming;
use crate::query::decode;

/// The table.
fn table() -> Vec<Route> {
    use Scope::{ReadCompanies, ReadPayroll, WriteCompanies, WritePayroll};
    vec![
        path("/auth/oauth/v2/token").open_post(token::create),
        path("/companies").get(ReadCompanies, companies::list),
        path("/companies/{companyId}").get(ReadCompanies, companies::one),
        path("/companies/{companyId}/calculationbases").get(ReadPayroll, lists::calculation_bases),
        path("/companies/{companyId}/checks").get(ReadPayroll, checks::list).post(WritePayroll, checks::add),
        path("/companies/{companyId}/contacttypes").get(ReadCompanies, lists::contact_types).without_404(),
        path("/companies/{companyId}/customemploymenttypes")
            .get(ReadCompanies, lists::custom_employment_types)
            .without_404(),
        path("/companies/{companyId}/customfields")
            .get(ReadCompanies, custom_fields::list)
            .post(WriteCompanies, custom_fields::add),
    ]
}

/// What a handler gives back.
pub(crate) type Handled = Result<HttpResponse, Failure>;
/// A handler of an operation that needs no token.
pub(crate) type OpenHandler = Box<dyn Fn(Incoming) -> LocalBoxFuture<'static, Handled> + Send + Sync>;
/// A handler of an operation that needs one.
pub(crate) type CallHandler = Box<dyn Fn(Call) -> LocalBoxFuture<'static, Handled> + Send + Sync>;

/// Who may use an operation, and what answers it.
pub(crate) enum Handler {
    /// Anybody.
    Open(OpenHandler),
    /// A caller with this scope.
    ForCaller(Scope, CallHandler),
}

impl Handler {
    const fn scope(&self) -> Option<Scope> {
        match self {
            Self::Open(_) => None,
            Self::ForCaller(scope, _) => Some(*scope),
        }
    }
}

/// One path with its methods.
pub(crate) struct Route {
    path: &'static str,
    handlers: Vec<(Method, Handler)>,
    unknown_company: Reason,
}

/// All routes of a server.
pub(crate) struct RouteTable {
    routes: Vec<Route>,
}

/// The route of a path, and the company that stands in it.
pub(crate) struct Found<'a> {
    pub(crate) route: &'a Route,
    pub(crate) company: Option<CompanyInPath>,
}

/// An operation as others see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteInfo {
    /// Its method.
    pub method: &'static str,
    /// Its path, with `{companyId}` where an id stands.
    pub path: &'static str,
    /// The scope that it needs; `None`: no token is needed.
    pub scope: Option<Scope>,
}

/// Every operation, for tests and documents that must not miss one.
#[must_use]
pub fn routes() -> Vec<RouteInfo> {
    let of_route = |route: Route| {
        let info = |(method, handler): &(Method, Handler)| {
            let method = if method == Method::GET { "GET" } else { "POST" };
            RouteInfo { method, path: route.path, scope: handler.scope() }
        };
        route.handlers.iter().map(info).collect::<Vec<_>>()
    };
    table().into_iter().flat_map(of_route).collect()
}

/// A route without a method so far.
const fn path(path: &'static str) -> Route {
    Route { path, handlers: Vec::new(), unknown_company: Reason::UnknownResource }
}

impl Route {
    /// Answers GET, and HEAD with it, for callers with that scope.
    fn get<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with(Method::GET, Handler::ForCaller(scope, Box::new(move |call| handler(call).boxed_local())))
    }

    /// Answers POST for callers with that scope.
    fn post<F, A>(self, scope: Scope, handler: F) -> Self
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with(Method::POST, Handler::ForCaller(scope, Box::new(move |call| handler(call).boxed_local())))
    }

    /// Answers POST for anybody.
    fn open_post<F, A>(self, handler: F) -> Self
    where
        F: Fn(Incoming) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with(Method::POST, Handler::Open(Box::new(move |incoming| handler(incoming).boxed_local())))
    }

    /// Tells of a company that does not exist that the caller may not see it: the specification
    /// gives these lists no 404.
    fn without_404(self) -> Self {
        Self { unknown_company: Reason::NotAuthorized, ..self }
    }

    fn with(mut self, method: Method, handler: Handler) -> Self {
        self.handlers.push((method, handler));
        self
    }

    pub(crate) const fn path(&self) -> &'static str {
        self.path
    }

    pub(crate) const fn unknown_company(&self) -> Reason {
        self.unknown_company
    }

    /// What answers a method; HEAD is answered as GET.
    pub(crate) fn handler(&self, method: &Method) -> Option<&Handler> {
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        self.handlers.iter().find(|(known, _)| known == wanted).map(|(_, handler)| handler)
    }

    /// The value of `Allow`.
    pub(crate) fn allow(&self) -> HeaderValue {
        let answers = |wanted: &Method| self.handlers.iter().any(|(method, _)| method == wanted);
        HeaderValue::from_static(match (answers(&Method::GET), answers(&Method::POST)) {
            (true, true) => "GET, HEAD, OPTIONS, POST",
            (true, false) => "GET, HEAD, OPTIONS",
            (false, true) => "OPTIONS, POST",
            (false, false) => "OPTIONS",
        })
    }

    /// The company in a path that fits the route, or `None` when it does not fit.
    fn fit(&self, path: &str) -> Option<Option<CompanyInPath>> {
        let mut company = None;
        let mut segments = path.split('/');
        for expected in self.path.split('/') {
            let segment = segments.next()?;
            if expected.starts_with('{') {
                company = Some(company_in(segment)?);
            } else if segment != expected {
                return None;
            }
        }
        segments.next().is_none().then_some(company)
    }
}

/// The company that a segment names; nothing stands for no company at all.
fn company_in(segment: &str) -> Option<CompanyInPath> {
    if segment.is_empty() {
        return None;
    }
    Some(decode(segment, false).parse().map_or(CompanyInPath::Malformed, CompanyInPath::Id))
}

impl RouteTable {
    pub(crate) fn new() -> Self {
        Self { routes: table() }
    }

    /// The route of a path.
    pub(crate) fn find(&self, path: &str) -> Option<Found<'_>> {
        self.routes.iter().find_map(|route| route.fit(path).map(|company| Found { route, company }))
    }
}

#[cfg(test)]
mod tests;
