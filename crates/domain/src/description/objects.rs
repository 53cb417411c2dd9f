//! The kinds of objects that members hold, and how each is read. How they are written and stored, only
//! the server needs (`stored`).

#[cfg(feature = "server")]
pub(crate) mod stored;

use crate::code::Reason;
use crate::id::{Id, OrganizationId, WorkerId};
use crate::object::reader::ObjectReader;
use crate::object::values::{NAME, id, named, text};
use crate::tax_id::{LegalId, LegalIdType, TAX_ID_DIGITS};

/// How objects of one type are read.
pub(crate) trait ObjectKind<T> {
    /// Reads its members; `None` where one has a fault, which has been noted.
    fn read(object: &mut ObjectReader<'_>) -> Option<T>;
}

/// How lists of objects of one type are read.
pub(crate) trait ListKind<T> {
    /// Reads the list of that name; `None` where an object has a fault, which has been noted.
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<T>>;
}

/// What is described, and so can be read.
pub(crate) trait Readable: Sized {
    /// Reads its members; `None` where one has a fault, which has been noted.
    fn read(object: &mut ObjectReader<'_>) -> Option<Self>;
}

/// What is described, its columns among those of the object that has it. It is there where its first
/// column holds something.
pub(crate) struct SameRow;

impl<T: Readable> ObjectKind<T> for SameRow {
    fn read(object: &mut ObjectReader<'_>) -> Option<T> {
        T::read(object)
    }
}

/// What is described, in a table of its own: the reader of that table puts it in.
pub(crate) struct OtherTable;

/// A kind of what is stored in a table of its own.
#[cfg(feature = "server")]
pub(crate) trait InOtherTable {}

#[cfg(feature = "server")]
impl InOtherTable for OtherTable {}

impl<T: Readable> ObjectKind<T> for OtherTable {
    fn read(object: &mut ObjectReader<'_>) -> Option<T> {
        T::read(object)
    }
}

impl<T: Readable> ListKind<T> for OtherTable {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<T>> {
        object.list(name, T::read)
    }
}

/// A tax identity: a person's is sealed at rest, and masked wherever it is not requested.
pub(crate) struct TaxIdentity;

/// The same, with the keyed hash of its last digits, by which it is found.
pub(crate) struct FindableTaxIdentity;

impl ObjectKind<LegalId> for TaxIdentity {
    /// What is wrong with it is reported without repeating it.
    fn read(object: &mut ObjectReader<'_>) -> Option<LegalId> {
        let kind = object.required("legalIdType", named::<LegalIdType>);
        let digits = object.required("legalIdValue", text(NAME));
        let (kind, digits) = (kind?, digits?);
        let legal_id = LegalId::parse(kind, &digits);
        if legal_id.is_none() {
            let rule = format!("must be {TAX_ID_DIGITS} digits, without dashes");
            object.fault(Reason::FieldInvalid, "legalIdValue", &rule);
        }
        legal_id
    }
}

impl ObjectKind<LegalId> for FindableTaxIdentity {
    fn read(object: &mut ObjectReader<'_>) -> Option<LegalId> {
        TaxIdentity::read(object)
    }
}

/// An object that refers to another one by its id. It may repeat that one's names, as responses do; they
/// are read and not kept.
pub(crate) trait Reference {
    /// The id.
    type Id;
    /// The member that is the id.
    const ID: &'static str;
    /// The members that are names.
    const NAMES: &'static [&'static str];
    /// The column of the id.
    #[cfg(feature = "server")]
    const COLUMN: &'static str;
}

impl<K, R: Reference<Id = Id<K>>> ObjectKind<Id<K>> for R {
    fn read(object: &mut ObjectReader<'_>) -> Option<Id<K>> {
        let id = object.required(R::ID, id);
        // Every one is read: a fault of the second is reported beside that of the first.
        let faults = R::NAMES.iter().filter(|name| object.optional(name, text(NAME)).is_none()).count();
        if faults == 0 { id } else { None }
    }
}

/// Declares references.
macro_rules! references {
    ($($(#[$doc:meta])* $name:ident by $id:ident $member:literal in $column:literal, with $names:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name;

        impl $crate::description::objects::Reference for $name {
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
    /// A reference to a unit.
    ToOrganization by OrganizationId "organizationId" in "organization_id", with ["name", "number"];
    /// A reference to the worker above.
    ToSupervisor by WorkerId "workerId" in "supervisor_id", with ["name"];
}
