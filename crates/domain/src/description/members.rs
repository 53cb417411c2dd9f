//! Defines how members are read, depending on their presence (required, optional, and so on). The module
//! `stored` contains the code for writing, storage and schemas, which only the server needs.

#[cfg(feature = "server")]
pub(crate) mod stored;

use std::marker::PhantomData;

use super::kinds::ValueKind;
use super::objects::{ListKind, ObjectKind};
use crate::object::reader::ObjectReader;

/// Reads a member into a field of type `F`. The implementing type states whether the member is required, and
/// the kind of its value.
pub(crate) trait MemberKind<F> {
    /// Reads the member. If it has a fault, the fault is reported and the result is `None`.
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<F>;
}

/// A value that is required.
pub(crate) struct Required<K>(PhantomData<K>);
/// A value that may be absent.
pub(crate) struct Optional<K>(PhantomData<K>);
/// A value that has a default if it is absent.
pub(crate) struct WithDefault<K>(PhantomData<K>);
/// A list of values, empty if it is absent.
pub(crate) struct ValueList<K>(PhantomData<K>);
/// An object that is required.
pub(crate) struct RequiredObject<K>(PhantomData<K>);
/// An object that may be absent.
pub(crate) struct OptionalObject<K>(PhantomData<K>);
/// A list of objects, empty if it is absent.
pub(crate) struct List<K>(PhantomData<K>);

impl<T, K: ValueKind<T>> MemberKind<T> for Required<K> {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<T> {
        object.read_required(name, K::read)
    }
}

impl<T, K: ValueKind<T>> MemberKind<Option<T>> for Optional<K> {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Option<T>> {
        object.read_optional(name, K::read)
    }
}

impl<T: Default, K: ValueKind<T>> MemberKind<T> for WithDefault<K> {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<T> {
        object.read_optional(name, K::read).map(Option::unwrap_or_default)
    }
}

impl<T, K: ValueKind<T>> MemberKind<Vec<T>> for ValueList<K> {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<T>> {
        object.read_values(name, K::read)
    }
}

impl<T, K: ObjectKind<T>> MemberKind<T> for RequiredObject<K> {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<T> {
        object.read_required_object(name, K::read)
    }
}

impl<T, K: ObjectKind<T>> MemberKind<Option<T>> for OptionalObject<K> {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Option<T>> {
        object.read_optional_object(name, K::read)
    }
}

impl<T, K: ListKind<T>> MemberKind<Vec<T>> for List<K> {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<T>> {
        K::read(object, name)
    }
}

/// Expands to the type of a struct field, for example `optional Date` to `Option<Date>`.
macro_rules! field_type {
    (required $ty:ty) => { $ty };
    (flag $ty:ty) => { $ty };
    (required_object $ty:ty) => { $ty };
    (optional $ty:ty) => { Option<$ty> };
    (optional_object $ty:ty) => { Option<$ty> };
    (words $ty:ty) => { Vec<$ty> };
    (list $ty:ty) => { Vec<$ty> };
}
pub(crate) use field_type;

/// Expands to the type that reads a member, for example `optional Day` to `Optional<Day>`.
macro_rules! member_kind {
    (required $kind:ty) => { $crate::description::members::Required<$kind> };
    (flag $kind:ty) => { $crate::description::members::WithDefault<$kind> };
    (required_object $kind:ty) => { $crate::description::members::RequiredObject<$kind> };
    (optional $kind:ty) => { $crate::description::members::Optional<$kind> };
    (optional_object $kind:ty) => { $crate::description::members::OptionalObject<$kind> };
    (words $kind:ty) => { $crate::description::members::ValueList<$kind> };
    (list $kind:ty) => { $crate::description::members::List<$kind> };
}
pub(crate) use member_kind;

/// Returns the first element of `part`, or the default if `part` is empty. The macro `described!` uses this
/// function where a declaration may omit something: `first_or(&[$($part)?], default)`.
#[cfg(feature = "server")]
pub(crate) const fn first_or<T: Copy>(part: &[T], default: T) -> T {
    match part {
        [] => default,
        [first, ..] => *first,
    }
}
