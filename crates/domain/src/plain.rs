//! Plain objects: lists of a company whose objects refer to nothing, hold nothing that has an id of its own,
//! and fire no event when they change.
//!
//! A kind of them is described here and nowhere else in this crate: its names, its id, its members. How it is
//! read, where it stands in a company's document, that its ids are unique there, and what the trail calls it,
//! follow.

use crate::description::described;
use crate::description::kinds::{Identifier, Text};
use crate::description::objects::Readable;
#[cfg(feature = "server")]
use crate::description::{Described, Member, Show, Shown, View};
use crate::id::Id;
use crate::named::named;
use crate::object::reader::{ObjectReader, record};
use crate::object::values::NAME;

/// Declares plain kinds: the words for one of them; its type and its name; the list of a company, as a field
/// and as a member; its id, as a type, a field, and a member; and its other members, as `described!` has them.
macro_rules! plain {
    ($dollar:tt $(
        $words:literal:
        $(#[doc = $doc:literal])+
        $object:ident = $name:literal in $list:ident $list_member:literal
            by $id:ident $id_field:ident $id_member:literal { $($members:tt)+ }
    )+) => {
        $(
            #[doc = concat!("The id of a ", $words, "; unique in its company.")]
            pub type $id = Id<$object>;

            described! {
                $(#[doc = $doc])+
                pub struct $object {
                    /// Its id.
                    $id_member $id_field: required $id as Identifier;
                    $($members)+
                }
            }

            #[cfg(feature = "server")]
            impl Plain for $object {
                const KIND: PlainKind = PlainKind::$object;

                fn id(&self) -> &str {
                    self.$id_field.as_str()
                }

                fn wrap(self) -> PlainObject {
                    PlainObject::$object(self)
                }

                fn unwrap(object: &PlainObject) -> Option<&Self> {
                    match object {
                        PlainObject::$object(object) => Some(object),
                        _ => None,
                    }
                }

                fn list(lists: &PlainLists) -> &[Self] {
                    &lists.$list
                }
            }
        )+

        named! {
            /// The kinds of plain objects.
            PlainKind { $(#[doc = concat!("A ", $words, ".")] $object = $name,)+ }
        }

        /// A plain object.
        #[cfg(feature = "server")]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum PlainObject { $(#[doc = concat!("A ", $words, ".")] $object($object),)+ }

        /// The plain objects of a company, list by list.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct PlainLists {
            $(#[doc = concat!("Each ", $words, ".")] pub $list: Vec<$object>,)+
        }

        impl PlainKind {
            /// What one is called in a sentence.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$object => $words,)+ }
            }

            /// The member of a company that holds its objects of this kind.
            #[must_use]
            pub const fn list_member(self) -> &'static str {
                match self { $(Self::$object => $list_member,)+ }
            }

            /// The member of an object that holds its id.
            #[must_use]
            pub const fn id_member(self) -> &'static str {
                match self { $(Self::$object => $id_member,)+ }
            }

            /// The members of an object, its id first.
            #[cfg(feature = "server")]
            #[must_use]
            pub const fn members(self) -> &'static [Member] {
                match self { $(Self::$object => <$object as Described>::MEMBERS,)+ }
            }

            /// Reads an object of this kind.
            #[cfg(feature = "server")]
            pub(crate) fn read(self, object: &mut ObjectReader<'_>) -> Option<PlainObject> {
                Some(match self { $(Self::$object => PlainObject::$object($object::read(object)?),)+ })
            }
        }

        #[cfg(feature = "server")]
        impl PlainObject {
            /// What it is.
            #[must_use]
            pub const fn kind(&self) -> PlainKind {
                match self { $(Self::$object(_) => PlainKind::$object,)+ }
            }

            /// Its id.
            #[must_use]
            pub fn id(&self) -> &str {
                match self { $(Self::$object(object) => object.id(),)+ }
            }
        }

        #[cfg(feature = "server")]
        impl Show for PlainObject {
            fn show(&self, view: View, show: &mut dyn FnMut(&'static str, Shown<'_>)) {
                match self { $(Self::$object(object) => object.show(view, show),)+ }
            }
        }

        impl PlainLists {
            /// Reads the lists of a company.
            pub(crate) fn read(object: &mut ObjectReader<'_>) -> Option<Self> {
                record!(Self { $($list: object.list($list_member, $object::read),)+ })
            }

            /// Hands over the id of each object: its kind, its place in its list, the id.
            pub fn each_id<'a>(&'a self, mut note: impl FnMut(PlainKind, usize, &'a str)) {
                $(for (at, object) in self.$list.iter().enumerate() {
                    note(PlainKind::$object, at, object.$id_field.as_str());
                })+
            }

            /// Every object, list by list.
            #[cfg(feature = "server")]
            pub fn objects(&self) -> impl Iterator<Item = PlainObject> {
                let all: Vec<PlainObject> = Vec::new();
                all.into_iter()$(.chain(self.$list.iter().cloned().map(PlainObject::$object)))+
            }
        }

        /// Runs an expression in which a name is the type of the objects of a [`plain::PlainKind`](mod@crate::plain).
        ///
        /// ```
        /// use payroll_domain::description::Described;
        /// use payroll_domain::{plain::PlainKind, with_plain_kind};
        /// fn member_count(kind: PlainKind) -> usize {
        ///     with_plain_kind!(kind, Object => <Object as Described>::MEMBERS.len())
        /// }
        /// assert_eq!(member_count(PlainKind::CalculationBase), 2);
        /// ```
        #[cfg(feature = "server")]
        #[macro_export]
        macro_rules! with_plain_kind {
            ($dollar kind:expr, $dollar object:ident => $dollar work:expr) => {
                match $dollar kind {
                    $($crate::plain::PlainKind::$object => {
                        type $dollar object = $crate::plain::$object;
                        $dollar work
                    })+
                }
            };
        }
    };
}

plain! { $
    "calculation base":
    /// What a worker's recurring pay component is computed from.
    CalculationBase = "calculationBase" in calculation_bases "calculationBases"
        by CalculationBaseId calculation_base_id "calculationBaseId"
    {
        /// Such as "All earnings".
        "calculationBaseName" calculation_base_name: required String as Text<NAME>;
    }

    "custom employment type":
    /// A company's own kind of employment.
    CustomEmploymentType = "customEmploymentType" in custom_employment_types "customEmploymentTypes"
        by CustomEmploymentTypeId custom_employment_type_id "customEmploymentTypeId"
    {
        /// Such as "Hybrid".
        "customEmploymentTypeName" custom_employment_type_name: required String as Text<NAME>;
    }
}

/// The type of a kind of plain objects.
#[cfg(feature = "server")]
pub trait Plain: Described + Clone + PartialEq + Send + Sync + 'static {
    /// The kind.
    const KIND: PlainKind;

    /// The id of an object.
    fn id(&self) -> &str;

    /// The object among those of all kinds.
    fn wrap(self) -> PlainObject;

    /// The object, if it is of this kind.
    fn unwrap(object: &PlainObject) -> Option<&Self>;

    /// A company's objects of this kind.
    fn list(lists: &PlainLists) -> &[Self];
}
