//! One fault of a request: its reason, its place and a sentence about it.

use std::fmt;

use crate::code::Reason;
use crate::steps;

/// Faults that one response reports: far more than a request of honest size can hold, and a bound on
/// what a body of two megabytes of nonsense can make this program write.
pub const MAX_FAULTS: usize = 10_000;

/// The place of a fault in the caller's document, for sorting faults as the caller wrote them.
///
/// `at` counts the values of the document in reading order; something that is missing sorts after everything
/// that its parent holds, and `rank` orders what is missing at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The number of the value in reading order.
    pub at: u32,
    /// The order among faults of one place.
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
    /// Why; gives the code and the resolution.
    pub reason: Reason,
    /// JSON Pointer (RFC 6901) into the body; `None` when the fault is of the complete request.
    pub pointer: Option<String>,
    /// The correlation id of the check at fault, where it has one.
    pub correlation_id: Option<String>,
    /// What is wrong: field, fault and allowed range; never a secret.
    pub description: String,
    /// Its place in the document.
    pub place: Place,
}

impl Violation {
    /// A fault of the complete request.
    #[must_use]
    pub fn new(reason: Reason, description: impl Into<String>) -> Self {
        Self {
            reason,
            pointer: None,
            correlation_id: None,
            description: description.into(),
            place: Place::default(),
        }
    }

    /// The same fault at a place of the body.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>, place: Place) -> Self {
        self.pointer = Some(pointer.into());
        self.place = place;
        self
    }
}

/// A fault of the complete request, described in the general words of its reason.
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
            // The pointer to the whole document is the empty one, which says nothing to people.
            Some(_) | None => Ok(()),
        }
    }
}

/// All faults of a request, at least one, in the order of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Sorts the faults in document order and keeps one for each code and place; `None` without a
    /// fault. Of more than 10,000 faults the rest is left out, and the last one says so.
    #[must_use]
    pub fn collect(mut faults: Vec<Violation>) -> Option<Self> {
        steps::count(faults.len());
        faults.sort_by_key(|fault| fault.place);
        let mut seen = std::collections::HashSet::new();
        // What has no place in the body, such as a parameter of the query, is known by its description.
        let place = |fault: &Violation| fault.pointer.clone().ok_or_else(|| fault.description.clone());
        faults.retain(|fault| seen.insert((fault.reason.code(), place(fault))));
        if faults.len() > MAX_FAULTS {
            faults.truncate(MAX_FAULTS);
            let rest = format!("there are more faults; only {MAX_FAULTS} are reported");
            faults.push(Violation::new(Reason::InvalidParameter, rest));
        }
        (!faults.is_empty()).then_some(Self(faults))
    }

    /// Whether every fault has that reason.
    ///
    /// Adding a check that exists already gets another response when nothing else is wrong (specification
    /// §7.4, API-51).
    #[must_use]
    pub fn are_all(&self, reason: Reason) -> bool {
        self.0.iter().all(|fault| fault.reason == reason)
    }

    /// These faults, and others after them.
    #[must_use]
    pub fn and(mut self, faults: impl IntoIterator<Item = Violation>) -> Self {
        self.0.extend(faults);
        self
    }

    /// The faults, in document order.
    #[must_use]
    pub fn as_slice(&self) -> &[Violation] {
        &self.0
    }

    /// The faults, in document order.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.0.iter()
    }
}

/// One fault alone.
impl From<Violation> for Violations {
    fn from(fault: Violation) -> Self {
        Self(vec![fault])
    }
}

/// One fault of the complete request alone.
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
