//! Reading the members of an object: each is absent, failed, or a value with its place.

use std::borrow::Cow;

use super::{Node, Path, Value};
use crate::code::Reason;
use crate::report::{Fault, Report, Spot};
use crate::steps;
use crate::violation::Place;
#[cfg(feature = "server")]
use crate::violation::{Violation, Violations};

/// What became of a member. A rule that needs it stays silent when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field<T> {
    /// Not there, `null` or an empty string.
    Absent,
    /// There, and a fault was reported; it has no value.
    Failed,
    /// There.
    Given {
        /// What it says.
        value: T,
        /// Its number in reading order.
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

    /// The value, or that there is none; `None` when it failed.
    pub(crate) fn unless_failed(self) -> Option<Option<T>> {
        match self {
            Self::Given { value, .. } => Some(Some(value)),
            Self::Absent => Some(None),
            Self::Failed => None,
        }
    }

    pub(crate) const fn is_given(&self) -> bool {
        matches!(self, Self::Given { .. })
    }

    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    pub(crate) const fn is_failed(&self) -> bool {
        matches!(self, Self::Failed)
    }
}

/// The place of an object, and its check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'c> {
    pub(crate) path: Path,
    pub(crate) correlation_id: Option<&'c str>,
}

impl<'c> Context<'c> {
    /// The complete document, around which there is no check.
    pub(crate) const DOCUMENT: Self = Self { path: Path::ROOT, correlation_id: None };

    /// That of the value of a member.
    pub(crate) fn member(self, name: &'static str) -> Self {
        Self { path: self.path.member(name), ..self }
    }

    /// That of an element.
    pub(crate) fn element(self, index: usize) -> Self {
        Self { path: self.path.element(index), ..self }
    }

    /// A place in it.
    pub(crate) const fn spot(self, place: Place) -> Spot<'c> {
        Spot { path: self.path, place, correlation_id: self.correlation_id }
    }
}

/// An object whose members are being read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members<'n> {
    members: &'n [(Cow<'n, str>, Node<'n>)],
    /// The number of the object itself.
    at: u32,
    /// The number of the last value in the object: what is missing is reported after it.
    end: u32,
    pub(crate) context: Context<'n>,
}

impl<'n> Members<'n> {
    /// The members of the value; `None` when it is no object.
    pub(crate) fn of(node: &'n Node<'n>, context: Context<'n>) -> Option<Self> {
        match &node.value {
            Value::Object(members) => Some(Self { members, at: node.at, end: node.end, context }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Array(_) => None,
        }
    }

    /// The members of a body that must be one object and say something; `rule` is the error for another.
    ///
    /// # Errors
    /// `API-52` for an empty one, `API-40` for what is no object.
    #[cfg(feature = "server")]
    pub(crate) fn of_body(document: &'n Node<'n>, rule: &str) -> Result<Self, Violations> {
        match &document.value {
            Value::Object(members) if members.is_empty() => Err(Reason::EmptyRequest.into()),
            Value::Array(elements) if elements.is_empty() => Err(Reason::EmptyRequest.into()),
            _ => Self::of(document, Context::DOCUMENT)
                .ok_or_else(|| Violation::new(Reason::InvalidParameter, rule).into()),
        }
    }

    /// Reads a member that may be absent.
    pub(crate) fn optional<T>(
        &self,
        name: &'static str,
        report: &mut Report,
        parse: impl FnOnce(&'n Node<'n>) -> Result<T, Fault>,
    ) -> Field<T> {
        let node = match self.find(name, report) {
            Field::Given { value, .. } => value,
            Field::Absent => return Field::Absent,
            Field::Failed => return Field::Failed,
        };
        match parse(node) {
            Ok(value) => Field::Given { value, at: node.at },
            Err(fault) => {
                let description = format!("{name} {}", fault.description);
                report.add(fault.reason, self.spot(name, node.at), description);
                Field::Failed
            }
        }
    }

    /// Finds the value of a member that may be absent; one that is there twice is reported.
    pub(crate) fn find(&self, name: &'static str, report: &mut Report) -> Field<&'n Node<'n>> {
        let mut found = self.named(name);
        let Some(node) = found.next() else { return Field::Absent };
        if found.next().is_some() {
            let description = format!("{name} stands more than once");
            report.add(Reason::FieldAmbiguous, self.spot(name, node.at), description);
            return Field::Failed;
        }
        if node.value.is_nothing() { Field::Absent } else { Field::Given { value: node, at: node.at } }
    }

    /// Reads a member that may be absent, or `null`, but not empty: where absence means all there are, an
    /// empty text must not.
    #[cfg(feature = "server")]
    pub(crate) fn filled<T>(
        &self,
        name: &'static str,
        report: &mut Report,
        parse: impl FnOnce(&'n Node<'n>) -> Result<T, Fault>,
    ) -> Field<T> {
        let field = self.optional(name, report, parse);
        if field.is_absent() && self.says(name) {
            report.add_missing(self.missing_spot(name, 0), format!("{name} is empty"));
            return Field::Failed;
        }
        field
    }

    /// Reads a member that must be there; its absence is reported, as the `rank`th of what this
    /// place lacks, and the field has failed.
    pub(crate) fn required<T>(
        &self,
        name: &'static str,
        rank: u8,
        report: &mut Report,
        parse: impl FnOnce(&'n Node<'n>) -> Result<T, Fault>,
    ) -> Field<T> {
        let field = self.optional(name, report, parse);
        if field.is_absent() {
            report.add_missing(self.missing_spot(name, rank), format!("{name} is missing"));
            return Field::Failed;
        }
        field
    }

    /// The first member of that name, where it is a value.
    #[cfg(feature = "server")]
    pub(crate) fn given(&self, name: &str) -> Option<&'n Node<'n>> {
        self.first(name).filter(|node| !node.value.is_nothing())
    }

    /// Whether a member of that name says something, if only that there is nothing: it is not `null`.
    #[cfg(feature = "server")]
    pub(crate) fn says(&self, name: &str) -> bool {
        self.first(name).is_some_and(|node| node.value != Value::Null)
    }

    /// The first member of that name.
    pub(crate) fn first(&self, name: &str) -> Option<&'n Node<'n>> {
        self.named(name).next()
    }

    /// Reports every member whose name is not among these.
    pub(crate) fn report_unknown(&self, known: &[&str], report: &mut Report) {
        steps::count(self.members.len().saturating_mul(known.len()));
        for (name, node) in self.members.iter().filter(|(name, _)| !known.contains(&name.as_ref())) {
            report.add_unknown(name, self.context.spot(Place { at: node.at, rank: 0 }));
        }
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &'n Node<'n>> {
        steps::count(self.members.len());
        self.members.iter().filter(move |(member, _)| member == name).map(|(_, node)| node)
    }

    /// Reads a text that only the server sets: any other value is ignored.
    pub(crate) fn ignorable_text(&self, name: &str) -> Field<&'n str> {
        let mut found = self.named(name);
        match (found.next(), found.next()) {
            (Some(Node { value: Value::Text(text), at, .. }), None) => Field::Given { value: text, at: *at },
            _ => Field::Absent,
        }
    }

    /// The place of the object itself.
    pub(crate) const fn own_spot(&self) -> Spot<'n> {
        self.context.spot(Place { at: self.at, rank: 0 })
    }

    /// The place of a member that is there.
    pub(crate) fn spot(&self, name: &'static str, at: u32) -> Spot<'n> {
        self.context.member(name).spot(Place { at, rank: 0 })
    }

    /// The place of a member that is not there, after everything that the object holds.
    pub(crate) fn spot_behind(&self, name: &'static str, rank: u8) -> Spot<'n> {
        self.context.member(name).spot(Place { at: self.end, rank })
    }

    /// The place of a member that says nothing: its own, or after everything that the object holds, where it
    /// would be.
    fn missing_spot(&self, name: &'static str, rank: u8) -> Spot<'n> {
        match self.first(name) {
            Some(node) => self.spot(name, node.at),
            None => self.spot_behind(name, rank),
        }
    }
}
