//! What a part of a worker says of itself on the partners' side.

use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::description::{Described, Show};
use payroll_domain::input::Node;
use payroll_domain::violation::{Violation, Violations};
use payroll_domain::worker::Worker;
use serde_json::Value as Json;

use crate::partner::call::Call;
use crate::shared::error::Failure;
use crate::shared::filters;
use crate::shared::media_type::VendorTypes;
use crate::shared::objects::Part;
use crate::shared::objects::side::{ElementChange, Revision};
use crate::shared::query::Query;

/// A part of a worker that partners read one by one, create, change and delete.
pub(crate) trait PartnerPart: Described + Show + Sized + Send + Sync + 'static {
    /// The list of the worker's document.
    const PART: Part;
    /// The status of POST.
    const CREATED: u16 = 200;
    /// DELETE returns 200 with the remaining elements, not 204.
    const DELETE_SHOWS_REST: bool = false;
    /// An element that is sent without `startDate` starts today.
    const STARTS_TODAY: bool = false;
    /// The elements have links to themselves.
    const HAS_LINKS: bool = true;
    /// The reasons for invalid members that have a code of their own.
    const REASONS: &'static [(&'static str, Reason)] = &[];

    /// The reason that a fault of a member of the part has, if it has a code of its own. `pointer` is the place in the
    /// element, without the slash at its beginning.
    fn reason(pointer: &str, reason: Reason) -> Option<Reason> {
        let own = Self::REASONS.iter().find(|(member, _)| pointer == *member);
        own.filter(|_| reason == Reason::FieldInvalid).map(|(_, reason)| *reason)
    }

    /// The names of the parameters of GET.
    const PARAMETERS: &'static [&'static str] = &[];

    /// The objects that the elements refer to, read once for each request, unless it is a DELETE.
    type Facts: Clone + Default + Send + 'static;

    /// Reads the objects that the elements refer to.
    ///
    /// # Errors
    /// 403 API-2 or API-68 if the caller cannot read them, and the errors of the store.
    async fn facts(_call: &Call) -> Result<Self::Facts, Failure> {
        Ok(Self::Facts::default())
    }

    /// Members that show what the element refers to. They follow the element's own members.
    fn also(&self, _facts: &Self::Facts) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// Shows inside members what they refer to, such as its name.
    const COMPLETES: bool = false;

    /// Adds that to the element as it is shown.
    fn complete(_shown: &mut Json, _facts: &Self::Facts) {}

    /// The version of what the facts are of, if the list shows something of them.
    fn version(_facts: &Self::Facts) -> Option<i64> {
        None
    }

    /// Brings an element into the form in which it is stored, if clients may send it in another one. `stored` is the
    /// element before the change. Returns the faults that are not seen afterwards.
    fn prepare<'n>(_sent: &mut Node<'n>, _stored: Option<&Node<'n>>, _facts: &Self::Facts) -> Vec<Violation> {
        Vec::new()
    }

    /// Whether the element is in force on that day. GET with `asof` finds only such elements.
    fn is_in_force(&self, _day: Date) -> bool {
        true
    }

    /// Reads the day of GET.
    ///
    /// # Errors
    /// 400 API-40 for a malformed day.
    fn day(query: &Query) -> Result<Option<Date>, Violations> {
        filters::as_of_alone(query)
    }

    /// Checks the parameters of a change, but for that of a dry run.
    ///
    /// # Errors
    /// 400 API-40 for an invalid parameter.
    fn check_change(_query: &Query, _today: Date) -> Result<(), Violation> {
        Ok(())
    }

    /// Whether an operator has to approve the element, which is written already. A change then returns 202.
    fn awaits_approval(_written: &str) -> bool {
        false
    }

    /// The element as it is stored, completed by what the request does not say.
    fn revised<'n>(revision: Revision<'_, 'n>, _facts: &Self::Facts, _today: Date) -> Node<'n> {
        revision.after
    }

    /// The media types of the list and of one element. `application/json` is accepted too.
    fn media_types(types: &VendorTypes) -> [&str; 2];

    /// The elements of the worker.
    fn of(worker: &Worker) -> &[Self];

    /// The id of the element.
    fn id(&self) -> &str;

    /// The faults of a change that only partners' requests can have.
    fn faults(change: ElementChange<'_, '_>, today: Date) -> Vec<Violation>;
}
