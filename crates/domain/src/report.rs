//! Collects faults while a document is read and validated.

use std::fmt::Display;

use crate::code::Reason;
use crate::input::Path;
use crate::steps;
use crate::violation::{DocumentPosition, MAX_FAULTS, Violation, Violations};

/// The position of a fault in the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaultLocation<'c> {
    pub(crate) path: Path,
    pub(crate) position: DocumentPosition,
    /// The correlation id of the check that contains the fault. `None` if the check has none.
    pub(crate) correlation_id: Option<&'c str>,
}

/// The fault of one value. The description omits the name of the member, such as `must be 9 digits`.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) reason: Reason,
    pub(crate) description: String,
}

/// The faults of a request so far.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    missing_reason: Reason,
    faults: Vec<Violation>,
}

impl Fault {
    /// Creates the fault of a value that is invalid.
    pub(crate) fn invalid(description: impl Into<String>) -> Self {
        Self { reason: Reason::FieldInvalid, description: description.into() }
    }
}

impl Report {
    /// Creates an empty report. `missing` is the reason code for missing required members.
    pub(crate) const fn new(missing: Reason) -> Self {
        Self { missing_reason: missing, faults: Vec::new() }
    }

    /// Adds a fault. The description must contain the name of the member, the fault and the allowed range.
    pub(crate) fn add(
        &mut self,
        reason: Reason,
        location: FaultLocation<'_>,
        description: impl Into<String>,
    ) {
        self.add_at_position(location.path, reason, location, description);
    }

    /// Adds the fault of an unknown member. `name` comes from the caller's document, so it is escaped in
    /// the pointer.
    pub(crate) fn add_unknown_member(&mut self, name: &str, object: FaultLocation<'_>) {
        let pointer = format_args!("{}/{}", object.path, name.replace('~', "~0").replace('/', "~1"));
        self.add_at_position(pointer, Reason::FieldInvalid, object, "the member is unknown");
    }

    fn add_at_position(
        &mut self,
        pointer: impl Display,
        reason: Reason,
        location: FaultLocation<'_>,
        description: impl Into<String>,
    ) {
        // One fault more than the maximum of a response is stored, so that the response can report that there
        // are more.
        if self.faults.len() > MAX_FAULTS {
            return;
        }
        let pointer = pointer.to_string();
        steps::record_steps(pointer.len());
        self.faults.push(Violation {
            reason,
            pointer: Some(pointer),
            correlation_id: location.correlation_id.map(str::to_owned),
            description: description.into(),
            position: location.position,
        });
    }

    /// Adds the fault of a missing required member.
    pub(crate) fn add_missing_fault(&mut self, location: FaultLocation<'_>, description: impl Into<String>) {
        self.add(self.missing_reason, location, description);
    }

    /// Returns the number of faults in the report.
    #[cfg(feature = "server")]
    pub(crate) const fn fault_count(&self) -> usize {
        self.faults.len()
    }

    /// Inserts the faults of the report `part` at index `at`, before all faults that were added later.
    #[cfg(feature = "server")]
    pub(crate) fn insert_faults(&mut self, at: usize, part: Self) {
        let later_faults = self.faults.split_off(at.min(self.faults.len()));
        steps::record_steps(later_faults.len().saturating_add(part.faults.len()));
        let room = (MAX_FAULTS + 1).saturating_sub(self.faults.len());
        self.faults.extend(part.faults.into_iter().chain(later_faults).take(room));
    }

    /// Returns the result of `read` if the report has no faults.
    ///
    /// # Errors
    /// Returns all faults in document order.
    #[cfg(feature = "server")]
    pub(crate) fn into_result<T>(self, read: impl FnOnce() -> Option<T>) -> Result<T, Violations> {
        match self.into_violations() {
            Some(faults) => Err(faults),
            // Without faults, `read` must return a value. `None` is therefore a bug in this program.
            None => read().ok_or_else(|| Reason::Internal.into()),
        }
    }

    /// Returns all faults in document order. `None` if there are no faults.
    pub(crate) fn into_violations(self) -> Option<Violations> {
        Violations::from_faults(self.faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_escaped_as_in_rfc_6901() {
        let mut report = Report::new(Reason::FieldMissing);
        let path = Path::ROOT.with_member("workers").with_element(3);
        report.add_unknown_member(
            "a/b~c",
            FaultLocation { path, position: DocumentPosition::default(), correlation_id: None },
        );
        let faults = report.into_violations().unwrap();
        assert_eq!(faults.as_slice()[0].pointer.as_deref(), Some("/workers/3/a~1b~0c"));
    }
}
