//! Reading one JSON object member by member, strictly, and with every fault at once.
//!
//! An [`ObjectReader`] knows where it stands and collects what is wrong: a member that is
//! missing (`API-46`), stands twice (`API-47`), has the wrong type or value, or is not known at
//! all (`API-48`). Every method gives `None` for a member with a fault that has been noted, so a
//! resource is read in full before anybody gives up: see [`record!`].
//!
//! `null` and the empty text count as absent. Values are never repeated in a fault: they may be
//! secret.

use std::borrow::Cow;

use super::pointer::Pointer;
use super::values::Read;
use crate::code::Reason;
use crate::date::Date;
use crate::input::values::flag;
use crate::input::{Node, Value};
use crate::steps;
use crate::violation::{MAX_FAULTS, Place, Violation, Violations};

/// Reads the members of a struct as a table, each before the first one that failed ends it.
///
/// Each expression gives `None` where the member has a fault.
macro_rules! record {
    ($name:ident { $($field:ident: $read:expr),* $(,)? }) => {{
        $(let $field = $read;)*
        Some($name { $($field: $field?,)* })
    }};
}
pub(crate) use record;

/// Reads a document that is one object.
///
/// # Errors
/// Every fault of the document, in its order.
pub(crate) fn read_object<T>(
    node: &Node<'_>,
    read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
) -> Result<T, Violations> {
    let mut faults = Faults::default();
    let value = faults.object(node, Pointer::ROOT, read);
    match (faults.finish(), value) {
        (None, Some(value)) => Ok(value),
        (Some(violations), _) => Err(violations),
        // A reader that gives nothing has noted why; this stands in for one that forgot.
        (None, None) => Err(Reason::FieldInvalid.into()),
    }
}

/// One object of a document, being read.
#[derive(Debug)]
pub(crate) struct ObjectReader<'r> {
    members: &'r [(Cow<'r, str>, Node<'r>)],
    /// The number of the object itself.
    #[cfg(feature = "server")]
    at: u32,
    /// The number of the last value in the object: what is missing is noted behind it.
    end: u32,
    pointer: Pointer<'r>,
    known: Vec<&'static str>,
    faults: &'r mut Faults,
}

/// What was found under a name.
enum MemberLookup<'r> {
    Absent,
    One(&'r Node<'r>),
    /// Noted already.
    Twice,
}

impl<'r> ObjectReader<'r> {
    /// A value that must be there.
    pub(crate) fn required<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<T> {
        match self.find(name) {
            MemberLookup::Absent => self.missing(name),
            MemberLookup::One(node) => self.value(name, node, read),
            MemberLookup::Twice => None,
        }
    }

    /// A value that may be absent.
    pub(crate) fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<Option<T>> {
        match self.find(name) {
            MemberLookup::Absent => Some(None),
            MemberLookup::One(node) => self.value(name, node, read).map(Some),
            MemberLookup::Twice => None,
        }
    }

    /// A value that may be absent, or `null`, but not empty: where absence stands for all there are, an
    /// empty text must not.
    #[cfg(feature = "server")]
    pub(super) fn filled<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<Option<T>> {
        let value = self.optional(name, read)?;
        let empty = |value: &Value<'_>| matches!(value, Value::Text(text) if text.is_empty());
        if self.named(name).any(|node| empty(&node.value)) {
            self.fault(Reason::FieldMissing, name, "is empty");
            return None;
        }
        Some(value)
    }

    /// A yes or no that is no where it is absent.
    pub(crate) fn flag(&mut self, name: &'static str) -> Option<bool> {
        self.optional(name, flag).map(Option::unwrap_or_default)
    }

    /// An object that must be there.
    pub(crate) fn required_object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<T> {
        match self.find(name) {
            MemberLookup::Absent => self.missing(name),
            MemberLookup::One(node) => self.faults.object(node, self.pointer.member(name), read),
            MemberLookup::Twice => None,
        }
    }

    /// An object that may be absent.
    pub(crate) fn optional_object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.find(name) {
            MemberLookup::Absent => Some(None),
            MemberLookup::One(node) => self.faults.object(node, self.pointer.member(name), read).map(Some),
            MemberLookup::Twice => None,
        }
    }

    /// A list of objects; absent, it is empty.
    pub(crate) fn list<T>(
        &mut self,
        name: &'static str,
        read: impl FnMut(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.optional_list(name, read).map(Option::unwrap_or_default)
    }

    /// A list of objects that may be absent, which is not the same as empty.
    pub(super) fn optional_list<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<Option<Vec<T>>> {
        self.elements(name, |faults, node, pointer| faults.object(node, pointer, &mut read))
    }

    /// A list of values; absent, it is empty.
    pub(crate) fn values<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<Vec<T>> {
        let list = self.elements(name, |faults, node, pointer| faults.value(node, pointer, name, &read));
        list.map(Option::unwrap_or_default)
    }

    /// A member that may stand there and is not read, because the server makes it.
    #[cfg(feature = "server")]
    pub(super) fn ignored(&mut self, name: &'static str) {
        self.known.push(name);
    }

    /// The object's own place, for faults that only show later.
    #[cfg(feature = "server")]
    pub(super) const fn place(&self) -> Place {
        Place { at: self.at, rank: 0 }
    }

    /// How many faults have been noted in the document so far.
    #[cfg(feature = "server")]
    pub(super) const fn fault_count(&self) -> usize {
        self.faults.count()
    }

    /// Whether a member of that name has a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.named(name).any(|node| !is_absent(&node.value))
    }

    /// Notes a fault of a member, or of its absence; `rule` follows the member's name.
    pub(crate) fn fault(&mut self, reason: Reason, name: &'static str, rule: &str) {
        let node = self.named(name).next();
        let place = node.map_or_else(|| self.behind(), |node| Place { at: node.at, rank: 0 });
        self.faults.push(reason, self.pointer.member(name), place, format!("{name} {rule}"));
    }

    /// Notes `endDate` when it is before `startDate`.
    pub(crate) fn ends_after_it_starts(&mut self, start: Option<Date>, end: Option<Date>) {
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            self.fault(Reason::FieldInvalid, "endDate", "must not be before startDate");
        }
    }

    /// Reads members without noting a fault of theirs, and without knowing them afterwards.
    pub(super) fn quietly<T>(&self, read: impl FnOnce(&mut ObjectReader<'_>) -> T) -> T {
        let mut object = ObjectReader {
            members: self.members,
            #[cfg(feature = "server")]
            at: self.at,
            end: self.end,
            pointer: self.pointer,
            known: Vec::new(),
            faults: &mut Faults::default(),
        };
        read(&mut object)
    }

    /// The values of the members of that name.
    fn named<'m>(&self, name: &'m str) -> impl Iterator<Item = &'r Node<'r>> + use<'r, 'm> {
        steps::count(self.members.len());
        self.members.iter().filter(move |(member, _)| member == name).map(|(_, node)| node)
    }

    /// Finds a member, and remembers that its name is known.
    fn find(&mut self, name: &'static str) -> MemberLookup<'r> {
        self.known.push(name);
        let mut nodes = self.named(name);
        match (nodes.next(), nodes.next()) {
            (Some(_), Some(second)) => {
                let place = Place { at: second.at, rank: 0 };
                let description = format!("{name} stands more than once");
                self.faults.push(Reason::FieldAmbiguous, self.pointer.member(name), place, description);
                MemberLookup::Twice
            }
            (Some(node), None) if !is_absent(&node.value) => MemberLookup::One(node),
            _ => MemberLookup::Absent,
        }
    }

    fn value<T>(
        &mut self,
        name: &'static str,
        node: &Node<'_>,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<T> {
        self.faults.value(node, self.pointer.member(name), name, read)
    }

    /// Reads every element of a list, also behind one with a fault.
    fn elements<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Faults, &Node<'_>, Pointer<'_>) -> Option<T>,
    ) -> Option<Option<Vec<T>>> {
        let node = match self.find(name) {
            MemberLookup::Absent => return Some(None),
            MemberLookup::One(node) => node,
            MemberLookup::Twice => return None,
        };
        let Value::Array(elements) = &node.value else {
            self.fault(Reason::FieldInvalid, name, "must be an array");
            return None;
        };
        let list = self.pointer.member(name);
        let read =
            elements.iter().enumerate().map(|(index, node)| read(self.faults, node, list.element(index)));
        // All of them first: collecting into an `Option` would stop at the first fault.
        let read: Vec<Option<T>> = read.collect();
        Some(Some(read.into_iter().collect::<Option<_>>()?))
    }

    fn missing<T>(&mut self, name: &'static str) -> Option<T> {
        let (place, description) = (self.behind(), format!("{name} is missing"));
        self.faults.push(Reason::FieldMissing, self.pointer.member(name), place, description);
        None
    }

    /// The place of what is not there: behind the object, in the order of the table.
    fn behind(&self) -> Place {
        Place { at: self.end, rank: u8::try_from(self.known.len()).unwrap_or(u8::MAX) }
    }

    /// Notes every unknown member.
    fn refuse_unknown_members(&mut self) {
        steps::count(self.members.len().saturating_mul(self.known.len()));
        for (name, node) in self.members.iter().filter(|(name, _)| !self.known.contains(&name.as_ref())) {
            let (place, pointer) = (Place { at: node.at, rank: 0 }, self.pointer.member(name));
            let description = "the member is not known here".to_owned();
            self.faults.push(Reason::FieldInvalid, pointer, place, description);
        }
    }
}

/// What is wrong with a document, as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Violation>);

impl Faults {
    /// How many have been noted.
    #[cfg(feature = "server")]
    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }

    /// Puts the faults of a part among these, as if they had been noted when these were `at`.
    #[cfg(feature = "server")]
    pub(super) fn insert(&mut self, at: usize, part: Self) {
        let behind = self.0.split_off(at.min(self.0.len()));
        steps::count(behind.len().saturating_add(part.0.len()));
        let room = (MAX_FAULTS + 1).saturating_sub(self.0.len());
        self.0.extend(part.0.into_iter().chain(behind).take(room));
    }

    /// All of them, in the order of the document; `None` without one.
    pub(super) fn finish(self) -> Option<Violations> {
        Violations::collect(self.0)
    }

    fn push(&mut self, reason: Reason, pointer: Pointer<'_>, place: Place, description: String) {
        // One more than are reported, so that sorting them shows that there are more.
        if self.0.len() <= MAX_FAULTS {
            let pointer = pointer.to_string();
            steps::count(pointer.len());
            self.0.push(Violation::new(reason, description).at(pointer, place));
        }
    }

    /// Reads an object.
    pub(super) fn object<T>(
        &mut self,
        node: &Node<'_>,
        pointer: Pointer<'_>,
        read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<T> {
        let Value::Object(members) = &node.value else {
            let place = Place { at: node.at, rank: 0 };
            self.push(Reason::FieldInvalid, pointer, place, "the value must be an object".to_owned());
            return None;
        };
        let mut object = ObjectReader {
            members,
            #[cfg(feature = "server")]
            at: node.at,
            end: node.end,
            pointer,
            known: Vec::new(),
            faults: self,
        };
        let value = read(&mut object);
        object.refuse_unknown_members();
        value
    }

    fn value<T>(
        &mut self,
        node: &Node<'_>,
        pointer: Pointer<'_>,
        name: &str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<T> {
        let fault = match read(node) {
            Ok(value) => return Some(value),
            Err(fault) => fault,
        };
        let place = Place { at: node.at, rank: 0 };
        self.push(fault.reason, pointer, place, format!("{name} {}", fault.description));
        None
    }
}

/// Whether the value counts as absent.
pub(super) fn is_absent(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}
