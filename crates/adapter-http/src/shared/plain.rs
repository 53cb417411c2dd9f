//! Lists of plain objects as both sides and the description show them: a kind is a row here, and its paths,
//! its media type, its scope, its operations and its schemas follow.

use payroll_domain::access::Scope;
use payroll_domain::plain::PlainKind;
use serde_json::{Value, json};

/// What the interface says of a plain kind.
pub(crate) struct PlainPaths {
    /// The path of the partners' list.
    pub(crate) list: &'static str,
    /// The path of the operators' list.
    pub(crate) operator_list: &'static str,
    /// The path of one object of operators.
    pub(crate) operator_one: &'static str,
    /// The scope of the partners' list.
    pub(crate) scope: Scope,
    /// The resource in the media type of that list; `None` where it has plain JSON alone.
    pub(crate) media_type: Option<&'static str>,
    /// Its elements have `links`, of which there are none so far.
    pub(crate) has_links: bool,
    /// A company that does not exist is 403 there, as one without a grant.
    pub(crate) without_404: bool,
    /// The ids of the operators' operations: list, create, get, replace, change, delete. Partners have the first.
    pub(crate) ids: [&'static str; 6],
    /// What these do, in the same order.
    pub(crate) summaries: [&'static str; 6],
    /// The schemas: as it is answered, sent, and patched.
    pub(crate) schemas: [&'static str; 3],
    /// What the partners' operation does.
    pub(crate) list_summary: &'static str,
    /// What is to be said of that list.
    pub(crate) about: &'static str,
    /// What a response with that list is.
    pub(crate) answered: &'static str,
    /// The name of the id in a path, and what it is the id of.
    pub(crate) id: (&'static str, &'static str),
    /// Examples of members that are texts.
    pub(crate) texts: &'static [(&'static str, &'static str)],
    /// An example of a new object.
    pub(crate) example: fn() -> Value,
    /// An example of a change.
    pub(crate) patch: fn() -> Value,
}

/// The ids and summaries of the operators' six operations, and the names of the schemas.
macro_rules! object_names {
    ($one:ident, $many:ident, $words:expr) => {
        (
            [
                concat!("list", stringify!($many)),
                concat!("create", stringify!($one)),
                concat!("get", stringify!($one)),
                concat!("replace", stringify!($one)),
                concat!("change", stringify!($one)),
                concat!("delete", stringify!($one)),
            ],
            [
                concat!("List the objects of a company: ", $words),
                concat!("Add ", $words),
                concat!("Read ", $words),
                concat!("Replace ", $words),
                concat!("Change ", $words),
                concat!("Delete ", $words),
            ],
            [stringify!($one), concat!(stringify!($one), "Input"), concat!(stringify!($one), "Patch")],
        )
    };
}
pub(crate) use object_names;

/// Declares what the interface says: the kind, many of them, the article and the words for one; the segment of
/// the list and the name of the id in paths; then the rest by name.
macro_rules! plain_paths {
    ($(
        $kind:ident and $many:ident, $article:literal $words:literal, at $segment:literal by $id:literal
        { $($member:ident: $value:expr,)+ }
    )+) => {
        /// What the interface says of a kind.
        pub(crate) fn paths(kind: PlainKind) -> &'static PlainPaths {
            match kind { $(PlainKind::$kind => {
                const NAMES: ([&str; 6], [&str; 6], [&str; 3]) =
                    object_names!($kind, $many, concat!($article, " ", $words));
                const PATHS: PlainPaths = PlainPaths {
                    list: concat!("/companies/{companyId}/", $segment),
                    operator_list: concat!("/operator/v1/companies/{companyId}/", $segment),
                    operator_one: concat!("/operator/v1/companies/{companyId}/", $segment, "/{", $id, "}"),
                    ids: NAMES.0,
                    summaries: NAMES.1,
                    schemas: NAMES.2,
                    list_summary: concat!("List a company's ", $words, "s"),
                    answered: concat!("The company's ", $words, "s."),
                    id: ($id, concat!("The ", $words, ".")),
                    $($member: $value,)+
                };
                &PATHS
            })+ }
        }
    };
}

plain_paths! {
    CalculationBase and CalculationBases, "a" "calculation base", at "calculationbases" by "calculationBaseId" {
        scope: Scope::ReadPayroll,
        media_type: Some("payroll.calculationbases"),
        has_links: false,
        without_404: false,
        about: "What workers' recurring pay components are computed from.",
        texts: &[("calculationBaseId", "851000000007001"), ("calculationBaseName", "All earnings")],
        example: || json!({"calculationBaseName": "Overtime"}),
        patch: || json!({"calculationBaseName": "All earnings"}),
    }

    CustomEmploymentType and CustomEmploymentTypes, "a" "custom employment type",
        at "customemploymenttypes" by "customEmploymentTypeId"
    {
        scope: Scope::ReadCompanies,
        media_type: None,
        has_links: true,
        without_404: true,
        about: "Kinds of employment that a worker can be given. A company that does not exist is 403 API-2.",
        texts: &[("customEmploymentTypeId", "851000000010001"), ("customEmploymentTypeName", "Seasonal")],
        example: || json!({"customEmploymentTypeName": "Harvest"}),
        patch: || json!({"customEmploymentTypeName": "Seasonal"}),
    }
}

/// What the interface says of each kind.
pub(crate) fn all() -> impl Iterator<Item = (PlainKind, &'static PlainPaths)> {
    PlainKind::ALL.iter().map(|kind| (*kind, paths(*kind)))
}
