//! Faults being gathered while a document is read and judged.

use crate::code::Reason;
use crate::input::Path;
use crate::steps;
use crate::violation::{MAX_FAULTS, Place, Violation, Violations};

/// Where a fault stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'c> {
    pub(crate) path: Path,
    pub(crate) place: Place,
    /// The correlation id of the check around it, where it has one.
    pub(crate) correlation_id: Option<&'c str>,
}

/// Why a value is not what it should be; the sentence goes on after the member's name.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) reason: Reason,
    pub(crate) description: String,
}

/// The faults of a request so far.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    missing: Reason,
    faults: Vec<Violation>,
}

impl Fault {
    /// A value that is invalid as it stands.
    pub(crate) fn invalid(description: impl Into<String>) -> Self {
        Self { reason: Reason::FieldInvalid, description: description.into() }
    }
}

impl Report {
    /// An empty report; `missing` is the reason for whatever is missing.
    pub(crate) const fn new(missing: Reason) -> Self {
        Self { missing, faults: Vec::new() }
    }

    /// Adds a fault. Its description names the field, the fault and the allowed range.
    pub(crate) fn add(&mut self, reason: Reason, spot: Spot<'_>, description: impl Into<String>) {
        // One more than are reported, so that sorting them shows that there are more.
        if self.faults.len() > MAX_FAULTS {
            return;
        }
        let pointer = spot.path.to_string();
        steps::count(pointer.len());
        self.faults.push(Violation {
            reason,
            pointer: Some(pointer),
            correlation_id: spot.correlation_id.map(str::to_owned),
            description: description.into(),
            place: spot.place,
        });
    }

    /// Adds that something required is missing.
    pub(crate) fn add_missing(&mut self, spot: Spot<'_>, description: impl Into<String>) {
        self.add(self.missing, spot, description);
    }

    /// All faults in document order; `None` without one.
    pub(crate) fn finish(self) -> Option<Violations> {
        Violations::collect(self.faults)
    }
}
