//! Where a reader stands in a document, written as a JSON Pointer only when somebody asks.

use std::fmt;

/// A chain of steps back to the root of the document; nothing is allocated until it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pointer<'p> {
    parent: Option<&'p Pointer<'p>>,
    step: Step<'p>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'p> {
    Root,
    Member(&'p str),
    Element(usize),
}

impl<'p> Pointer<'p> {
    /// The whole document.
    pub(super) const ROOT: Self = Self { parent: None, step: Step::Root };

    /// A member of the object here; the name may be the caller's.
    pub(super) const fn member(&'p self, name: &'p str) -> Self {
        Self { parent: Some(self), step: Step::Member(name) }
    }

    /// An element of the array here.
    pub(super) const fn element(&'p self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Element(index) }
    }
}

/// A JSON Pointer (RFC 6901).
impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            write!(f, "{parent}")?;
        }
        match self.step {
            Step::Root => Ok(()),
            Step::Member(name) => write!(f, "/{}", name.replace('~', "~0").replace('/', "~1")),
            Step::Element(index) => write!(f, "/{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_escapes_what_rfc_6901_says() {
        let (root, odd) = (Pointer::ROOT, "a/b~c");
        let (list, line) = (root.member("workers"), 3);
        let worker = list.element(line);
        assert_eq!(worker.member(odd).to_string(), "/workers/3/a~1b~0c");
        assert_eq!(root.to_string(), "");
    }
}
