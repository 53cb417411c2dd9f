//! The columns of the table of lookup lists.

use payroll_domain::access::Scope;
use serde_json::Value;

/// A row of the table: the description of one lookup list in the API.
pub(crate) struct LookupListSpec {
    pub(crate) paths: LookupListPaths,
    pub(crate) id: LookupItemId,
    pub(crate) media_types: LookupMediaTypes,
    /// The scope that partners need to read the list.
    pub(crate) scope: Scope,
    /// The operations that partners have in addition to listing.
    pub(crate) partners: PartnerOperations,
    /// The filter of the partners' list.
    pub(crate) filter: LookupListFilter,
    /// The content of the member `links` of an element.
    pub(crate) links: ElementLinks,
    /// Whether the objects contain personal data. Caches then must not store responses.
    pub(crate) personal: bool,
    /// Whether an unknown company yields 403 instead of 404, like a company without a grant.
    pub(crate) unknown_company_is_403: bool,
    pub(crate) schemas: LookupSchemaNames,
    /// The ids of the operators' operations. Partners' operations use the same ids.
    pub(crate) operations: OperationTexts,
    /// The summaries of the operators' operations.
    pub(crate) summaries: OperationTexts,
    pub(crate) words: LookupListTexts,
    /// Examples of text members.
    pub(crate) texts: &'static [(&'static str, &'static str)],
    /// Returns an example of a new object.
    pub(crate) example: fn() -> Value,
    /// Returns an example of a JSON merge patch for an object.
    pub(crate) patch: fn() -> Value,
}

/// The paths of a lookup list.
pub(crate) struct LookupListPaths {
    /// The last segment of the path of the list.
    pub(crate) segment: &'static str,
    /// The path of the partners' list.
    pub(crate) list: &'static str,
    /// The path of one object for partners. This path is unused if partners cannot read a single object.
    pub(crate) one: &'static str,
    /// The path of the operators' list.
    pub(crate) operator_list: &'static str,
    /// The path of one object for operators.
    pub(crate) operator_one: &'static str,
}

/// The id of an object in paths.
pub(crate) struct LookupItemId {
    pub(crate) name: &'static str,
    /// The noun that the id identifies, for descriptions.
    pub(crate) about: &'static str,
    /// The id of an object in the demo data.
    pub(crate) example: Option<&'static str>,
}

/// The resource names in the vendor media types. `application/json` is always accepted too.
#[derive(Clone, Copy)]
pub(crate) struct LookupMediaTypes {
    /// The resource name of the list.
    pub(crate) list: Option<&'static str>,
    /// The resource name of one object.
    pub(crate) one: Option<&'static str>,
}

/// The operations that partners have in addition to listing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartnerOperations {
    /// Partners can only list objects.
    List,
    /// Partners can also read one object by its id.
    One,
    /// Partners can also read, create and change one object.
    Write,
}

/// The query parameters that filter the partners' list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LookupListFilter {
    /// The list has no filter.
    None,
    /// The list filters by the date on which objects are effective. The default is today.
    Day,
    /// The list filters by the pay frequency of the workers.
    PayFrequency,
}

/// The content of `links` in the elements of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementLinks {
    /// Elements have no member `links`.
    Absent,
    /// The list of links is empty, because elements have no URL of their own.
    Empty,
    /// The list contains one link, to the element itself.
    Own,
}

/// The names of the OpenAPI schemas of an object.
#[derive(Clone, Copy)]
pub(crate) struct LookupSchemaNames {
    /// The schema of an object in a response.
    pub(crate) shown: &'static str,
    /// The schema of an object in a request.
    pub(crate) sent: &'static str,
    /// The schema of a patch.
    pub(crate) patch: &'static str,
}

/// One text for each of the operators' operations.
#[derive(Clone, Copy)]
pub(crate) struct OperationTexts {
    pub(crate) list: &'static str,
    pub(crate) create: &'static str,
    pub(crate) get: &'static str,
    pub(crate) replace: &'static str,
    pub(crate) change: &'static str,
    pub(crate) delete: &'static str,
}

/// The texts in the description of the partners' operations.
pub(crate) struct LookupListTexts {
    /// The summary of the list operation.
    pub(crate) list: &'static str,
    /// The description of the list operation.
    pub(crate) about: &'static str,
    /// The description of the response with the list.
    pub(crate) list_response: &'static str,
    /// The summary of the operation that reads one object.
    pub(crate) one: &'static str,
}

impl OperationTexts {
    /// Returns the texts in the order of the operations: list, create, get, replace, change, delete.
    pub(crate) const fn all(self) -> [&'static str; 6] {
        [self.list, self.create, self.get, self.replace, self.change, self.delete]
    }
}

impl LookupSchemaNames {
    /// Returns the names in the order: response, request, patch.
    pub(crate) const fn all(self) -> [&'static str; 3] {
        [self.shown, self.sent, self.patch]
    }
}
