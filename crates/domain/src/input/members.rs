//! Reads the members of an object. Each member is absent, invalid, or a value with its position.

use std::borrow::Cow;

use super::{Node, Path, Value};
use crate::code::Reason;
use crate::report::{Fault, FaultLocation, Report};
use crate::steps;
use crate::violation::DocumentPosition;
#[cfg(feature = "server")]
use crate::violation::{Violation, Violations};

/// The result of reading a member. If a member has a fault, rules that need the member report nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field<T> {
    /// The member is missing, `null` or an empty string.
    Absent,
    /// The member has no value, because of a fault that was reported.
    Failed,
    /// The member has a valid value.
    Given {
        /// The value of the member.
        value: T,
        /// The index of the value, in the order in which the document is read.
        at: u32,
    },
}

impl<T> Field<T> {
    pub(crate) const fn value(&self) -> Option<&T> {
        match self {
            Self::Given { value, .. } => Some(value),
            Self::Absent | Self::Failed => None,
        }
    }

    pub(crate) fn into_value(self) -> Option<T> {
        match self {
            Self::Given { value, .. } => Some(value),
            Self::Absent | Self::Failed => None,
        }
    }

    /// Returns the value, or `Some(None)` if the member is absent. Returns `None` if the member has a fault.
    pub(crate) fn into_optional_value(self) -> Option<Option<T>> {
        match self {
            Self::Given { value, .. } => Some(Some(value)),
            Self::Absent => Some(None),
            Self::Failed => None,
        }
    }

    pub(crate) const fn is_present(&self) -> bool {
        matches!(self, Self::Given { .. })
    }

    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    pub(crate) const fn has_fault(&self) -> bool {
        matches!(self, Self::Failed)
    }
}

/// The position of an object in the document, and the correlation id of the check that contains the object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'c> {
    pub(crate) path: Path,
    pub(crate) correlation_id: Option<&'c str>,
}

impl<'c> Context<'c> {
    /// The context of the complete document, which is not part of a check.
    pub(crate) const DOCUMENT: Self = Self { path: Path::ROOT, correlation_id: None };

    /// Returns the context of a member's value.
    pub(crate) fn with_member(self, name: &'static str) -> Self {
        Self { path: self.path.with_member(name), ..self }
    }

    /// Returns the context of an array element.
    pub(crate) fn with_element(self, index: usize) -> Self {
        Self { path: self.path.with_element(index), ..self }
    }

    /// Returns the location of a fault in this context.
    pub(crate) const fn location(self, position: DocumentPosition) -> FaultLocation<'c> {
        FaultLocation { path: self.path, position, correlation_id: self.correlation_id }
    }
}

/// An object whose members are read one at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members<'n> {
    members: &'n [(Cow<'n, str>, Node<'n>)],
    /// The index of the object itself, in the order in which the document is read.
    at: u32,
    /// The index of the last value inside the object. Faults of missing members are reported after this
    /// index.
    end: u32,
    pub(crate) context: Context<'n>,
}

impl<'n> Members<'n> {
    /// Returns the members of the value. `None` if the value is not an object.
    pub(crate) fn from_node(node: &'n Node<'n>, context: Context<'n>) -> Option<Self> {
        match &node.value {
            Value::Object(members) => Some(Self { members, at: node.at, end: node.end, context }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Array(_) => None,
        }
    }

    /// Returns the members of a request body, which must be an object with at least one member. `rule` is the
    /// error text for a body that is not an object.
    ///
    /// # Errors
    /// Returns `API-52` for an empty object or an empty array. Returns `API-40` for any other body that is
    /// not an object.
    #[cfg(feature = "server")]
    pub(crate) fn from_body(document: &'n Node<'n>, rule: &str) -> Result<Self, Violations> {
        match &document.value {
            Value::Object(members) if members.is_empty() => Err(Reason::EmptyRequest.into()),
            Value::Array(elements) if elements.is_empty() => Err(Reason::EmptyRequest.into()),
            _ => Self::from_node(document, Context::DOCUMENT)
                .ok_or_else(|| Violation::new(Reason::InvalidParameter, rule).into()),
        }
    }

    /// Reads a member that may be absent.
    pub(crate) fn read_optional<T>(
        &self,
        name: &'static str,
        report: &mut Report,
        parse: impl FnOnce(&'n Node<'n>) -> Result<T, Fault>,
    ) -> Field<T> {
        let node = match self.find_member(name, report) {
            Field::Given { value, .. } => value,
            Field::Absent => return Field::Absent,
            Field::Failed => return Field::Failed,
        };
        match parse(node) {
            Ok(value) => Field::Given { value, at: node.at },
            Err(fault) => {
                let description = format!("{name} {}", fault.description);
                report.add(fault.reason, self.member_location(name, node.at), description);
                Field::Failed
            }
        }
    }

    /// Finds the node of a member that may be absent. Reports a fault if the member is duplicate.
    pub(crate) fn find_member(&self, name: &'static str, report: &mut Report) -> Field<&'n Node<'n>> {
        let mut found = self.find_all_members(name);
        let Some(node) = found.next() else { return Field::Absent };
        if found.next().is_some() {
            let description = format!("{name} occurs more than once");
            report.add(Reason::FieldAmbiguous, self.member_location(name, node.at), description);
            return Field::Failed;
        }
        if node.value.is_null_or_empty_text() {
            Field::Absent
        } else {
            Field::Given { value: node, at: node.at }
        }
    }

    /// Reads a member that may be absent or `null`, but not an empty text. Such members are filters, and an
    /// absent filter selects everything. An empty text might select everything by mistake.
    #[cfg(feature = "server")]
    pub(crate) fn read_optional_non_empty<T>(
        &self,
        name: &'static str,
        report: &mut Report,
        parse: impl FnOnce(&'n Node<'n>) -> Result<T, Fault>,
    ) -> Field<T> {
        let field = self.read_optional(name, report, parse);
        if field.is_absent() && self.is_non_null(name) {
            report.add_missing_fault(self.empty_member_location(name, 0), format!("{name} is empty"));
            return Field::Failed;
        }
        field
    }

    /// Reads a required member. If it is missing, a fault is reported and the result is [`Field::Failed`].
    /// `rank` orders the missing members of this object.
    pub(crate) fn read_required<T>(
        &self,
        name: &'static str,
        rank: u8,
        report: &mut Report,
        parse: impl FnOnce(&'n Node<'n>) -> Result<T, Fault>,
    ) -> Field<T> {
        let field = self.read_optional(name, report, parse);
        if field.is_absent() {
            report.add_missing_fault(self.empty_member_location(name, rank), format!("{name} is missing"));
            return Field::Failed;
        }
        field
    }

    /// Returns the first member of the given name unless its value is `null` or an empty string.
    #[cfg(feature = "server")]
    pub(crate) fn find_first_non_empty_member(&self, name: &str) -> Option<&'n Node<'n>> {
        self.find_first_member(name).filter(|node| !node.value.is_null_or_empty_text())
    }

    /// Returns whether a member of the given name has a value other than `null`. An empty string counts as a
    /// value.
    #[cfg(feature = "server")]
    pub(crate) fn is_non_null(&self, name: &str) -> bool {
        self.find_first_member(name).is_some_and(|node| node.value != Value::Null)
    }

    /// Returns the first member of the given name.
    pub(crate) fn find_first_member(&self, name: &str) -> Option<&'n Node<'n>> {
        self.find_all_members(name).next()
    }

    /// Reports every member whose name is not among `known`.
    pub(crate) fn report_unknown(&self, known: &[&str], report: &mut Report) {
        steps::record_steps(self.members.len().saturating_mul(known.len()));
        for (name, node) in self.members.iter().filter(|(name, _)| !known.contains(&name.as_ref())) {
            report.add_unknown_member(name, self.context.location(DocumentPosition { at: node.at, rank: 0 }));
        }
    }

    fn find_all_members(&self, name: &str) -> impl Iterator<Item = &'n Node<'n>> {
        steps::record_steps(self.members.len());
        self.members.iter().filter(move |(member, _)| member == name).map(|(_, node)| node)
    }

    /// Reads a text that only the server sets, and that a caller may send back. A value of another type, or a
    /// duplicate member, is treated as absent.
    pub(crate) fn read_server_text(&self, name: &str) -> Field<&'n str> {
        let mut found = self.find_all_members(name);
        match (found.next(), found.next()) {
            (Some(Node { value: Value::Text(text), at, .. }), None) => Field::Given { value: text, at: *at },
            _ => Field::Absent,
        }
    }

    /// Returns the position of the object itself.
    pub(crate) const fn object_location(&self) -> FaultLocation<'n> {
        self.context.location(DocumentPosition { at: self.at, rank: 0 })
    }

    /// Returns the position of a member that is present.
    pub(crate) fn member_location(&self, name: &'static str, at: u32) -> FaultLocation<'n> {
        self.context.with_member(name).location(DocumentPosition { at, rank: 0 })
    }

    /// Returns the position of a missing member, which is after all members of the object.
    pub(crate) fn missing_member_location(&self, name: &'static str, rank: u8) -> FaultLocation<'n> {
        self.context.with_member(name).location(DocumentPosition { at: self.end, rank })
    }

    /// Returns the position for the fault of a member without a value. This is the position of the member if
    /// it is present, and otherwise the position after all members of the object.
    fn empty_member_location(&self, name: &'static str, rank: u8) -> FaultLocation<'n> {
        match self.find_first_member(name) {
            Some(node) => self.member_location(name, node.at),
            None => self.missing_member_location(name, rank),
        }
    }
}
