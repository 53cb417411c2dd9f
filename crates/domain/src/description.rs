//! A macro that describes the members of a resource. From the description, the macro generates the struct,
//! the writer, and a strict reader that reports every fault. It also generates the columns in storage and the
//! schema of the API.
//!
//! A description is a struct whose members also have a JSON name and a kind of value:
//!
//! ```text
//! described! {
//!     /// A pay rate of a worker.
//!     pub struct PayRate {
//!         /// The id of the rate.
//!         "rateId" rate_id: required RateId as Identifier;
//!         /// A note about the rate.
//!         "description" description: optional String as Text<NOTE>;
//!         /// Whether the rate applies to check lines that name no rate.
//!         "default" default: flag bool as Flag, in "is_default";
//!     }
//! }
//! ```
//!
//! | Presence | The member |
//! |---|---|
//! | `required`, `optional` | is one value, which is required or may be absent |
//! | `flag` | is false if it is absent, and always written |
//! | `words` | is a list of words or codes without spaces, empty if it is absent |
//! | `required_object`, `optional_object` | is an object, whose kind determines where it is stored |
//! | `list` | is a list of objects, which is stored in its own table |
//!
//! The comment above a member is also its description in the schema. The kind may be followed, in this order,
//! by:
//!
//! * `in "column"`: the name of the column, if it differs from the name of the field. Only members with a
//!   single value accept this.
//! * `shown VIEWS`: the views of partners that show the member. The default is `MemberView::Full` alone,
//!   so that a new member is not shown in a narrower view by accident.
//! * `event Domain`: the domain of the event that a change of the member fires.
//!
//! Rules across several members are not part of a description. The reader of the resource (`document`) checks
//! such rules. The kind of a list checks rules about the elements of that list.

pub(crate) mod kinds;
pub(crate) mod members;
pub(crate) mod objects;
#[cfg(feature = "server")]
mod resource;
#[cfg(feature = "server")]
mod values;

#[cfg(feature = "server")]
pub use resource::Described;
#[cfg(feature = "server")]
pub use values::{
    Cell, CellType, Column, Member, MemberColumns, MemberShape, MemberSource, MemberValue, MemberView,
    NoEncryption, RemainingCells, Seal,
};

/// Describes a resource. See the documentation of this module.
macro_rules! described {
    (
        $(#[doc = $words:literal])+
        $(#[derive($derive:ident)])?
        $visible:vis struct $name:ident { $(
            $(#[doc = $doc:literal])+
            $member:literal $field:ident: $presence:ident $ty:ty as $kind:ty
                $(, in $column:literal)? $(, shown $views:ident)? $(, event $event:ident)?;
        )+ }
    ) => {
        $(#[doc = $words])+
        #[derive(Debug, Clone, PartialEq, Eq $(, $derive)?)]
        $visible struct $name { $(
            $(#[doc = $doc])+
            $visible $field: $crate::description::members::field_type!($presence $ty),
        )+ }

        impl $crate::description::objects::Readable for $name {
            fn read(object: &mut $crate::object::reader::ObjectReader<'_>) -> Option<Self> {
                $crate::object::reader::read_struct!($name { $(
                    $field: <$crate::description::members::member_kind!($presence $kind)
                        as $crate::description::members::MemberKind<_>>::read(object, $member),
                )+ })
            }
        }

        #[cfg(feature = "server")]
        impl $crate::description::MemberSource for $name {
            fn visit_members(
                &self,
                view: $crate::description::MemberView,
                show: &mut dyn FnMut(&'static str, $crate::description::MemberValue<'_>),
            ) { $(
                if view.shows_member_limited_to($crate::description::members::first_or(&[$($views)?], &[$crate::description::MemberView::Full])) {
                    <$crate::description::members::member_kind!($presence $kind)
                        as $crate::description::members::stored::StoredMemberKind<_>>::show_value(
                        &self.$field, &mut |shown| show($member, shown),
                    );
                }
            )+ }
        }

        #[cfg(feature = "server")]
        impl $crate::description::Described for $name {
            const WORDS: &'static str = concat!($($words),+);
            const MEMBERS: &'static [$crate::description::Member] = &[$($crate::description::Member {
                name: $member,
                words: concat!($($doc),+),
                views: $crate::description::members::first_or(&[$($views)?], &[$crate::description::MemberView::Full]),
                event: $crate::description::members::first_or(&[$(Some($crate::event::EventDomain::$event))?], None),
                column: $crate::description::members::first_or(&[$($column)?], stringify!($field)),
                ..<$crate::description::members::member_kind!($presence $kind)
                    as $crate::description::members::stored::StoredMemberKind<
                        $crate::description::members::field_type!($presence $ty),
                    >>::MEMBER
            }),+];
            const COLUMNS: &'static [$crate::description::Column] = {
                const MEMBERS: &[$crate::description::Member] =
                    <$name as $crate::description::Described>::MEMBERS;
                const COUNT: usize = $crate::description::members::stored::column_count(MEMBERS);
                &$crate::description::members::stored::columns::<COUNT>(MEMBERS)
            };

            fn append_cells(
                &self,
                seal: &dyn $crate::description::Seal,
                cells: &mut Vec<$crate::description::Cell>,
            ) -> Option<()> {
                $(<$crate::description::members::member_kind!($presence $kind)
                    as $crate::description::members::stored::StoredMemberKind<_>>::append_cells(
                    &self.$field, seal, cells,
                )?;)+
                Some(())
            }

            fn take_from_cells(
                cells: &mut $crate::description::RemainingCells,
                seal: &dyn $crate::description::Seal,
            ) -> Result<Self, &'static str> {
                Ok(Self { $(
                    $field: <$crate::description::members::member_kind!($presence $kind)
                        as $crate::description::members::stored::StoredMemberKind<_>>::take_from_cells(
                        cells, seal,
                    ).ok_or($member)?,
                )+ })
            }

            fn differs_for_event(&self, other: &Self, event: $crate::event::EventDomain) -> bool {
                $(($crate::description::members::first_or(&[$(Some($crate::event::EventDomain::$event))?], None) == Some(event)
                    && self.$field != other.$field))||+
            }
        }
    };
}
pub(crate) use described;

#[cfg(test)]
#[cfg(feature = "server")]
mod tests;
