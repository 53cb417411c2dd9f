//! Limits the connections of a listener and chooses which connection to evict for a new one.
//!
//! A connection either waits for its client or processes a request. If the limit of the listener or of one
//! address is reached, a new connection replaces the connection that has waited longest. A connection whose
//! request has arrived completely is never evicted.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::future::poll_fn;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;

use crate::transport::limits::{IPV6_NETWORK_PREFIX, MAX_EVICTION_CANDIDATES};

/// The event that a connection waits for. Connections with smaller values are evicted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitReason {
    /// The connection waits for its first request. The server has no information about the client yet.
    FirstRequest = 0,
    /// The connection waits for its next request, or for the rest of a rejected body.
    NextRequest = 1,
    /// The connection waits for the rest of a body.
    Body = 2,
}

/// The connections of a listener.
#[derive(Debug)]
pub(crate) struct ConnectionRegistry {
    max: usize,
    max_per_address: usize,
    /// The sequence number of the next wait. Waits are ordered by these numbers.
    sequence: AtomicU64,
    /// The number of connections, readable without the lock.
    count: AtomicUsize,
    table: Mutex<ConnectionTable>,
}

#[derive(Debug, Default)]
struct ConnectionTable {
    next_id: u64,
    slots: HashMap<u64, Arc<ConnectionEntry>>,
    candidates: EvictionCandidates,
    /// The candidates for [`ConnectionTable::evict_longest_waiting_for_body`]: connections that wait for a
    /// body.
    bodies: EvictionCandidates,
    addresses: HashMap<IpAddr, AddressConnections>,
}

/// The connections from one address.
#[derive(Debug, Default)]
struct AddressConnections {
    count: usize,
    candidates: EvictionCandidates,
}

/// The next connections to evict. The last candidate in the list is evicted first. One search of all
/// connections finds several candidates, so that not every connection of a flood causes a search.
#[derive(Debug, Default)]
struct EvictionCandidates(Vec<(u64, u64)>);

/// The entry of one open connection in the table.
#[derive(Debug)]
struct ConnectionEntry {
    /// The client's address; `None` if no limit per address applies.
    address: Option<IpAddr>,
    /// Combines the event that the connection waits for and the start of the wait. Connections with smaller
    /// ranks are evicted first. [`NOT_EVICTABLE`] means that the connection does not wait.
    rank: AtomicU64,
    is_evicted: AtomicBool,
    waker: AtomicWaker,
}

/// The rank of a connection that processes a request.
const NOT_EVICTABLE: u64 = u64::MAX;
/// The number of low bits of a rank that contain the start of the wait. The higher bits contain the event.
const SEQUENCE_BITS: u32 = 56;

/// The registration of one open connection. Dropping the guard removes the connection from the registry.
#[derive(Debug)]
pub(crate) struct ConnectionGuard {
    connections: Arc<ConnectionRegistry>,
    id: u64,
    slot: Arc<ConnectionEntry>,
}

impl ConnectionRegistry {
    /// Limits the connections in total and per address.
    pub(crate) fn new(max: usize, max_per_address: usize) -> Arc<Self> {
        Arc::new(Self {
            max,
            max_per_address,
            sequence: AtomicU64::new(0),
            count: AtomicUsize::new(0),
            table: Mutex::default(),
        })
    }

    /// Registers a new connection. Returns its guard and the number of connections that were evicted for it.
    /// Without an address, the limit per address does not apply.
    pub(crate) fn register_connection(self: &Arc<Self>, address: Option<IpAddr>) -> (ConnectionGuard, usize) {
        let address = address.map(to_client_network);
        let rank = AtomicU64::new(self.eviction_rank(WaitReason::FirstRequest));
        let slot = Arc::new(ConnectionEntry {
            address,
            rank,
            is_evicted: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        });
        let mut table = self.lock_table();
        let mut evicted = 0;
        if let Some(address) = address
            && table.addresses.get(&address).is_some_and(|it| it.count >= self.max_per_address)
        {
            evicted += usize::from(table.evict_connection_of_address(address));
        }
        if table.slots.len() >= self.max {
            evicted += usize::from(table.evict_longest_waiting());
        }
        let id = table.insert(Arc::clone(&slot));
        self.count.store(table.slots.len(), Ordering::Relaxed);
        drop(table);
        (ConnectionGuard { connections: Arc::clone(self), id, slot }, evicted)
    }

    /// Whether there are more connections than allowed, because no connection could be evicted.
    fn is_over_limit(&self) -> bool {
        self.count.load(Ordering::Relaxed) > self.max
    }

    fn eviction_rank(&self, wait: WaitReason) -> u64 {
        ((wait as u64) << SEQUENCE_BITS) | self.sequence.fetch_add(1, Ordering::Relaxed)
    }

    fn lock_table(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionTable {
    fn insert(&mut self, slot: Arc<ConnectionEntry>) -> u64 {
        self.next_id += 1;
        if let Some(address) = slot.address {
            self.addresses.entry(address).or_default().count += 1;
        }
        self.slots.insert(self.next_id, slot);
        self.next_id
    }

    fn remove(&mut self, id: u64) {
        let Some(slot) = self.slots.remove(&id) else { return };
        let Some(address) = slot.address else { return };
        let Some(of_address) = self.addresses.get_mut(&address) else { return };
        of_address.count = of_address.count.saturating_sub(1);
        if of_address.count == 0 {
            self.addresses.remove(&address);
        }
    }

    /// Evicts the connection that has waited longest. Returns whether a connection was evicted.
    fn evict_longest_waiting(&mut self) -> bool {
        let oldest = self.candidates.next(&self.slots, |_| true);
        oldest.is_some_and(|id| self.evict_connection(id))
    }

    /// Evicts the connection that has waited longest for a body. Returns whether a connection was evicted.
    fn evict_longest_waiting_for_body(&mut self) -> bool {
        let oldest = self.bodies.next(&self.slots, |slot| {
            slot.rank.load(Ordering::Relaxed) >> SEQUENCE_BITS == WaitReason::Body as u64
        });
        oldest.is_some_and(|id| self.evict_connection(id))
    }

    fn evict_connection_of_address(&mut self, address: IpAddr) -> bool {
        let Some(of_address) = self.addresses.get_mut(&address) else { return false };
        let oldest = of_address.candidates.next(&self.slots, |slot| slot.address == Some(address));
        oldest.is_some_and(|id| self.evict_connection(id))
    }

    fn evict_connection(&mut self, id: u64) -> bool {
        let Some(slot) = self.slots.get(&id).cloned() else { return false };
        self.remove(id);
        slot.is_evicted.store(true, Ordering::Release);
        slot.waker.wake();
        true
    }
}

impl EvictionCandidates {
    /// Returns the candidate that has waited longest; `None` if no connection waits.
    fn next(
        &mut self,
        slots: &HashMap<u64, Arc<ConnectionEntry>>,
        fits: impl Fn(&ConnectionEntry) -> bool,
    ) -> Option<u64> {
        let still_waits =
            |id: u64, rank: u64| slots.get(&id).is_some_and(|slot| slot.rank.load(Ordering::Relaxed) == rank);
        while let Some((rank, id)) = self.0.pop() {
            if still_waits(id, rank) {
                return Some(id);
            }
        }
        self.0.extend(slots.iter().filter(|(_, slot)| fits(slot)).filter_map(|(id, slot)| {
            let rank = slot.rank.load(Ordering::Relaxed);
            (rank != NOT_EVICTABLE).then_some((rank, *id))
        }));
        if self.0.len() > MAX_EVICTION_CANDIDATES {
            self.0.select_nth_unstable(MAX_EVICTION_CANDIDATES);
            self.0.truncate(MAX_EVICTION_CANDIDATES);
        }
        self.0.sort_unstable_by(|one, other| other.cmp(one));
        // Only candidates that wait for the same event as the first candidate remain in the list.
        // Connections that start to wait for this event later are not in the list. Such connections must be
        // evicted before connections that wait for an event with a larger value.
        let first = self.0.last().map(|(rank, _)| rank >> SEQUENCE_BITS);
        self.0.retain(|(rank, _)| Some(rank >> SEQUENCE_BITS) == first);
        self.0.pop().map(|(_, id)| id)
    }
}

impl ConnectionGuard {
    /// Marks the connection as waiting for its client.
    pub(crate) fn mark_waiting(&self, wait: WaitReason) {
        self.slot.rank.store(self.connections.eviction_rank(wait), Ordering::Relaxed);
    }

    /// Marks the connection as processing a request, so that it is not evicted.
    pub(crate) fn set_busy(&self) {
        self.slot.rank.store(NOT_EVICTABLE, Ordering::Relaxed);
    }

    /// Evicts the connection that has waited longest for a body, to free the memory of its request. Returns
    /// whether a connection was evicted.
    pub(crate) fn evict_longest_waiting_for_body(&self) -> bool {
        self.connections.lock_table().evict_longest_waiting_for_body()
    }

    /// Whether the connection must end after the current response.
    pub(crate) fn is_last_request(&self) -> bool {
        self.slot.is_evicted.load(Ordering::Acquire) || self.connections.is_over_limit()
    }

    /// Whether the connection was evicted.
    pub(crate) fn is_evicted(&self) -> bool {
        self.slot.is_evicted.load(Ordering::Acquire)
    }

    /// Returns `Poll::Ready` when the connection is evicted.
    pub(crate) fn poll_evicted(&self, context: &mut Context<'_>) -> Poll<()> {
        self.slot.waker.register(context.waker());
        if self.is_evicted() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Waits until the connection is evicted.
    pub(crate) async fn wait_until_evicted(&self) {
        poll_fn(|context| self.poll_evicted(context)).await;
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        let mut table = self.connections.lock_table();
        table.remove(self.id);
        self.connections.count.store(table.slots.len(), Ordering::Relaxed);
    }
}

/// Returns the network of an address, which counts as one address. For IPv6 this is the /64 prefix, because
/// one customer owns the complete prefix. An IPv4 address is unchanged.
pub(crate) fn to_client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let mask = u128::MAX << (u128::BITS - IPV6_NETWORK_PREFIX);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}
