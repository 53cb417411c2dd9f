//! The connections of a listener: how many there may be, and which one makes room for a new one.
//!
//! A connection either waits for its client or works on a request. Where a listener, or one address on it, has
//! as many connections as it may have, a new connection takes the place of the one that has waited longest. A
//! request that has arrived in full is never ended for another one.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::future::poll_fn;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;

use crate::transport::limits::{EVICTION_BATCH, PREFIX_V6};

/// What a connection waits for. Those that come first here make room first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Its first request. Nothing is known of the client yet.
    FirstRequest = 0,
    /// The next request, or the rest of a body that was rejected.
    NextRequest = 1,
    /// The rest of a body.
    Body = 2,
}

/// The connections of a listener.
#[derive(Debug)]
pub(crate) struct Connections {
    max: usize,
    max_per_address: usize,
    /// Orders connections by when they began to wait.
    sequence: AtomicU64,
    /// How many there are, without the lock.
    count: AtomicUsize,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    next_id: u64,
    slots: HashMap<u64, Arc<Slot>>,
    all: Candidates,
    /// Those that wait for a body.
    bodies: Candidates,
    addresses: HashMap<IpAddr, Address>,
}

/// The connections of one address.
#[derive(Debug, Default)]
struct Address {
    count: usize,
    candidates: Candidates,
}

/// Connections that are to make room next, the first one last: found for several evictions at once, so that a
/// flood of connections does not search through all of them each time.
#[derive(Debug, Default)]
struct Candidates(Vec<(u64, u64)>);

/// One open connection of the listener.
#[derive(Debug)]
struct Slot {
    /// `None`: no limit for addresses applies to it.
    address: Option<IpAddr>,
    /// What it waits for and since when; smaller ranks make room first. [`WORKING`] while it does not wait.
    rank: AtomicU64,
    evicted: AtomicBool,
    waker: AtomicWaker,
}

/// The rank of a connection that waits for nothing.
const WORKING: u64 = u64::MAX;
/// Bits of a rank that hold the moment; what is waited for is above them.
const MOMENT_BITS: u32 = 56;

/// The place of a connection among all, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    connections: Arc<Connections>,
    id: u64,
    slot: Arc<Slot>,
}

impl Connections {
    /// At most that many in all, and from one address.
    pub(crate) fn new(max: usize, max_per_address: usize) -> Arc<Self> {
        Arc::new(Self {
            max,
            max_per_address,
            sequence: AtomicU64::new(0),
            count: AtomicUsize::new(0),
            places: Mutex::default(),
        })
    }

    /// The place of a new connection, and how many connections were evicted for it. `None` is an address to
    /// which no limit applies.
    pub(crate) fn open(self: &Arc<Self>, address: Option<IpAddr>) -> (Place, usize) {
        let address = address.map(network);
        let rank = AtomicU64::new(self.rank(Wait::FirstRequest));
        let slot =
            Arc::new(Slot { address, rank, evicted: AtomicBool::new(false), waker: AtomicWaker::new() });
        let mut places = self.places();
        let mut evicted = 0;
        if let Some(address) = address
            && places.addresses.get(&address).is_some_and(|it| it.count >= self.max_per_address)
        {
            evicted += usize::from(places.evict_of_address(address));
        }
        if places.slots.len() >= self.max {
            evicted += usize::from(places.evict());
        }
        let id = places.insert(Arc::clone(&slot));
        self.count.store(places.slots.len(), Ordering::Relaxed);
        drop(places);
        (Place { connections: Arc::clone(self), id, slot }, evicted)
    }

    /// Whether there are more than there may be, since none could make room.
    fn is_over_limit(&self) -> bool {
        self.count.load(Ordering::Relaxed) > self.max
    }

    fn rank(&self, wait: Wait) -> u64 {
        ((wait as u64) << MOMENT_BITS) | self.sequence.fetch_add(1, Ordering::Relaxed)
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    fn insert(&mut self, slot: Arc<Slot>) -> u64 {
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

    /// Evicts the connection that has waited longest, if any waits.
    fn evict(&mut self) -> bool {
        let oldest = self.all.next(&self.slots, |_| true);
        oldest.is_some_and(|id| self.evict_one(id))
    }

    /// Evicts the connection that has waited longest for a body, if any does.
    fn evict_body(&mut self) -> bool {
        let oldest = self
            .bodies
            .next(&self.slots, |slot| slot.rank.load(Ordering::Relaxed) >> MOMENT_BITS == Wait::Body as u64);
        oldest.is_some_and(|id| self.evict_one(id))
    }

    fn evict_of_address(&mut self, address: IpAddr) -> bool {
        let Some(of_address) = self.addresses.get_mut(&address) else { return false };
        let oldest = of_address.candidates.next(&self.slots, |slot| slot.address == Some(address));
        oldest.is_some_and(|id| self.evict_one(id))
    }

    fn evict_one(&mut self, id: u64) -> bool {
        let Some(slot) = self.slots.get(&id).cloned() else { return false };
        self.remove(id);
        slot.evicted.store(true, Ordering::Release);
        slot.waker.wake();
        true
    }
}

impl Candidates {
    /// The connection of these that has waited longest.
    fn next(&mut self, slots: &HashMap<u64, Arc<Slot>>, fits: impl Fn(&Slot) -> bool) -> Option<u64> {
        let still_waits =
            |id: u64, rank: u64| slots.get(&id).is_some_and(|slot| slot.rank.load(Ordering::Relaxed) == rank);
        while let Some((rank, id)) = self.0.pop() {
            if still_waits(id, rank) {
                return Some(id);
            }
        }
        self.0.extend(slots.iter().filter(|(_, slot)| fits(slot)).filter_map(|(id, slot)| {
            let rank = slot.rank.load(Ordering::Relaxed);
            (rank != WORKING).then_some((rank, *id))
        }));
        if self.0.len() > EVICTION_BATCH {
            self.0.select_nth_unstable(EVICTION_BATCH);
            self.0.truncate(EVICTION_BATCH);
        }
        self.0.sort_unstable_by(|one, other| other.cmp(one));
        // Connections that begin to wait for less by the next eviction come before the others.
        let first = self.0.last().map(|(rank, _)| rank >> MOMENT_BITS);
        self.0.retain(|(rank, _)| Some(rank >> MOMENT_BITS) == first);
        self.0.pop().map(|(_, id)| id)
    }
}

impl Place {
    /// The connection waits for its client from now on.
    pub(crate) fn wait(&self, wait: Wait) {
        self.slot.rank.store(self.connections.rank(wait), Ordering::Relaxed);
    }

    /// The connection waits for nothing: it is not evicted.
    pub(crate) fn work(&self) {
        self.slot.rank.store(WORKING, Ordering::Relaxed);
    }

    /// Evicts the connection that has waited longest for a body, so that its request gives back its memory.
    /// Whether there was one.
    pub(crate) fn evict_body(&self) -> bool {
        self.connections.places().evict_body()
    }

    /// Whether the connection is to end with the response to its present request.
    pub(crate) fn is_last_request(&self) -> bool {
        self.slot.evicted.load(Ordering::Acquire) || self.connections.is_over_limit()
    }

    /// Whether the connection was evicted.
    pub(crate) fn is_evicted(&self) -> bool {
        self.slot.evicted.load(Ordering::Acquire)
    }

    /// Waits until the connection is evicted.
    pub(crate) fn poll_evicted(&self, context: &mut Context<'_>) -> Poll<()> {
        self.slot.waker.register(context.waker());
        if self.is_evicted() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Waits until the connection is evicted.
    pub(crate) async fn evicted(&self) {
        poll_fn(|context| self.poll_evicted(context)).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.connections.places();
        places.remove(self.id);
        self.connections.count.store(places.slots.len(), Ordering::Relaxed);
    }
}

/// The addresses that count as one: a network of IPv6 belongs to one customer, who has all of it.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let kept = u128::MAX << (u128::BITS - PREFIX_V6);
            Ipv6Addr::from_bits(address.to_bits() & kept).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}
