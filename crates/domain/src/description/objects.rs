//! The kinds of objects inside members, and how each kind is read. The module `stored` contains the code for
//! writing and storage, which only the server needs.

#[cfg(feature = "server")]
pub(crate) mod stored;

use crate::code::Reason;
use crate::id::{Id, OrganizationId, WorkerId};
use crate::object::reader::ObjectReader;
use crate::object::values::{MAX_NAME_CHARACTERS, read_id, read_named_value, text_reader};
use crate::tax_id::{LegalId, LegalIdType, TAX_ID_LENGTH};

/// A kind of object, which reads objects of one type from JSON.
pub(crate) trait ObjectKind<T> {
    /// Reads the members of the object. If a member of the object has a fault, the fault is reported and the
    /// result is `None`.
    fn read(object: &mut ObjectReader<'_>) -> Option<T>;
}

/// A kind of list, which reads lists of objects of one type from JSON.
pub(crate) trait ListKind<T> {
    /// Reads the list of the given name. If an object has a fault, the fault is reported and the result is
    /// `None`.
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<T>>;
}

/// A described type, which can be read from an object.
pub(crate) trait Readable: Sized {
    /// Reads the members of the object. If a member has a fault, the fault is reported and the result is
    /// `None`.
    fn read(object: &mut ObjectReader<'_>) -> Option<Self>;
}

/// A described object that is stored in columns of the object that contains it. The object counts as present
/// if its first column is not NULL.
pub(crate) struct InParentRow;

impl<T: Readable> ObjectKind<T> for InParentRow {
    fn read(object: &mut ObjectReader<'_>) -> Option<T> {
        T::read(object)
    }
}

/// A described object that is stored in its own table. The code that reads the table adds the object.
pub(crate) struct SeparateTable;

/// Marks the object kinds that are stored in their own table. These kinds need no columns in the parent's
/// table.
#[cfg(feature = "server")]
pub(crate) trait StoredInSeparateTable {}

#[cfg(feature = "server")]
impl StoredInSeparateTable for SeparateTable {}

impl<T: Readable> ObjectKind<T> for SeparateTable {
    fn read(object: &mut ObjectReader<'_>) -> Option<T> {
        T::read(object)
    }
}

impl<T: Readable> ListKind<T> for SeparateTable {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<T>> {
        object.read_list(name, T::read)
    }
}

/// A tax ID. The tax ID of a person is encrypted in storage. Responses mask the tax ID unless the caller
/// requests it unmasked.
pub(crate) struct TaxIdentity;

/// A tax ID that is stored with the keyed hash of its last four digits. The hash is used to search for
/// workers.
pub(crate) struct SearchableTaxIdentity;

impl ObjectKind<LegalId> for TaxIdentity {
    /// Reads a tax ID. A fault never repeats the digits.
    fn read(object: &mut ObjectReader<'_>) -> Option<LegalId> {
        let kind = object.read_required("legalIdType", read_named_value::<LegalIdType>);
        let digits = object.read_required("legalIdValue", text_reader(MAX_NAME_CHARACTERS));
        let (kind, digits) = (kind?, digits?);
        let legal_id = LegalId::parse(kind, &digits);
        if legal_id.is_none() {
            let rule = format!("must be {TAX_ID_LENGTH} digits, without dashes");
            object.report_fault(Reason::FieldInvalid, "legalIdValue", &rule);
        }
        legal_id
    }
}

impl ObjectKind<LegalId> for SearchableTaxIdentity {
    fn read(object: &mut ObjectReader<'_>) -> Option<LegalId> {
        TaxIdentity::read(object)
    }
}

/// An object that refers to another object by its id. A request may repeat the names of the other object,
/// because responses contain these names. The names are validated and then ignored.
pub(crate) trait ReferenceKind {
    /// The type of the id.
    type Id;
    /// The name of the member with the id.
    const ID: &'static str;
    /// The members that contain names of the other object, such as `name` and `number`.
    const NAMES: &'static [&'static str];
    /// The column that stores the id.
    #[cfg(feature = "server")]
    const COLUMN: &'static str;
}

impl<K, R: ReferenceKind<Id = Id<K>>> ObjectKind<Id<K>> for R {
    fn read(object: &mut ObjectReader<'_>) -> Option<Id<K>> {
        let id = object.read_required(R::ID, read_id);
        // Every name is read even after a fault, so that all faults are reported.
        let faults = R::NAMES
            .iter()
            .filter(|name| object.read_optional(name, text_reader(MAX_NAME_CHARACTERS)).is_none())
            .count();
        if faults == 0 { id } else { None }
    }
}

/// Declares kinds of references to other objects.
macro_rules! references {
    ($($(#[$doc:meta])* $name:ident by $id:ident $member:literal in $column:literal, with $names:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name;

        impl $crate::description::objects::ReferenceKind for $name {
            type Id = $id;
            const ID: &'static str = $member;
            const NAMES: &'static [&'static str] = &$names;
            #[cfg(feature = "server")]
            const COLUMN: &'static str = $column;
        }
    )* };
}
pub(crate) use references;

references! {
    /// A reference to an organization of the company.
    ToOrganization by OrganizationId "organizationId" in "organization_id", with ["name", "number"];
    /// A reference to the worker's supervisor.
    ToSupervisor by WorkerId "workerId" in "supervisor_id", with ["name"];
}
