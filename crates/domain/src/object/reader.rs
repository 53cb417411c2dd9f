//! Reads one JSON object member by member, strictly and with all faults at once.
//!
//! An [`ObjectReader`] knows its position and collects faults. A member can be missing (`API-46`), duplicate
//! (`API-47`), of the wrong type or value, or unknown (`API-48`). If a member has a fault, the method that
//! reads the member reports the fault and returns `None`. The other members are still read, so that all
//! faults are reported. See [`read_struct!`].
//!
//! `null` and the empty text count as absent. Faults never repeat values, because they may be secret.

use super::values::ReadResult;
use crate::code::Reason;
use crate::date::Date;
use crate::input::values::{read_array, read_flag};
use crate::input::{Context, Members, Node};
use crate::report::{Fault, FaultLocation, Report};
use crate::violation::{DocumentPosition, Violations};

/// Creates a struct from expressions that read its members. All expressions are evaluated, even after one has
/// returned `None`, so that all faults are reported.
///
/// An expression returns `None` if its member has a fault. In that case, the macro also returns `None`.
macro_rules! read_struct {
    ($name:ident { $($field:ident: $read:expr),* $(,)? }) => {{
        $(let $field = $read;)*
        Some($name { $($field: $field?,)* })
    }};
}
pub(crate) use read_struct;

/// Reads a document that must be one object.
///
/// # Errors
/// Returns every fault in the order of the document.
pub(crate) fn read_object<T>(
    node: &Node<'_>,
    read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
) -> Result<T, Violations> {
    let mut report = Report::new(Reason::FieldMissing);
    let value = read_present_object(node, Context::DOCUMENT, &mut report, read);
    match (report.into_violations(), value) {
        (None, Some(value)) => Ok(value),
        (Some(violations), _) => Err(violations),
        // A reader that returns `None` without a reported fault has a bug. This general fault rejects the
        // document in that case.
        (None, None) => Err(Reason::FieldInvalid.into()),
    }
}

/// Reads an object that is present. If it has a fault, the fault is reported and the result is `None`.
pub(crate) fn read_present_object<T>(
    node: &Node<'_>,
    context: Context<'_>,
    report: &mut Report,
    read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
) -> Option<T> {
    let Some(members) = Members::from_node(node, context) else {
        let spot = context.location(DocumentPosition { at: node.at, rank: 0 });
        report.add(Reason::FieldInvalid, spot, "the value must be an object");
        return None;
    };
    let mut object = ObjectReader { members, known: Vec::new(), report };
    let value = read(&mut object);
    members.report_unknown(&object.known, object.report);
    value
}

/// Reads one object of a document. Records the faults, and the names of the members that the reader knows.
#[derive(Debug)]
pub(crate) struct ObjectReader<'r> {
    members: Members<'r>,
    known: Vec<&'static str>,
    report: &'r mut Report,
}

impl<'r> ObjectReader<'r> {
    /// Reads a value that is required.
    pub(crate) fn read_required<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> ReadResult<T>,
    ) -> Option<T> {
        self.read_optional(name, read)?.or_else(|| self.report_missing(name))
    }

    /// Reads a value that may be absent.
    pub(crate) fn read_optional<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> ReadResult<T>,
    ) -> Option<Option<T>> {
        self.known.push(name);
        self.members.read_optional(name, self.report, read).into_optional_value()
    }

    /// Reads a value that may be absent or `null`, but not an empty text. Such members are filters, and an
    /// absent filter selects everything. An empty text might select everything by mistake.
    #[cfg(feature = "server")]
    pub(crate) fn read_optional_non_empty<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> ReadResult<T>,
    ) -> Option<Option<T>> {
        self.known.push(name);
        self.members.read_optional_non_empty(name, self.report, read).into_optional_value()
    }

    /// Reads a boolean that is false if it is absent.
    pub(crate) fn read_flag(&mut self, name: &'static str) -> Option<bool> {
        self.read_optional(name, read_flag).map(Option::unwrap_or_default)
    }

    /// Reads an object that is required.
    pub(crate) fn read_required_object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<T> {
        self.read_optional_object(name, read)?.or_else(|| self.report_missing(name))
    }

    /// Reads an object that may be absent.
    pub(crate) fn read_optional_object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        self.known.push(name);
        let Some(node) = self.members.find_member(name, self.report).into_optional_value()? else {
            return Some(None);
        };
        read_present_object(node, self.members.context.with_member(name), self.report, read).map(Some)
    }

    /// Reads a list of objects, which is empty if it is absent.
    pub(crate) fn read_list<T>(
        &mut self,
        name: &'static str,
        read: impl FnMut(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.read_optional_list(name, read).map(Option::unwrap_or_default)
    }

    /// Reads a list of objects that may be absent. An absent list differs from an empty list.
    pub(crate) fn read_optional_list<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut ObjectReader<'_>) -> Option<T>,
    ) -> Option<Option<Vec<T>>> {
        self.read_elements(name, |node, context, report| {
            read_present_object(node, context, report, &mut read)
        })
    }

    /// Reads a list of values, which is empty if it is absent.
    pub(crate) fn read_values<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&Node<'_>) -> ReadResult<T>,
    ) -> Option<Vec<T>> {
        let list = self.read_elements(name, |node, context, report| {
            let note = |fault: Fault| {
                let spot = context.location(DocumentPosition { at: node.at, rank: 0 });
                report.add(fault.reason, spot, format!("{name} {}", fault.description));
            };
            read(node).map_err(note).ok()
        });
        list.map(Option::unwrap_or_default)
    }

    /// Reads several members with the function `read`, which is called with a [`Members`]. `known` are the
    /// names of these members.
    pub(crate) fn read_members<T>(
        &mut self,
        known: &[&'static str],
        read: impl FnOnce(Members<'_>, &mut Report) -> Option<T>,
    ) -> Option<T> {
        self.known.extend(known);
        read(self.members, self.report)
    }

    /// Allows a member without reading it, because the server creates its value.
    pub(crate) fn allow_member(&mut self, name: &'static str) {
        self.known.push(name);
    }

    /// Returns the position of the object itself. Faults that are only detected after reading are reported at
    /// this position.
    #[cfg(feature = "server")]
    pub(crate) fn position(&self) -> DocumentPosition {
        self.members.object_location().position
    }

    /// Returns the number of faults in the document so far.
    #[cfg(feature = "server")]
    pub(crate) const fn fault_count(&self) -> usize {
        self.report.fault_count()
    }

    /// Returns whether a member of the given name has a value other than `null` and an empty text.
    #[cfg(feature = "server")]
    pub(crate) fn has_member(&self, name: &str) -> bool {
        self.members.find_first_non_empty_member(name).is_some()
    }

    /// Reports a fault of a member, even if it is missing. `rule` is the error text without the member's
    /// name, such as `must be 9 digits`.
    pub(crate) fn report_fault(&mut self, reason: Reason, name: &'static str, rule: &str) {
        let spot = match self.members.find_first_member(name) {
            Some(node) => self.members.member_location(name, node.at),
            None => self.missing_member_location(name),
        };
        self.report.add(reason, spot, format!("{name} {rule}"));
    }

    /// Reports a fault of `endDate` if it is before `startDate`.
    pub(crate) fn check_date_range(&mut self, start: Option<Date>, end: Option<Date>) {
        self.check_day_order(("startDate", start), ("endDate", end));
    }

    /// Reports a fault at the member with the last day if that day is before the first day.
    pub(crate) fn check_day_order(
        &mut self,
        (first_member, first): (&'static str, Option<Date>),
        (last_member, last): (&'static str, Option<Date>),
    ) {
        if let (Some(first), Some(last)) = (first, last)
            && last < first
        {
            self.report_fault(
                Reason::FieldInvalid,
                last_member,
                &format!("must not be before {first_member}"),
            );
        }
    }

    /// Reads members without reporting their faults. Read the members again later, because this function does
    /// not mark them as known.
    pub(crate) fn read_without_reporting<T>(&self, read: impl FnOnce(&mut ObjectReader<'_>) -> T) -> T {
        let mut unheard = Report::new(Reason::FieldMissing);
        read(&mut ObjectReader { members: self.members, known: Vec::new(), report: &mut unheard })
    }

    /// Reads every element of a list. All elements are read even after a fault, so that all faults are
    /// reported.
    fn read_elements<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&Node<'_>, Context<'_>, &mut Report) -> Option<T>,
    ) -> Option<Option<Vec<T>>> {
        self.known.push(name);
        let list = self.members.read_optional(name, self.report, read_array).into_optional_value()?;
        let Some(elements) = list else { return Some(None) };
        let context = self.members.context.with_member(name);
        let elements = elements.iter().enumerate();
        // All elements are read before they are collected, because collecting into an `Option` would stop at
        // the first fault.
        let read: Vec<Option<T>> =
            elements.map(|(index, node)| read(node, context.with_element(index), self.report)).collect();
        Some(Some(read.into_iter().collect::<Option<_>>()?))
    }

    fn report_missing<T>(&mut self, name: &'static str) -> Option<T> {
        self.report.add_missing_fault(self.missing_member_location(name), format!("{name} is missing"));
        None
    }

    /// Returns the position of a missing member. This position is after all values of the object. Several
    /// missing members are reported in the order in which they are read.
    fn missing_member_location(&self, name: &'static str) -> FaultLocation<'r> {
        self.members.missing_member_location(name, u8::try_from(self.known.len()).unwrap_or(u8::MAX))
    }
}
