//! The lists in a worker's document whose elements have their own paths.

/// A list in a worker's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The member that contains the list.
    pub(crate) member: &'static str,
    /// The member of an element that contains its id.
    pub(crate) id_member: &'static str,
    /// Whether the elements are contacts, of which one of each type is primary. A new primary contact
    /// replaces the previous one.
    pub(crate) has_primary: bool,
}

impl Part {
    /// The pay rates of a worker.
    pub(crate) const PAY_RATES: Self = Self::new("payRates", "rateId");
    /// The recurring components of a worker.
    pub(crate) const RECURRING_COMPONENTS: Self = Self::new("recurringComponents", "workerComponentId");
    /// The direct deposits of a worker.
    pub(crate) const DIRECT_DEPOSITS: Self = Self::new("directDeposits", "directDepositId");
    /// The values of custom fields of a worker.
    pub(crate) const CUSTOM_FIELDS: Self = Self::new("customFields", "workerCustomFieldId");
    /// The contacts of a worker.
    pub(crate) const CONTACTS: Self = Self { has_primary: true, ..Self::new("contacts", "contactId") };
    /// The communications of a worker.
    pub(crate) const COMMUNICATIONS: Self = Self::new("communications", "communicationId");

    const fn new(member: &'static str, id_member: &'static str) -> Self {
        Self { member, id_member, has_primary: false }
    }
}
