//! A list of a worker's document whose elements have paths of their own.

/// A list of a worker's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The member that contains the list.
    pub(crate) member: &'static str,
    /// The member of an element that contains its id.
    pub(crate) id_member: &'static str,
}

impl Part {
    /// The pay rates of a worker.
    pub(crate) const PAY_RATES: Self = Self { member: "payRates", id_member: "rateId" };
    /// The recurring components of a worker.
    pub(crate) const RECURRING_COMPONENTS: Self =
        Self { member: "recurringComponents", id_member: "workerComponentId" };
    /// The direct deposits of a worker.
    pub(crate) const DIRECT_DEPOSITS: Self = Self { member: "directDeposits", id_member: "directDepositId" };
    /// The values of custom fields of a worker.
    pub(crate) const CUSTOM_FIELDS: Self = Self { member: "customFields", id_member: "workerCustomFieldId" };
    /// The communications of a worker.
    pub(crate) const COMMUNICATIONS: Self = Self { member: "communications", id_member: "communicationId" };
}
