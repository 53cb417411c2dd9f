//! Matches paths to handlers. Other modules verify the permissions.
//!
//! The HTTP library does not match paths. Unusual paths (`//`, `%2e%2e`, `%2F`, NUL, invalid UTF-8) therefore
//! follow one set of rules. A path is first split at its slashes and then decoded. The fixed segments must
//! match exactly. A malformed id matches the route, but [`PathIds::get`] then returns `None`.

use actix_web::http::Method;
use actix_web::http::header::HeaderValue;
use payroll_domain::id::{CompanyId, Id};

use crate::shared::error::UnknownIdDescriptions;
use crate::shared::query::percent_decode;

/// A path with its methods. `H` is the type of the handlers.
pub(crate) struct Route<H> {
    path: &'static str,
    /// The segments of the path between its slashes.
    segments: Vec<&'static str>,
    operations: Vec<RouteMethod<H>>,
}

/// One method of a path, with its handler and the query parameters that it accepts.
pub(crate) struct RouteMethod<H> {
    pub(crate) method: &'static str,
    /// The handler of the method.
    pub(crate) handler: H,
    /// The names of the accepted query parameters.
    pub(crate) parameters: &'static [&'static str],
    /// Whether the responses of the operation contain personal data.
    pub(crate) personal: bool,
}

/// All routes of a listener.
pub(crate) struct RouteTable<H> {
    routes: Vec<Route<H>>,
}

/// The route that matches a path, and the ids in the path.
pub(crate) struct RouteMatch<'a, H> {
    pub(crate) route: &'a Route<H>,
    pub(crate) ids: PathIds,
}

/// The decoded ids of a path, by the parameter names that the route has in braces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PathIds(Vec<(&'static str, String)>);

/// Creates a route without methods.
pub(crate) fn route<H>(path: &'static str) -> Route<H> {
    Route { path, segments: path.split('/').collect(), operations: Vec::new() }
}

/// Returns the name in a segment in braces.
fn parameter_name(segment: &'static str) -> Option<&'static str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

impl<H> Route<H> {
    /// Adds a method to the route.
    pub(crate) fn with_method(mut self, method: &'static str, handler: H) -> Self {
        self.operations.push(RouteMethod { method, handler, parameters: &[], personal: false });
        self
    }

    /// Sets the accepted query parameters of the method that was added last.
    pub(crate) fn query(self, parameters: &'static [&'static str]) -> Self {
        self.change_last_operation(|operation| operation.parameters = parameters)
    }

    /// Changes the method that was added last.
    pub(crate) fn change_last_operation(mut self, change: impl FnOnce(&mut RouteMethod<H>)) -> Self {
        if let Some(last) = self.operations.last_mut() {
            change(last);
        }
        self
    }

    /// Changes each method of the route.
    pub(crate) fn change_each_operation(mut self, change: impl Fn(&mut RouteMethod<H>)) -> Self {
        self.operations.iter_mut().for_each(change);
        self
    }

    /// Marks the responses of all methods of the route as personal data (PII).
    pub(crate) fn with_pii(self) -> Self {
        self.change_each_operation(|operation| operation.personal = true)
    }

    pub(crate) const fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the methods of the route.
    pub(crate) fn operations(&self) -> &[RouteMethod<H>] {
        &self.operations
    }

    /// Returns the operation for a method. HEAD uses the operation of GET.
    pub(crate) fn operation(&self, method: &Method) -> Option<&RouteMethod<H>> {
        let method_name = if method == Method::HEAD { "GET" } else { method.as_str() };
        self.operations.iter().find(|operation| operation.method == method_name)
    }

    /// Returns the value of the header `Allow`.
    pub(crate) fn allow_header(&self) -> HeaderValue {
        let mut methods: Vec<&str> = self.operations.iter().map(|operation| operation.method).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.push("OPTIONS");
        methods.sort_unstable();
        // The text is always a valid header value, because it contains only method names and commas.
        HeaderValue::try_from(methods.join(", ")).unwrap_or_else(|_| HeaderValue::from_static("OPTIONS"))
    }

    /// Returns the error descriptions for an unknown id in this path; `None` if the path has no ids or does
    /// not match.
    pub(crate) fn unknown_descriptions_in(&self, path: &str) -> Option<UnknownIdDescriptions> {
        let segments: Vec<&str> = path.split('/').collect();
        if !self.is_match(&segments) {
            return None;
        }
        self.decode_ids(&segments).unknown_descriptions()
    }

    /// Whether the segments of a path match the route. The last segments are compared first, because they
    /// differ most.
    fn is_match(&self, segments: &[&str]) -> bool {
        let matches = |(expected, segment): (&&'static str, &&str)| match parameter_name(expected) {
            Some(_) => !segment.is_empty(),
            None => segment == expected,
        };
        self.segments.len() == segments.len() && self.segments.iter().zip(segments).rev().all(matches)
    }

    /// Returns the ids in the segments of a path that matches the route.
    fn decode_ids(&self, segments: &[&str]) -> PathIds {
        let ids = self.segments.iter().zip(segments).filter_map(|(expected, segment)| {
            parameter_name(expected).map(|name| (name, percent_decode(segment, false)))
        });
        PathIds(ids.collect())
    }
}

impl PathIds {
    /// Returns the id with this name; `None` if its text is malformed or the path has no such name.
    pub(crate) fn get<K>(&self, name: &str) -> Option<Id<K>> {
        self.0.iter().find(|(known, _)| *known == name)?.1.parse().ok()
    }

    /// Returns the error descriptions for an unknown last id and for an unknown company; `None` if there are
    /// no ids.
    fn unknown_descriptions(&self) -> Option<UnknownIdDescriptions> {
        let (last, before) = self.0.split_last()?;
        let company = before.iter().find(|(name, _)| *name == "companyId").or(before.first()).unwrap_or(last);
        let is_unknown = |id| format!("{} is not known", Self::describe_id(id));
        // In a path with an application and a company, neither object contains the other. Either of the two
        // ids may be the unknown one, so the description contains both.
        if let ([application @ ("applicationId", _)], ("companyId", _)) = (before, last) {
            let object = format!("{}, or {}", is_unknown(application), is_unknown(last));
            return Some(UnknownIdDescriptions { object, company: is_unknown(last) });
        }
        let within: String =
            before.iter().rev().map(|parent| format!(" in {}", Self::describe_id(parent))).collect();
        Some(UnknownIdDescriptions { object: is_unknown(last) + &within, company: is_unknown(company) })
    }

    /// Describes an id by its name and by the text that the client sent. The text of malformed ids and of
    /// secrets is omitted.
    fn describe_id((name, text): &(&'static str, String)) -> String {
        let is_id = name.ends_with("Id") && text.parse::<CompanyId>().is_ok();
        if is_id { format!("{name} {text}") } else { format!("the {name} in the path") }
    }

    /// Whether the path has an id with this name. The id may be malformed.
    pub(crate) fn has_id(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == name)
    }
}

impl<H> RouteTable<H> {
    pub(crate) const fn new(routes: Vec<Route<H>>) -> Self {
        Self { routes }
    }

    /// Returns all routes in their order.
    pub(crate) fn routes(&self) -> &[Route<H>] {
        &self.routes
    }

    /// Returns all paths, with parameter names in braces.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.routes.iter().map(Route::path)
    }

    /// Finds the route of a path.
    pub(crate) fn match_route(&self, path: &str) -> Option<RouteMatch<'_, H>> {
        let segments: Vec<&str> = path.split('/').collect();
        let route = self.routes.iter().find(|route| route.is_match(&segments))?;
        Some(RouteMatch { route, ids: route.decode_ids(&segments) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> RouteTable<()> {
        RouteTable::new(vec![
            route("/companies").with_method("POST", ()).with_method("GET", ()),
            route("/companies/{companyId}").with_method("PUT", ()).with_method("DELETE", ()),
            route("/companies/{companyId}/contacttypes").with_method("GET", ()),
        ])
    }

    /// Returns the route of a path and the company in it.
    fn find_route(path: &str) -> Option<(&'static str, Option<String>)> {
        let table = table();
        let RouteMatch { route, ids } = table.match_route(path)?;
        let malformed = || "(malformed)".to_owned();
        let company = ids.get("companyId").map_or_else(malformed, |id: CompanyId| id.to_string());
        Some((route.path(), ids.has_id("companyId").then_some(company)))
    }

    #[test]
    fn a_path_must_match_exactly() {
        assert_eq!(find_route("/companies"), Some(("/companies", None)));
        assert_eq!(find_route("/companies/A-1"), Some(("/companies/{companyId}", Some("A-1".to_owned()))));
        for path in [
            "",
            "/",
            "companies",
            "/Companies",
            "/companies/",
            "//companies",
            "/companies//contacttypes",
            "/companies/a/b",
        ] {
            assert_eq!(find_route(path), None, "{path:?}");
        }
    }

    #[test]
    fn ids_in_a_path_are_decoded_after_the_path_is_split() {
        let company = |text: &str| find_route(&format!("/companies/{text}")).unwrap().1.unwrap();
        assert_eq!(company("%41cme"), "Acme");
        for text in
            ["%2e%2e", "..", "a%2Fb", "a%00", "%", "%zz", "a%20b", "a+b", "%C3%A9", &"x".repeat(10_000)]
        {
            assert_eq!(company(text), "(malformed)", "{text}");
        }
        assert_eq!(find_route("/companies/%2e%2e/companies"), None);
    }

    #[test]
    fn a_route_lists_its_methods_in_alphabetical_order() {
        let table = table();
        let reported = |path: &str| table.match_route(path).unwrap().route.allow_header();
        assert_eq!(reported("/companies"), "GET, HEAD, OPTIONS, POST");
        assert_eq!(reported("/companies/a"), "DELETE, OPTIONS, PUT");
        let one = table.match_route("/companies/a").unwrap().route;
        assert!(one.operation(&Method::PUT).is_some() && one.operation(&Method::HEAD).is_none());
    }

    #[test]
    fn an_unknown_id_in_a_path_is_reported_as_sent() {
        let deep: Route<()> =
            route("/companies/{companyId}/workers/{workerId}/communications/{communicationId}");
        let reported = |path: &str| deep.unknown_descriptions_in(path).unwrap();
        let UnknownIdDescriptions { object: last, company } =
            reported("/companies/C-1/workers/W_2/communications/3");
        assert_eq!(last, "communicationId 3 is not known in workerId W_2 in companyId C-1");
        assert_eq!(company, "companyId C-1 is not known");
        let UnknownIdDescriptions { object: last, company } =
            reported("/companies/%3Cb%3E/workers/W/communications/%00");
        assert_eq!(
            last,
            "the communicationId in the path is not known in workerId W in the companyId in the path"
        );
        assert_eq!(company, "the companyId in the path is not known");
        let secret: Route<()> = route("/accessrequests/{request}");
        assert_eq!(
            secret.unknown_descriptions_in("/accessrequests/a").unwrap().object,
            "the request in the path is not known"
        );
        let grant: Route<()> = route("/applications/{applicationId}/grants/{companyId}");
        assert_eq!(
            grant.unknown_descriptions_in("/applications/A/grants/C").unwrap().object,
            "applicationId A is not known, or companyId C is not known"
        );
        assert_eq!(route::<()>("/companies").unknown_descriptions_in("/companies"), None);
    }
}
