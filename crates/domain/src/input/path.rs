//! The path of a value in a document. The path is formatted as a JSON Pointer only when a fault is reported.

use std::fmt;

/// The maximum number of steps in a path. The longest path leads from the company to a telephone of a
/// worker's contact.
const MAX_STEPS: usize = 10;

/// A path from the root of a document. The type is small and `Copy`, so that extending a path needs no
/// allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Path {
    steps: [Step; MAX_STEPS],
    length: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Element(usize),
    Member(&'static str),
}

impl Path {
    /// The path of the complete document.
    pub(crate) const ROOT: Self = Self { steps: [Step::Element(0); MAX_STEPS], length: 0 };

    /// Returns the path of an element of the array at this path.
    pub(crate) fn with_element(self, index: usize) -> Self {
        self.with_step(Step::Element(index))
    }

    /// Returns the path of a member of the object at this path. Member names are constants of this program
    /// and need no escaping.
    pub(crate) fn with_member(self, name: &'static str) -> Self {
        self.with_step(Step::Member(name))
    }

    /// Adds a step. If the path already has the maximum length, the result is the path itself.
    fn with_step(mut self, step: Step) -> Self {
        if let Some(free) = self.steps.get_mut(usize::from(self.length)) {
            *free = step;
            self.length += 1;
        }
        self
    }
}

/// Formats the path as a JSON Pointer (RFC 6901).
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().take(self.length.into()).try_for_each(|step| match step {
            Step::Element(index) => write!(f, "/{index}"),
            Step::Member(name) => write!(f, "/{name}"),
        })
    }
}
