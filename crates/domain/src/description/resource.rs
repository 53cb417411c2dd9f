//! The trait that `described!` implements for each resource.

use super::values::{Cell, Column, Member, MemberSource, RemainingCells, Seal};
use crate::event::EventDomain;

/// A resource with a description of its members.
pub trait Described: MemberSource + Clone + Send + Sync + Sized + 'static {
    /// A sentence that describes the resource, from its doc comment. The text begins with a space.
    const WORDS: &'static str;
    /// The members, in the order in which they are written.
    const MEMBERS: &'static [Member];
    /// The columns of the members, in the order of the members.
    const COLUMNS: &'static [Column];

    /// Appends one cell for each column to `cells`. Returns `None` if a decimal does not fit into 64 bits, or
    /// if a value cannot be encrypted.
    fn append_cells(&self, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()>;

    /// Takes this resource's cells from the iterator and creates the resource from them.
    ///
    /// # Errors
    /// Returns the name of the first member with invalid cells.
    fn take_from_cells(cells: &mut RemainingCells, seal: &dyn Seal) -> Result<Self, &'static str>;

    /// Returns whether the two resources differ in a member whose change fires an event of the given domain.
    fn differs_for_event(&self, other: &Self, event: EventDomain) -> bool;

    /// Returns the members as cells. Returns `None` in the same cases as [`Self::append_cells`].
    fn to_cells(&self, seal: &dyn Seal) -> Option<Vec<Cell>> {
        let mut cells = Vec::with_capacity(Self::COLUMNS.len());
        self.append_cells(seal, &mut cells).map(|()| cells)
    }
}
