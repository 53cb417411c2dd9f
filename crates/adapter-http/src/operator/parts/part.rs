//! Which list of a worker's document.

/// A list of a worker's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::operator) struct Part {
    /// The member that holds the list.
    pub(in crate::operator) member: &'static str,
    /// The member of an element that holds its id.
    pub(in crate::operator) id_member: &'static str,
}
