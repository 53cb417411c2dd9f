//! What a row of the table of plain lists consists of.

use payroll_domain::access::Scope;
use serde_json::Value;

/// What the interface says of the lists of a kind of plain objects.
pub(crate) struct Family {
    pub(crate) paths: FamilyPaths,
    pub(crate) id: FamilyId,
    pub(crate) media_types: FamilyTypes,
    /// The scope with which partners read.
    pub(crate) scope: Scope,
    /// What partners can do beyond listing the objects.
    pub(crate) partners: Partners,
    /// What the partners' list can be narrowed by.
    pub(crate) filter: FamilyFilter,
    /// The `links` of an element.
    pub(crate) links: ElementLinks,
    /// Whether the objects are about persons, so that caches on the way must not store them.
    pub(crate) personal: bool,
    /// A company that does not exist is 403 there, as one without a grant.
    pub(crate) without_404: bool,
    pub(crate) schemas: FamilySchemas,
    /// The ids of the operators' operations. Those of partners that do the same have the same.
    pub(crate) operations: PerOperation,
    /// The summaries of the operators' operations.
    pub(crate) summaries: PerOperation,
    pub(crate) words: FamilyWords,
    /// Examples of members that are texts.
    pub(crate) texts: &'static [(&'static str, &'static str)],
    /// An example of a new object.
    pub(crate) example: fn() -> Value,
    /// An example of a change.
    pub(crate) patch: fn() -> Value,
}

/// The paths of a family.
pub(crate) struct FamilyPaths {
    /// The last segment of the path of the list.
    pub(crate) segment: &'static str,
    /// The path of the partners' list.
    pub(crate) list: &'static str,
    /// One object of partners, if they can name one.
    pub(crate) one: &'static str,
    /// The path of the operators' list.
    pub(crate) operator_list: &'static str,
    /// One object of operators.
    pub(crate) operator_one: &'static str,
}

/// The id in paths.
pub(crate) struct FamilyId {
    pub(crate) name: &'static str,
    /// What it is the id of.
    pub(crate) about: &'static str,
    /// The id of an object of the demo.
    pub(crate) example: Option<&'static str>,
}

/// The resources in the vendor's media types. `application/json` is always accepted too.
#[derive(Clone, Copy)]
pub(crate) struct FamilyTypes {
    /// The type of the list.
    pub(crate) list: Option<&'static str>,
    /// The type of one object.
    pub(crate) one: Option<&'static str>,
}

/// What partners can do beyond listing the objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partners {
    /// Partners only list the objects.
    List,
    /// Read one object by its id.
    One,
    /// Read one object by its id, create objects and change them.
    Write,
}

/// What the partners' list can be narrowed by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FamilyFilter {
    /// There is no filter.
    None,
    /// The day on which the objects are in force; that is today, unless the query names another day.
    Day,
    /// How often the workers are paid.
    PayFrequency,
}

/// The `links` of an element of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementLinks {
    /// There is no such member.
    Absent,
    /// There are none, because an element has no address of its own.
    Empty,
    /// The element's own address.
    Own,
}

/// The names of the schemas.
#[derive(Clone, Copy)]
pub(crate) struct FamilySchemas {
    /// An object in a response.
    pub(crate) shown: &'static str,
    /// An object that is sent.
    pub(crate) sent: &'static str,
    /// A patch of an object.
    pub(crate) patch: &'static str,
}

/// A text for each of the operators' operations.
#[derive(Clone, Copy)]
pub(crate) struct PerOperation {
    pub(crate) list: &'static str,
    pub(crate) create: &'static str,
    pub(crate) get: &'static str,
    pub(crate) replace: &'static str,
    pub(crate) change: &'static str,
    pub(crate) delete: &'static str,
}

/// What partners read of their operations.
pub(crate) struct FamilyWords {
    /// What the list does.
    pub(crate) list: &'static str,
    /// More about that list.
    pub(crate) about: &'static str,
    /// What a response with that list is.
    pub(crate) found: &'static str,
    /// What reading one object does.
    pub(crate) one: &'static str,
}

impl PerOperation {
    /// From the list to the deletion.
    pub(crate) const fn all(self) -> [&'static str; 6] {
        [self.list, self.create, self.get, self.replace, self.change, self.delete]
    }
}

impl FamilySchemas {
    /// Shown, sent and patched.
    pub(crate) const fn all(self) -> [&'static str; 3] {
        [self.shown, self.sent, self.patch]
    }
}
