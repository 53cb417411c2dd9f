//! Ids: opaque texts of 1 to 64 characters of `[A-Za-z0-9_-]`, compared byte by byte.
//!
//! The generic type has a marker for each kind of resource. The compiler therefore rejects a worker's id
//! where a company's id is expected. This crate has no source of randomness, so its callers supply random
//! bits for new ids.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

/// The maximum length of an id in characters. This length is enough for the ids of other vendors, and short
/// enough for a database index.
pub const MAX_ID_LENGTH: usize = 64;

/// An id of a resource of kind `K`. See the aliases below, such as [`CompanyId`].
///
/// ```
/// use payroll_domain::id::CompanyId;
/// assert!("00ACME0001COMPANY001".parse::<CompanyId>().is_ok());
/// assert!("no spaces".parse::<CompanyId>().is_err());
/// ```
pub struct Id<K> {
    text: Box<str>,
    kind: PhantomData<fn() -> K>,
}

/// The error for an invalid id: the text is empty, too long, or contains a character other than
/// `[A-Za-z0-9_-]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidId;

impl<K> Id<K> {
    /// Parses a text as an id.
    ///
    /// # Errors
    /// Returns [`InvalidId`] if the text is not 1 to 64 characters of `[A-Za-z0-9_-]`.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if text.is_empty() || text.len() > MAX_ID_LENGTH || !text.bytes().all(allowed) {
            return Err(InvalidId);
        }
        Ok(Self { text: text.into(), kind: PhantomData })
    }

    /// Creates an id of 26 digits and capital letters.
    #[cfg(feature = "server")]
    pub(crate) fn from_ulid(ulid: ulid::Ulid) -> Self {
        Self { text: ulid.to_string().into(), kind: PhantomData }
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<K> FromStr for Id<K> {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        Self::parse(text)
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), kind: PhantomData }
    }
}

impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<K> Eq for Id<K> {}

impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// Allows lookups by plain text in a map whose keys are ids.
impl<K> std::borrow::Borrow<str> for Id<K> {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl<K> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an id is 1 to {MAX_ID_LENGTH} of the characters A-Z, a-z, 0-9, _ and -")
    }
}

impl std::error::Error for InvalidId {}

/// Declares a marker type and an alias of [`Id`] for each kind of resource.
macro_rules! declare_id_kinds {
    ($($(#[$doc:meta])* $alias:ident = $marker:ident;)*) => {
        /// The markers for the kinds of resources.
        pub mod kind {
            $(#[doc = concat!("Marks a `", stringify!($alias), "`.")] #[derive(Debug)] pub enum $marker {})*
        }
        $($(#[$doc])* pub type $alias = Id<kind::$marker>;)*
    };
}

declare_id_kinds! {
    /// The id of a company (client), unique on the server.
    CompanyId = Company;
    /// The id of a worker, unique on the server.
    WorkerId = Worker;
    /// The id of a pay period, unique in its company.
    PayPeriodId = PayPeriod;
    /// The id of a payroll check, unique on the server.
    PaycheckId = Paycheck;
    /// The id of a line of a check, unique in its company.
    CheckComponentId = CheckComponent;
    /// The id of a pay component, unique in its company.
    ComponentId = Component;
    /// The id of a worker's pay rate, unique in its company.
    RateId = Rate;
    /// The id of a worker's recurring pay component, unique in its company.
    WorkerComponentId = WorkerComponent;
    /// The id of a worker's direct deposit, unique in its company.
    DirectDepositId = DirectDeposit;
    /// The id of an organizational unit, unique in its company.
    OrganizationId = Organization;
    /// The id of a contact type, unique in its company.
    ContactTypeId = ContactType;
    /// The id of a relationship type of a contact type, unique in its company.
    RelationshipTypeId = RelationshipType;
    /// The id of a policy of time off, unique for its worker.
    PolicyId = Policy;
    /// The id of a deduction in the tax setting of a state, unique in the setting.
    TaxDeductionId = TaxDeduction;
    /// The id of a worker's contact, unique in its company.
    ContactId = Contact;
    /// The id of the relationship of a contact to its worker.
    RelationshipId = Relationship;
    /// The id of the person or entity of a contact.
    ContactEntryId = Related;
    /// The id of the entity of a contact.
    EntityId = Entity;
    /// The id of a category of custom fields, unique in its company.
    CategoryId = Category;
    /// The id of a custom field, unique in its company.
    CustomFieldId = CustomField;
    /// The id of a worker's value of a custom field, unique in its company.
    WorkerCustomFieldId = WorkerCustomField;
    /// The id of a choice of a drop-down custom field, unique in its company.
    DropdownId = Dropdown;
    /// The id of a communication (address, phone, e-mail), unique in its company.
    CommunicationId = Communication;
    /// The id of a status in a worker's life, unique in its company.
    WorkerStatusId = WorkerStatus;
    /// The id of a worker's document or profile image, unique in its company.
    FileId = File;
    /// The id of a job, labor assignment or location, which may come from another system.
    ReferenceId = Reference;
    /// The id of a partner application, unique on the server.
    ApplicationId = Application;
    /// The id of a client secret of an application, unique on the server. The id does not reveal the secret.
    SecretId = Secret;
    /// The id of a request of an application for access, unique on the server.
    AccessRequestId = AccessRequest;
    /// The id of an operator key, unique on the server. The id does not reveal the key.
    OperatorKeyId = OperatorKey;
    /// The id of a session of an operator's browser, unique on the server. The id does not reveal the session
    /// token.
    OperatorSessionId = OperatorSession;
    /// The id of a hook, unique in its application.
    HookId = Hook;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_1_to_64_plain_characters() {
        assert!(CompanyId::parse("a").is_ok());
        assert!(CompanyId::parse(&"Z".repeat(64)).is_ok());
        for bad in ["", " a", "a b", "a/b", "a\0", "é", &"Z".repeat(65)] {
            assert_eq!(CompanyId::parse(bad), Err(InvalidId), "{bad:?}");
        }
    }
}
