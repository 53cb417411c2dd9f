//! Resources that are described once: from one list of members come the struct, the strict reader that
//! reports every fault, the writer, the columns in storage and the schema of the API.
//!
//! A description is a struct whose members say, beside their type, how they are named in JSON and what
//! kind of value they hold:
//!
//! ```text
//! described! {
//!     /// What a worker is paid by.
//!     pub struct PayRate {
//!         /// Its id.
//!         "rateId" rate_id: required RateId as Identifier;
//!         /// A note.
//!         "description" description: optional String as Text<NOTE>;
//!         /// Whether it applies where no rate is named.
//!         "default" default: flag bool as Flag, in "is_default";
//!     }
//! }
//! ```
//!
//! `required` members must be there, `optional` ones are left out where there is nothing to say, a
//! `flag` is false where it is absent and always written, `words` are none where they are absent. What
//! stands above a member is its description in the schema too. A member is stored in the column of its
//! own name, unless `in` says another one. What several members say together is not described: it is
//! judged where the resource is read (`document`).

pub(crate) mod kinds;
#[cfg(feature = "server")]
mod values;

#[cfg(feature = "server")]
pub use values::{Cell, Shape, Shown, StoredAs};

/// One member of a described resource.
#[cfg(feature = "server")]
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name in JSON.
    pub name: &'static str,
    /// What it says, in a sentence, as it stands above it: with a space before it.
    pub words: &'static str,
    /// Whether it is always there.
    pub required: bool,
    /// The column that it is stored in.
    pub column: &'static str,
    /// How it is stored.
    pub stored_as: StoredAs,
    /// What it may hold.
    pub shape: fn() -> Shape,
}

/// A resource with a description.
#[cfg(feature = "server")]
pub trait Described: Clone + Send + Sync + Sized + 'static {
    /// What it is, in a sentence, with a space before it.
    const WORDS: &'static str;
    /// Its members, in the order in which they are written.
    const MEMBERS: &'static [Member];
    /// The columns of its members, separated by commas.
    const COLUMNS: &'static str;

    /// Its members as storage keeps them, in their order; `None` where a decimal is beyond 64 bits.
    fn cells(&self) -> Option<Vec<Cell>>;

    /// The resource of these cells.
    ///
    /// # Errors
    /// The name of the first member whose cell makes no sense.
    fn from_cells(cells: Vec<Cell>) -> Result<Self, &'static str>;

    /// Shows its members in their order; those that are absent are left out.
    fn show(&self, member: &mut dyn FnMut(&'static str, Shown<'_>));
}

/// Describes a resource; see the module.
macro_rules! described {
    (
        $(#[doc = $words:literal])+
        $(#[derive($derive:ident)])?
        $visible:vis struct $name:ident { $(
            $(#[doc = $doc:literal])+
            $member:literal $field:ident: $presence:ident $ty:ty as $kind:ty $(, in $column:literal)?;
        )+ }
    ) => {
        $(#[doc = $words])+
        #[derive(Debug, Clone, PartialEq, Eq $(, $derive)?)]
        $visible struct $name { $(
            $(#[doc = $doc])+
            $visible $field: $crate::description::member_type!($presence $ty),
        )+ }

        impl $name {
            /// Reads its members, with every fault.
            pub(crate) fn read(object: &mut $crate::document::reader::ObjectReader<'_>) -> Option<Self> {
                $crate::document::reader::record!($name { $(
                    $field: $crate::description::read_member!($presence, object, $member, $ty, $kind),
                )+ })
            }

            /// Writes its members.
            #[cfg(feature = "server")]
            pub(crate) fn write(&self, object: &mut $crate::document::writer::ObjectWriter<'_>) {
                $crate::description::Described::show(self, &mut |member, shown| object.shown(member, shown));
            }
        }

        #[cfg(feature = "server")]
        impl $crate::description::Described for $name {
            const WORDS: &'static str = concat!($($words),+);
            const MEMBERS: &'static [$crate::description::Member] = &[$($crate::description::Member {
                name: $member,
                words: concat!($($doc),+),
                required: $crate::description::is_required!($presence),
                column: $crate::description::column!($field $($column)?),
                stored_as: <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::STORED_AS,
                shape: $crate::description::shape!($presence, $ty, $kind),
            }),+];
            const COLUMNS: &'static str = $crate::description::columns!($($field $($column)?),+);

            fn cells(&self) -> Option<Vec<$crate::description::Cell>> {
                Some(vec![$($crate::description::stored!($presence, &self.$field, $ty, $kind)),+])
            }

            fn from_cells(cells: Vec<$crate::description::Cell>) -> Result<Self, &'static str> {
                let mut cells = cells.into_iter();
                Ok(Self { $(
                    $field: $crate::description::loaded!($presence, cells.next(), $ty, $kind).ok_or($member)?,
                )+ })
            }

            fn show(&self, show: &mut dyn FnMut(&'static str, $crate::description::Shown<'_>)) { $(
                $crate::description::show_member!($presence, show, $member, &self.$field, $ty, $kind);
            )+ }
        }
    };
}
pub(crate) use described;

macro_rules! member_type {
    (required $ty:ty) => { $ty };
    (optional $ty:ty) => { Option<$ty> };
    (flag $ty:ty) => { $ty };
    (words $ty:ty) => { Vec<$ty> };
}
pub(crate) use member_type;

#[cfg(feature = "server")]
macro_rules! is_required {
    (optional) => {
        false
    };
    (words) => {
        false
    };
    ($other:ident) => {
        true
    };
}
#[cfg(feature = "server")]
pub(crate) use is_required;

#[cfg(feature = "server")]
macro_rules! shape {
    (words, $ty:ty, $kind:ty) => {
        $crate::description::kinds::stored::words_shape::<$ty, $kind>
    };
    ($presence:ident, $ty:ty, $kind:ty) => {
        <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::shape
    };
}
#[cfg(feature = "server")]
pub(crate) use shape;

#[cfg(feature = "server")]
macro_rules! column {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $column:literal) => {
        $column
    };
}
#[cfg(feature = "server")]
pub(crate) use column;

#[cfg(feature = "server")]
macro_rules! columns {
    ($first:ident $($first_column:literal)? $(, $field:ident $($column:literal)?)*) => {
        concat!(
            $crate::description::column!($first $($first_column)?)
            $(, ", ", $crate::description::column!($field $($column)?))*
        )
    };
}
#[cfg(feature = "server")]
pub(crate) use columns;

macro_rules! read_member {
    (required, $object:ident, $member:literal, $ty:ty, $kind:ty) => {
        $object.required($member, <$kind as $crate::description::kinds::Kind<$ty>>::read)
    };
    (optional, $object:ident, $member:literal, $ty:ty, $kind:ty) => {
        $object.optional($member, <$kind as $crate::description::kinds::Kind<$ty>>::read)
    };
    (flag, $object:ident, $member:literal, $ty:ty, $kind:ty) => {
        $object
            .optional($member, <$kind as $crate::description::kinds::Kind<$ty>>::read)
            .map(Option::unwrap_or_default)
    };
    (words, $object:ident, $member:literal, $ty:ty, $kind:ty) => {
        $object.values($member, <$kind as $crate::description::kinds::Kind<$ty>>::read)
    };
}
pub(crate) use read_member;

#[cfg(feature = "server")]
macro_rules! show_member {
    (optional, $show:ident, $member:literal, $value:expr, $ty:ty, $kind:ty) => {
        if let Some(value) = $value {
            <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::show(value, &mut |shown| {
                $show($member, shown);
            });
        }
    };
    (words, $show:ident, $member:literal, $value:expr, $ty:ty, $kind:ty) => {
        $crate::description::kinds::stored::show_words($value, &mut |shown| $show($member, shown));
    };
    ($presence:ident, $show:ident, $member:literal, $value:expr, $ty:ty, $kind:ty) => {
        <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::show($value, &mut |shown| {
            $show($member, shown);
        });
    };
}
#[cfg(feature = "server")]
pub(crate) use show_member;

#[cfg(feature = "server")]
macro_rules! stored {
    (optional, $value:expr, $ty:ty, $kind:ty) => {
        match $value {
            Some(value) => <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::store(value)?,
            None => <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::STORED_AS.empty(),
        }
    };
    (words, $value:expr, $ty:ty, $kind:ty) => {
        $crate::description::kinds::stored::store_words($value)
    };
    ($presence:ident, $value:expr, $ty:ty, $kind:ty) => {
        <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::store($value)?
    };
}
#[cfg(feature = "server")]
pub(crate) use stored;

#[cfg(feature = "server")]
macro_rules! loaded {
    (optional, $cell:expr, $ty:ty, $kind:ty) => {
        match $cell {
            Some(cell)
                if cell
                    == <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::STORED_AS.empty() =>
            {
                Some(None)
            }
            Some(cell) => {
                <$kind as $crate::description::kinds::stored::StoredKind<$ty>>::load(cell).map(Some)
            }
            None => None,
        }
    };
    (words, $cell:expr, $ty:ty, $kind:ty) => {
        $cell.and_then($crate::description::kinds::stored::load_words)
    };
    ($presence:ident, $cell:expr, $ty:ty, $kind:ty) => {
        $cell.and_then(<$kind as $crate::description::kinds::stored::StoredKind<$ty>>::load)
    };
}
#[cfg(feature = "server")]
pub(crate) use loaded;

#[cfg(test)]
#[cfg(feature = "server")]
mod tests;
