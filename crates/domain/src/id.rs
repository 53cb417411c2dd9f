//! Identifiers: opaque text of 1 to 64 of `[A-Za-z0-9_-]`, compared byte by byte.
//!
//! One generic type with a marker per kind of resource, so that a worker's id cannot be handed
//! over where a company's is wanted. Ids are made elsewhere: this crate has no randomness.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

/// The longest id in characters: room for every vendor's own ids, short enough for an index.
pub const MAX_ID_LENGTH: usize = 64;

/// An identifier of a resource of kind `K`; see the aliases below, such as [`CompanyId`].
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

/// The text is no id: it is empty, too long, or holds another character than `[A-Za-z0-9_-]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidId;

impl<K> Id<K> {
    /// Takes a text as an id.
    ///
    /// # Errors
    /// [`InvalidId`] when it is not 1 to 64 of `[A-Za-z0-9_-]`.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if text.is_empty() || text.len() > MAX_ID_LENGTH || !text.bytes().all(allowed) {
            return Err(InvalidId);
        }
        Ok(Self { text: text.into(), kind: PhantomData })
    }

    /// A new id; its characters are digits and capital letters.
    #[cfg(feature = "server")]
    pub(crate) fn from_ulid(ulid: ulid::Ulid) -> Self {
        Self { text: ulid.to_string().into(), kind: PhantomData }
    }

    /// The id as text.
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

/// Lets plain text be looked up in a map keyed by ids.
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

/// Declares a marker and its alias for each kind of resource.
macro_rules! kinds {
    ($($(#[$doc:meta])* $alias:ident = $marker:ident;)*) => {
        /// The markers: what an id is the id of.
        pub mod kind {
            $(#[doc = concat!("Marks a `", stringify!($alias), "`.")] #[derive(Debug)] pub enum $marker {})*
        }
        $($(#[$doc])* pub type $alias = Id<kind::$marker>;)*
    };
}

kinds! {
    /// A company (client); unique in the server.
    CompanyId = Company;
    /// A worker; unique in the server.
    WorkerId = Worker;
    /// A pay period; unique in its company.
    PayPeriodId = PayPeriod;
    /// A payroll check; unique in the server.
    PaycheckId = Paycheck;
    /// A line of a check; unique in its company.
    CheckComponentId = CheckComponent;
    /// A pay component; unique in its company.
    ComponentId = Component;
    /// A worker's pay rate; unique in its company.
    RateId = Rate;
    /// A worker's recurring pay component; unique in its company.
    WorkerComponentId = WorkerComponent;
    /// A worker's direct deposit; unique in its company.
    DirectDepositId = DirectDeposit;
    /// An organizational unit; unique in its company.
    OrganizationId = Organization;
    /// A contact type; unique in its company.
    ContactTypeId = ContactType;
    /// A relationship type of a contact type; unique in its company.
    RelationshipTypeId = RelationshipType;
    /// A policy of time off; unique in its worker.
    PolicyId = Policy;
    /// A worker's contact; unique in its company.
    ContactId = Contact;
    /// The relationship of a contact to its worker.
    RelationshipId = Relationship;
    /// The person or entity that a contact is.
    RelatedId = Related;
    /// The entity that a contact is.
    EntityId = Entity;
    /// A category of custom fields; unique in its company.
    CategoryId = Category;
    /// A custom field; unique in its company.
    CustomFieldId = CustomField;
    /// A worker's value of a custom field; unique in its company.
    WorkerCustomFieldId = WorkerCustomField;
    /// A choice of a drop-down custom field; unique in its company.
    DropdownId = Dropdown;
    /// A communication (address, phone, e-mail); unique in its company.
    CommunicationId = Communication;
    /// A status in a worker's life; unique in its company.
    WorkerStatusId = WorkerStatus;
    /// A file of a worker: a document or a profile image; unique in its company.
    FileId = File;
    /// A job, a labor assignment, a location: known to the company, carried by this server.
    ReferenceId = Reference;
    /// A partner application; unique in the server.
    ApplicationId = Application;
    /// A client secret of an application (its name, never its value); unique in the server.
    SecretId = Secret;
    /// A request of an application for access; unique in the server.
    AccessRequestId = AccessRequest;
    /// An operator key (its name, never its value); unique in the server.
    OperatorKeyId = OperatorKey;
    /// A session of an operator's browser (its name, never its value); unique in the server.
    OperatorSessionId = OperatorSession;
    /// A hook; unique in its application.
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
