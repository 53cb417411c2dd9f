//! The types of the rows in the table of lookup lists.

use payroll_domain::access::Scope;
use serde_json::Value;

/// One lookup list of the API, such as jobs or locations: a row in the table of lookup lists.
pub(crate) struct LookupListSpec {
    pub(crate) paths: LookupListPaths,
    pub(crate) id: LookupItemId,
    pub(crate) media_types: LookupMediaTypes,
    /// The scope that partners need to read the list.
    pub(crate) scope: Scope,
    /// The operations that partners have on a lookup list, in addition to reading the list.
    pub(crate) partners: PartnerOperations,
    /// The filter that partners can use when they read the lookup list.
    pub(crate) filter: LookupListFilter,
    /// The links in the member `links` of each element of the lookup list.
    pub(crate) links: ElementLinks,
    /// Whether the elements of the lookup list contain personal data. Caches then must not store responses.
    pub(crate) personal: bool,
    /// Whether an unknown company yields 403 instead of 404, like a company without a grant.
    pub(crate) unknown_company_is_403: bool,
    pub(crate) schemas: LookupSchemaNames,
    /// The OpenAPI ids of the operators' operations on the lookup list. Partners' operations use the same
    /// ids.
    pub(crate) operations: OperationTexts,
    /// The OpenAPI summaries of the operators' operations on the lookup list.
    pub(crate) summaries: OperationTexts,
    pub(crate) words: LookupListTexts,
    /// Examples for members that are texts: the name of each member, and its example.
    pub(crate) texts: &'static [(&'static str, &'static str)],
    /// Returns an example of a new element of the lookup list.
    pub(crate) example: fn() -> Value,
    /// Returns an example of a JSON merge patch for an element of the lookup list.
    pub(crate) patch: fn() -> Value,
}

/// The paths of a lookup list.
pub(crate) struct LookupListPaths {
    /// The last segment of the path of the lookup list, such as `jobs`.
    pub(crate) segment: &'static str,
    /// The path of the lookup list in the partner API.
    pub(crate) list: &'static str,
    /// The path of a single element in the partner API. This path is unused if partners cannot read a single
    /// element.
    pub(crate) one: &'static str,
    /// The path of the lookup list in the operator API.
    pub(crate) operator_list: &'static str,
    /// The path of a single element in the operator API.
    pub(crate) operator_one: &'static str,
}

/// The path parameter that contains the id of an element of a lookup list.
pub(crate) struct LookupItemId {
    pub(crate) name: &'static str,
    /// The description of the path parameter in the OpenAPI document: the element that the id identifies,
    /// such as `The job.`
    pub(crate) about: &'static str,
    /// The id of an element that the demo data contain.
    pub(crate) example: Option<&'static str>,
}

/// The resource names in the vendor media types of a lookup list, such as `payroll.calculationbases`.
/// `application/json` is always accepted too.
#[derive(Clone, Copy)]
pub(crate) struct LookupMediaTypes {
    /// The resource name in the media type of the lookup list.
    pub(crate) list: Option<&'static str>,
    /// The resource name in the media type of a single element.
    pub(crate) one: Option<&'static str>,
}

/// The operations that partners have on a lookup list, in addition to reading the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartnerOperations {
    /// Partners can only read the complete lookup list.
    List,
    /// Partners can also read a single element by its id.
    One,
    /// Partners can also read, create and change a single element.
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

/// The names of the OpenAPI schemas of an element of a lookup list.
#[derive(Clone, Copy)]
pub(crate) struct LookupSchemaNames {
    /// The schema of an element in a response.
    pub(crate) shown: &'static str,
    /// The schema of a complete element in a request.
    pub(crate) sent: &'static str,
    /// The schema of a merge patch for an element.
    pub(crate) patch: &'static str,
}

/// One text for each operation that operators have on a lookup list.
#[derive(Clone, Copy)]
pub(crate) struct OperationTexts {
    pub(crate) list: &'static str,
    pub(crate) create: &'static str,
    pub(crate) get: &'static str,
    pub(crate) replace: &'static str,
    pub(crate) change: &'static str,
    pub(crate) delete: &'static str,
}

/// The texts in the API description for the partners' operations on a lookup list.
pub(crate) struct LookupListTexts {
    /// The OpenAPI summary of the operation that reads the lookup list.
    pub(crate) list: &'static str,
    /// The OpenAPI description of the operation that reads the lookup list.
    pub(crate) about: &'static str,
    /// The OpenAPI description of the response with the lookup list.
    pub(crate) list_response: &'static str,
    /// The OpenAPI summary of the operation that reads a single element.
    pub(crate) one: &'static str,
}

impl OperationTexts {
    /// Returns the texts in the order of the operations: list, create, get, replace, change, delete.
    pub(crate) const fn to_array(self) -> [&'static str; 6] {
        [self.list, self.create, self.get, self.replace, self.change, self.delete]
    }
}

impl LookupSchemaNames {
    /// Returns the schema names in the order: response, request, patch.
    pub(crate) const fn to_array(self) -> [&'static str; 3] {
        [self.shown, self.sent, self.patch]
    }
}
