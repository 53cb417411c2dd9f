//! Reading one JSON object member by member, strictly, and with every fault at once.
//!
//! An [`ObjectReader`] knows its place and collects what is wrong: a member that is missing (`API-46`), is
//! there twice (`API-47`), has the wrong type or value, or is not known at all (`API-48`). Every method gives
//! `None` for a member with a fault that has been noted, so a resource is read in full before it is rejected:
//! see [`record!`].
//!
//! `null` and the empty text count as absent. Values are never repeated in a fault: they may be
//! secret.

use super::values::Read;
use crate::code::Reason;
use crate::date::Date;
use crate::input::values::{array, flag};
use crate::input::{Context, Members, Node};
use crate::report::{Fault, Report, Spot};
use crate::violation::{Place, Violations};

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
    let mut report = Report::new(Reason::FieldMissing);
    let value = object(node, Context::DOCUMENT, &mut report, read);
    match (report.finish(), value) {
        (None, Some(value)) => Ok(value),
        (Some(violations), _) => Err(violations),
        // A reader that gives nothing has noted why; this is the fault of one that forgot.
        (None, None) => Err(Reason::FieldInvalid.into()),
    }
}

/// Reads an object that is there; `None` with a fault that has been noted.
pub(crate) fn object<T>(
    node: &Node<'_>,
    context: Context<'_>,
    report: &mut Report,
    read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
) -> Option<T> {
    let Some(members) = Members::of(node, context) else {
        let spot = context.spot(Place { at: node.at, rank: 0 });
        report.add(Reason::FieldInvalid, spot, "the value must be an object");
        return None;
    };
    let mut object = ObjectReader { members, known: Vec::new(), report };
    let value = read(&mut object);
    members.report_unknown(&object.known, object.report);
    value
}

/// One object of a document, being read.
#[derive(Debug)]
pub(crate) struct ObjectReader<'r> {
    members: Members<'r>,
    known: Vec<&'static str>,
    report: &'r mut Report,
}

impl<'r> ObjectReader<'r> {
    /// A value that must be there.
    pub(crate) fn required<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<T> {
        self.optional(name, read)?.or_else(|| self.missing(name))
    }

    /// A value that may be absent.
    pub(crate) fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<Option<T>> {
        self.known.push(name);
        self.members.optional(name, self.report, read).unless_failed()
    }

    /// A value that may be absent, or `null`, but not empty: where absence means all there are, an empty text
    /// must not.
    #[cfg(feature = "server")]
    pub(crate) fn filled<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<Option<T>> {
        self.known.push(name);
        self.members.filled(name, self.report, read).unless_failed()
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
        self.optional_object(name, read)?.or_else(|| self.missing(name))
    }

    /// An object that may be absent.
    pub(crate) fn optional_object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        self.known.push(name);
        let Some(node) = self.members.find(name, self.report).unless_failed()? else { return Some(None) };
        object(node, self.members.context.member(name), self.report, read).map(Some)
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
    pub(crate) fn optional_list<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<Option<Vec<T>>> {
        self.elements(name, |node, context, report| object(node, context, report, &mut read))
    }

    /// A list of values; absent, it is empty.
    pub(crate) fn values<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> Read<T>,
    ) -> Option<Vec<T>> {
        let list = self.elements(name, |node, context, report| {
            let note = |fault: Fault| {
                let spot = context.spot(Place { at: node.at, rank: 0 });
                report.add(fault.reason, spot, format!("{name} {}", fault.description));
            };
            read(node).map_err(note).ok()
        });
        list.map(Option::unwrap_or_default)
    }

    /// Members that another reader knows.
    pub(crate) fn members<T>(
        &mut self,
        known: &[&'static str],
        read: impl FnOnce(Members<'_>, &mut Report) -> Option<T>,
    ) -> Option<T> {
        self.known.extend(known);
        read(self.members, self.report)
    }

    /// A member that may be there and is not read, because the server makes it.
    pub(crate) fn ignored(&mut self, name: &'static str) {
        self.known.push(name);
    }

    /// The object's own place, for faults that only show later.
    #[cfg(feature = "server")]
    pub(crate) fn place(&self) -> Place {
        self.members.own_spot().place
    }

    /// How many faults have been noted in the document so far.
    #[cfg(feature = "server")]
    pub(crate) const fn fault_count(&self) -> usize {
        self.report.count()
    }

    /// Whether a member of that name has a value.
    #[cfg(feature = "server")]
    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.given(name).is_some()
    }

    /// Notes a fault of a member, or of its absence; `rule` follows the member's name.
    pub(crate) fn fault(&mut self, reason: Reason, name: &'static str, rule: &str) {
        let spot = match self.members.first(name) {
            Some(node) => self.members.spot(name, node.at),
            None => self.spot_behind(name),
        };
        self.report.add(reason, spot, format!("{name} {rule}"));
    }

    /// Notes `endDate` when it is before `startDate`.
    pub(crate) fn ends_after_it_starts(&mut self, start: Option<Date>, end: Option<Date>) {
        self.days_are_in_order(("startDate", start), ("endDate", end));
    }

    /// Notes the member with the last day when that is before the first one.
    pub(crate) fn days_are_in_order(
        &mut self,
        (first_member, first): (&'static str, Option<Date>),
        (last_member, last): (&'static str, Option<Date>),
    ) {
        if let (Some(first), Some(last)) = (first, last)
            && last < first
        {
            self.fault(Reason::FieldInvalid, last_member, &format!("must not be before {first_member}"));
        }
    }

    /// Reads members without noting a fault of theirs, and without knowing them afterwards.
    pub(crate) fn quietly<T>(&self, read: impl FnOnce(&mut ObjectReader<'_>) -> T) -> T {
        let mut unheard = Report::new(Reason::FieldMissing);
        read(&mut ObjectReader { members: self.members, known: Vec::new(), report: &mut unheard })
    }

    /// Reads every element of a list, also after one with a fault.
    fn elements<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&Node<'_>, Context<'_>, &mut Report) -> Option<T>,
    ) -> Option<Option<Vec<T>>> {
        self.known.push(name);
        let list = self.members.optional(name, self.report, array).unless_failed()?;
        let Some(elements) = list else { return Some(None) };
        let context = self.members.context.member(name);
        let elements = elements.iter().enumerate();
        // All of them first: collecting into an `Option` would stop at the first fault.
        let read: Vec<Option<T>> =
            elements.map(|(index, node)| read(node, context.element(index), self.report)).collect();
        Some(Some(read.into_iter().collect::<Option<_>>()?))
    }

    fn missing<T>(&mut self, name: &'static str) -> Option<T> {
        self.report.add_missing(self.spot_behind(name), format!("{name} is missing"));
        None
    }

    /// The place of what is not there: after the object, in the order of the table.
    fn spot_behind(&self, name: &'static str) -> Spot<'r> {
        self.members.spot_behind(name, u8::try_from(self.known.len()).unwrap_or(u8::MAX))
    }
}
