//! Which thread owns which connection of a pool.

use std::collections::HashMap;
use std::thread::ThreadId;

/// The thread that drives a connection. `None` stands for the threads of a shared runtime.
pub(super) type Owner = Option<ThreadId>;

/// The connections of a pool that are not in use, and the number of open ones, by owner.
pub(super) struct Threads<C> {
    max: usize,
    owners: HashMap<Owner, Connections<C>>,
}

struct Connections<C> {
    /// The number of connections that are open or being opened.
    open: usize,
    /// The connections that are not in use. The last one was used last.
    idle: Vec<C>,
}

/// The connection for a unit of work. It counts as open until it is given back or closed.
pub(super) struct Choice<C> {
    pub(super) owner: Owner,
    /// `None` if the thread must open the connection.
    pub(super) connection: Option<C>,
}

impl<C> Default for Connections<C> {
    fn default() -> Self {
        Self { open: 0, idle: Vec::new() }
    }
}

impl<C> Threads<C> {
    /// The state of a pool of at most `max` connections without an open one.
    pub(super) fn new(max: usize) -> Self {
        Self { max, owners: HashMap::new() }
    }

    /// Chooses a connection for a thread: an idle one of its own, a new one, or an idle one of another thread.
    /// If the other thread has more than its share and this one less, the other connection is replaced by a
    /// new one of this thread.
    ///
    /// The caller holds one of `max` permits. So there is an idle connection whenever `max` are open.
    pub(super) fn choose(&mut self, owner: Owner) -> Choice<C> {
        let own = self.owners.entry(owner).or_default();
        if let Some(connection) = own.idle.pop() {
            return Choice { owner, connection: Some(connection) };
        }
        let own_open = own.open;
        if self.counts().0 >= self.max
            && let Some((other, connection)) = self.take_from_another()
        {
            if own_open >= self.share() || self.open(other) <= self.share() {
                return Choice { owner: other, connection: Some(connection) };
            }
            self.closed(other);
        }
        self.owners.entry(owner).or_default().open += 1;
        Choice { owner, connection: None }
    }

    /// Returns a connection that is not in use any more.
    pub(super) fn give_back(&mut self, owner: Owner, connection: C) {
        self.owners.entry(owner).or_default().idle.push(connection);
    }

    /// Counts a connection as closed.
    pub(super) fn closed(&mut self, owner: Owner) {
        let of_owner = self.owners.entry(owner).or_default();
        of_owner.open = of_owner.open.saturating_sub(1);
    }

    /// Removes all idle connections. They count as closed.
    pub(super) fn take_idle(&mut self) -> Vec<C> {
        let of_owner = |connections: &mut Connections<C>| {
            connections.open = connections.open.saturating_sub(connections.idle.len());
            std::mem::take(&mut connections.idle)
        };
        self.owners.values_mut().flat_map(of_owner).collect()
    }

    /// The numbers of open and of idle connections.
    pub(super) fn counts(&self) -> (usize, usize) {
        let sum =
            |(open, idle), of_owner: &Connections<C>| (open + of_owner.open, idle + of_owner.idle.len());
        self.owners.values().fold((0, 0), sum)
    }

    /// An idle connection of the thread that has the most of them.
    fn take_from_another(&mut self) -> Option<(Owner, C)> {
        let (owner, connections) = self.owners.iter_mut().max_by_key(|(_, it)| it.idle.len())?;
        Some((*owner, connections.idle.pop()?))
    }

    /// The number of connections that each thread may replace connections of other threads up to.
    fn share(&self) -> usize {
        self.max / self.owners.len().max(1)
    }

    fn open(&self, owner: Owner) -> usize {
        self.owners.get(&owner).map_or(0, |it| it.open)
    }
}

#[cfg(test)]
mod tests;
