//! A fault of a request: its reason, its position and a description.

use std::fmt;

use crate::code::Reason;
use crate::steps;

/// The maximum number of faults in one response. A normal request has far fewer. The limit bounds the
/// memory that the faults of an invalid body of two megabytes need.
pub const MAX_FAULTS: usize = 10_000;

/// The position of a fault in the caller's document. Faults are sorted by this position, in the order of the
/// document.
///
/// `at` is the number of the value in reading order. A missing member sorts after all members of its parent,
/// and `rank` orders the missing members of one parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct DocumentPosition {
    /// The number of the value in reading order.
    pub at: u32,
    /// The order among faults at the same position.
    pub rank: u8,
}

/// One fault of a request.
///
/// ```
/// use payroll_domain::{input, violation::Violations};
/// let refused: Violations = input::parse(b"[1, 2").unwrap_err().into();
/// let fault = &refused.as_slice()[0];
/// assert_eq!((fault.reason.code(), fault.pointer.as_deref()), ("API-40", None));
/// assert_eq!(fault.description, "the body is not JSON at line 1 column 6");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The reason, which determines the code and the resolution.
    pub reason: Reason,
    /// JSON Pointer (RFC 6901) into the body. `None` if the fault concerns the complete request.
    pub pointer: Option<String>,
    /// The correlation id of the check with the fault. `None` if the check has none.
    pub correlation_id: Option<String>,
    /// The description: field, fault and allowed range, never a secret.
    pub description: String,
    /// The position of the fault in the document.
    pub position: DocumentPosition,
}

impl Violation {
    /// Creates a fault of the complete request.
    #[must_use]
    pub fn new(reason: Reason, description: impl Into<String>) -> Self {
        Self {
            reason,
            pointer: None,
            correlation_id: None,
            description: description.into(),
            position: DocumentPosition::default(),
        }
    }

    /// Returns the same fault at a position in the body.
    #[must_use]
    pub fn at_position(mut self, pointer: impl Into<String>, position: DocumentPosition) -> Self {
        self.pointer = Some(pointer.into());
        self.position = position;
        self
    }
}

/// Creates a fault of the complete request, with the general description of its reason.
impl From<Reason> for Violation {
    fn from(reason: Reason) -> Self {
        Self::new(reason, reason.summary())
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.reason.code(), self.description)?;
        match &self.pointer {
            Some(pointer) if !pointer.is_empty() => write!(f, " ({pointer})"),
            // The pointer to the complete document is an empty text, so the fault is shown without a pointer.
            Some(_) | None => Ok(()),
        }
    }
}

/// All faults of a request, at least one, in the order of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Sorts the faults in document order and removes duplicates of the same code and position. Returns
    /// `None` if there are no faults. If there are more than [`MAX_FAULTS`], the remaining faults are
    /// omitted, and the last fault reports the omission.
    #[must_use]
    pub fn from_faults(mut faults: Vec<Violation>) -> Option<Self> {
        steps::record_steps(faults.len());
        faults.sort_by_key(|fault| fault.position);
        let mut seen = std::collections::HashSet::new();
        // A fault without a position in the body, such as one of a query parameter, is identified by its
        // description.
        let place = |fault: &Violation| fault.pointer.clone().ok_or_else(|| fault.description.clone());
        faults.retain(|fault| seen.insert((fault.reason.code(), place(fault))));
        if faults.len() > MAX_FAULTS {
            faults.truncate(MAX_FAULTS);
            let rest = format!("there are more faults; only {MAX_FAULTS} are reported");
            faults.push(Violation::new(Reason::InvalidParameter, rest));
        }
        (!faults.is_empty()).then_some(Self(faults))
    }

    /// Returns whether every fault has the given reason.
    #[must_use]
    pub fn all_have_reason(&self, reason: Reason) -> bool {
        self.0.iter().all(|fault| fault.reason == reason)
    }

    /// Returns the faults of this list, followed by the given faults. The result is not sorted again.
    #[must_use]
    pub fn with_faults(mut self, faults: impl IntoIterator<Item = Violation>) -> Self {
        self.0.extend(faults);
        self
    }

    /// Returns the faults in document order.
    #[must_use]
    pub fn as_slice(&self) -> &[Violation] {
        &self.0
    }

    /// Iterates over the faults in document order.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.0.iter()
    }
}

/// Creates a list of one fault.
impl From<Violation> for Violations {
    fn from(fault: Violation) -> Self {
        Self(vec![fault])
    }
}

/// Creates a list of one fault, which concerns the complete request.
impl From<Reason> for Violations {
    fn from(reason: Reason) -> Self {
        Self(vec![reason.into()])
    }
}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Violations {}
