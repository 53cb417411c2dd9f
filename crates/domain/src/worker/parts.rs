//! The lists of a worker whose elements have ids and their own paths in the APIs. Each list has one row in
//! the table below.

use crate::company::Communication;
#[cfg(feature = "server")]
use crate::description::members::first_or;
#[cfg(feature = "server")]
use crate::event::EventDomain;
use crate::worker::Worker;
use crate::worker::contacts::WorkerContact;
use crate::worker::custom_values::WorkerCustomField;
use crate::worker::deposits::DirectDeposit;
use crate::worker::pay::{PayRate, RecurringComponent};

/// A list in a worker's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerList {
    /// The member of the worker that contains the list.
    pub member: &'static str,
    /// The name of the member that contains the id of an element.
    pub id_member: &'static str,
}

/// The maximum number of elements in a list of a worker. Each change of a list reads, compares and stores all
/// elements of the list.
pub const MAX_LIST_ELEMENTS: usize = 500;

/// An element of a list of a worker.
///
/// ```
/// use payroll_domain::worker::{PayRate, WorkerPart};
/// assert_eq!((PayRate::LIST.member, PayRate::LIST.id_member), ("payRates", "rateId"));
/// ```
pub trait WorkerPart: PartialEq + Sized + 'static {
    /// The list in the worker's document.
    const LIST: WorkerList;
    /// The domain of the events for changes of the list. `None` if changes of the list fire no separate
    /// event.
    #[cfg(feature = "server")]
    const EVENT: Option<EventDomain>;

    /// Returns the elements that the worker has in this list.
    fn elements(worker: &Worker) -> &[Self];

    /// Returns the id of the element.
    fn id(&self) -> &str;
}

/// An action that is executed for each type of element.
pub(crate) trait PartVisitor {
    /// Executes the action for one type of element.
    fn visit<T: WorkerPart>(&mut self);
}

/// Declares the lists. Each declaration contains the member and the field of the worker, the member and the
/// field of an element's id, and the events' domain.
macro_rules! declare_worker_lists {
    ($($part:ty: $member:literal $list:ident by $id_member:literal $id:ident $(, event $event:ident)?;)*) => {
        $(
            impl WorkerPart for $part {
                const LIST: WorkerList = WorkerList { member: $member, id_member: $id_member };
                #[cfg(feature = "server")]
                const EVENT: Option<EventDomain> = first_or(&[$(Some(EventDomain::$event))?], None);

                fn elements(worker: &Worker) -> &[Self] {
                    &worker.$list
                }

                fn id(&self) -> &str {
                    self.$id.as_str()
                }
            }
        )*

        /// The lists of a worker's document, in the order of the document.
        pub const WORKER_LISTS: &[WorkerList] = &[$(<$part>::LIST),*];

        /// Returns the lists of the worker with more than [`MAX_LIST_ELEMENTS`] elements.
        pub(crate) fn find_too_long_lists(worker: &Worker) -> impl Iterator<Item = WorkerList> {
            let lengths = [$((<$part>::LIST, <$part>::elements(worker).len())),*];
            lengths.into_iter().filter(|(_, length)| *length > MAX_LIST_ELEMENTS).map(|(list, _)| list)
        }

        /// Calls the visitor for each type of element, in the order of the document.
        pub(crate) fn visit_parts(visitor: &mut impl PartVisitor) {
            $(visitor.visit::<$part>();)*
        }
    };
}

declare_worker_lists! {
    Communication: "communications" communications by "communicationId" communication_id, event WorkerDemographics;
    PayRate: "payRates" pay_rates by "rateId" rate_id, event WorkerCompensation;
    RecurringComponent: "recurringComponents" recurring_components
        by "workerComponentId" worker_component_id, event WorkerCompensation;
    DirectDeposit: "directDeposits" direct_deposits by "directDepositId" direct_deposit_id;
    WorkerCustomField: "customFields" custom_fields by "workerCustomFieldId" worker_custom_field_id;
    WorkerContact: "contacts" contacts by "contactId" contact_id;
}
