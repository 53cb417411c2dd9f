//! The trait for the elements of a worker's list in the partner API.

use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::description::{Described, MemberSource};
use payroll_domain::input::Node;
use payroll_domain::violation::{Violation, Violations};
use payroll_domain::worker::WorkerPart;
use payroll_ports::workers::WorkerListKind;
use serde_json::Value as Json;

use crate::partner::call::PartnerCall;
use crate::shared::error::Failure;
use crate::shared::filters;
use crate::shared::media_type::VendorTypes;
use crate::shared::objects::side::{ElementChange, ElementRevision};
use crate::shared::query::Query;

/// The elements of one list of a worker, such as contacts. Partners can read, create, change and delete
/// single elements.
pub(crate) trait PartnerListElement: WorkerPart + Described + MemberSource + Send + Sync {
    /// The HTTP status of a successful POST.
    const CREATED_STATUS: u16 = 200;
    /// Whether DELETE returns 200 with the remaining elements instead of 204.
    const DELETE_RETURNS_REMAINING: bool = false;
    /// Whether an element without `startDate` starts today.
    const STARTS_TODAY_BY_DEFAULT: bool = false;
    /// The list that GET reads without the rest of the worker; `None` if GET reads the complete worker.
    const STORED_LIST: Option<WorkerListKind> = None;
    /// Whether elements have links to themselves.
    const HAS_LINKS: bool = true;
    /// Members inside an element whose values are ids that the server assigns. The response to a dry run of a
    /// POST omits these members.
    const NESTED_IDS: &'static [&'static str] = &[];
    /// Members whose invalid values are reported with a specific reason.
    const REASONS: &'static [(&'static str, Reason)] = &[];

    /// Returns the specific reason for a fault of a member, if there is one. `pointer` is the position in the
    /// element, without a leading slash.
    fn specific_reason(pointer: &str, reason: Reason) -> Option<Reason> {
        let own = Self::REASONS.iter().find(|(member, _)| pointer == *member);
        own.filter(|_| reason == Reason::FieldInvalid).map(|(_, reason)| *reason)
    }

    /// The query parameters that GET of the list accepts.
    const PARAMETERS: &'static [&'static str] = &[];

    /// The data of other objects that the elements refer to. Each request except DELETE reads these data
    /// once.
    type Facts: Clone + Default + Send + 'static;

    /// Reads the data of referenced objects.
    ///
    /// # Errors
    /// 403 API-2 or API-68 if the caller cannot read these objects, and the errors of the store.
    async fn read_facts(_call: &PartnerCall) -> Result<Self::Facts, Failure> {
        Ok(Self::Facts::default())
    }

    /// Returns members that show data of referenced objects. These members follow the element's own members.
    fn added_members(&self, _facts: &Self::Facts) -> Vec<(&'static str, Json)> {
        Vec::new()
    }

    /// Whether [`Self::add_referenced_data`] adds data of referenced objects, such as names, to nested
    /// objects of an element.
    const ADDS_REFERENCED_DATA: bool = false;

    /// Adds data of referenced objects to the JSON of an element.
    fn add_referenced_data(_shown: &mut Json, _facts: &Self::Facts) {}

    /// Returns the version of the referenced objects, if the list shows their data.
    fn referenced_data_version(_facts: &Self::Facts) -> Option<i64> {
        None
    }

    /// Converts an element of a request to the form in which it is stored, for lists whose clients may send
    /// another form. `stored` is the element before the change. Returns the faults that cannot be found after
    /// the conversion.
    fn convert_to_stored_form<'n>(
        _sent: &mut Node<'n>,
        _stored: Option<&Node<'n>>,
        _facts: &Self::Facts,
    ) -> Vec<Violation> {
        Vec::new()
    }

    /// Whether the element is effective on this date. GET with `asof` returns only such elements.
    fn is_effective_on(&self, _day: Date) -> bool {
        true
    }

    /// Reads the date parameter of GET.
    ///
    /// # Errors
    /// 400 API-40 if the date is malformed.
    fn read_as_of(query: &Query) -> Result<Option<Date>, Violations> {
        filters::read_as_of_only(query)
    }

    /// Validates the query parameters of a change, except `dryrun`.
    ///
    /// # Errors
    /// 400 API-40 if a parameter is invalid.
    fn check_change_parameters(_query: &Query, _today: Date) -> Result<(), Violation> {
        Ok(())
    }

    /// Whether an operator must approve the serialized element. A change then returns 202.
    fn awaits_approval(_object_json: &str) -> bool {
        false
    }

    /// Returns the element to store. Values that are missing in the request are added.
    fn complete_for_storage<'n>(
        revision: ElementRevision<'_, 'n>,
        _facts: &Self::Facts,
        _today: Date,
    ) -> Node<'n> {
        revision.after
    }

    /// Returns the vendor media types of the list and of one element. `application/json` is accepted too.
    fn media_types(types: &VendorTypes) -> [&str; 2];

    /// Returns the faults of a change that only partners' requests can have.
    fn find_change_faults(change: ElementChange<'_, '_>, today: Date) -> Vec<Violation>;
}
