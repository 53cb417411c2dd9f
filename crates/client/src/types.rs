//! The objects of the API.
//!
//! Members of a response that this version does not know are ignored. Unknown values of enumerations become
//! the variant `Other`. Decimals are exact, and days are dates without a time.

mod check;
mod check_input;
mod company;
mod hook;
mod names;
mod pay;
mod worker;

use serde::Deserialize;

pub use check::{Check, CheckLine, CheckTax, LineOrganization};
pub use check_input::{CheckInput, CheckLineInput};
pub use company::{Company, LegalId};
pub use hook::{Event, EventPage, Hook, HookAuthentication, HookInput};
pub use names::{AuthType, EffectOnPay, EventAction, EventDomain, PeriodStatus, WorkerState, WorkerType};
pub use pay::{PayComponent, PayPeriod};
pub use worker::{Worker, WorkerName, WorkerOrganization, WorkerStatus};

/// A link to a related resource.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Link {
    /// The relation of the target, such as `self` or `next`.
    pub rel: String,
    /// The absolute address of the target.
    pub href: String,
}

/// The number of elements in a response, and the requested page of the list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Metadata {
    /// The number of elements in the response.
    pub content_item_count: u64,
    /// The requested page, if an offset or a limit was sent.
    pub pagination: Option<Pagination>,
}

/// The position of a page in the complete list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Pagination {
    /// The position of the page's first element in the complete list, counted from 0.
    pub offset: u64,
    /// The maximum number of elements of a page.
    pub limit: u64,
    /// The number of elements in the complete list.
    pub total: u64,
}

/// The envelope of a response with one or more objects.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Envelope<T> {
    /// The objects. A response with a single object contains a list with one object.
    pub content: Vec<T>,
    /// The links of the response.
    #[serde(default)]
    pub links: Vec<Link>,
}
