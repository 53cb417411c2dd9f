//! What a description makes of a resource.

use super::values::{Cell, Cells, Column, Member, Seal, Show};
use crate::event::EventDomain;

/// A resource with a description.
pub trait Described: Show + Clone + Send + Sync + Sized + 'static {
    /// What it is, in a sentence, with a space before it.
    const WORDS: &'static str;
    /// Its members, in the order in which they are written.
    const MEMBERS: &'static [Member];
    /// The columns of its members, in their order.
    const COLUMNS: &'static [Column];

    /// Adds its members as storage keeps them, a cell for each column; `None` where a decimal is beyond
    /// 64 bits, or something cannot be sealed.
    fn store(&self, seal: &dyn Seal, cells: &mut Vec<Cell>) -> Option<()>;

    /// The resource of these cells, which are taken.
    ///
    /// # Errors
    /// The name of the first member whose cells make no sense.
    fn load(cells: &mut Cells, seal: &dyn Seal) -> Result<Self, &'static str>;

    /// Whether a member differs whose change fires an event of that domain.
    fn differs(&self, other: &Self, event: EventDomain) -> bool;

    /// Its members as storage keeps them; `None` as in [`Self::store`].
    fn cells(&self, seal: &dyn Seal) -> Option<Vec<Cell>> {
        let mut cells = Vec::with_capacity(Self::COLUMNS.len());
        self.store(seal, &mut cells).map(|()| cells)
    }
}
