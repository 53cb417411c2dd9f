use std::collections::HashMap;
use std::thread;

use proptest::prelude::*;

use super::*;

/// The owners that take part: the shared runtime and three threads with their own.
fn owners() -> Vec<Owner> {
    let other = || Some(thread::spawn(|| thread::current().id()).join().unwrap());
    vec![None, other(), other(), other()]
}

/// A pool whose connections are numbers. It stores the owner of each open connection.
struct Model {
    threads: Threads<u32>,
    opened_by: HashMap<u32, Owner>,
    next: u32,
}

impl Model {
    fn new(max: usize) -> Self {
        Self { threads: Threads::new(max), opened_by: HashMap::new(), next: 0 }
    }

    fn lend(&mut self, owner: Owner) -> (Owner, u32) {
        let choice = self.threads.choose(owner);
        let connection = choice.connection.unwrap_or_else(|| {
            self.next += 1;
            self.opened_by.insert(self.next, choice.owner);
            self.next
        });
        (choice.owner, connection)
    }
}

#[test]
fn each_thread_gets_its_own_connections_back() {
    let owners = owners();
    let mut model = Model::new(8);
    let lent: Vec<_> = owners.iter().map(|owner| model.lend(*owner)).collect();
    lent.iter().rev().for_each(|(owner, connection)| model.threads.give_back(*owner, *connection));
    for (owner, before) in owners.iter().zip(lent) {
        assert_eq!(model.lend(*owner), before);
    }
}

#[test]
fn a_thread_without_connections_uses_those_of_another_one() {
    let owners = owners();
    let mut model = Model::new(1);
    let (owner, first) = model.lend(owners[1]);
    model.threads.give_back(owner, first);
    assert_eq!(model.lend(owners[2]), (owners[1], first));
    assert_eq!(model.threads.counts(), (1, 0));
}

#[test]
fn a_thread_that_has_all_connections_leaves_others_their_share() {
    let owners = owners();
    let mut model = Model::new(8);
    let lent: Vec<_> = (0..8).map(|_| model.lend(owners[1])).collect();
    lent.into_iter().for_each(|(owner, connection)| model.threads.give_back(owner, connection));
    let lent: Vec<_> = (0..5).map(|_| model.lend(owners[2])).collect();
    let own = lent.iter().filter(|(owner, _)| *owner == owners[2]).count();
    assert_eq!((own, model.threads.counts()), (4, (8, 3)));
}

#[test]
fn idle_connections_are_closed_together() {
    let mut model = Model::new(4);
    let lent: Vec<_> = owners().into_iter().map(|owner| model.lend(owner)).collect();
    for (owner, connection) in &lent[..3] {
        model.threads.give_back(*owner, *connection);
    }
    assert_eq!(model.threads.take_idle().len(), 3);
    assert_eq!(model.threads.counts(), (1, 0));
}

proptest! {
    /// Whatever the threads do: no connection is lent twice, and no more than `max` are open.
    #[test]
    fn connections_stay_within_the_limit(max in 1_usize..6, steps in prop::collection::vec((0_usize..4, 0_u8..8), 1..200)) {
        let owners = owners();
        let mut model = Model::new(max);
        let mut lent: Vec<(Owner, u32)> = Vec::new();
        for (thread, action) in steps {
            match action {
                0..4 if lent.len() < max => {
                    let one = model.lend(owners[thread]);
                    prop_assert!(!lent.contains(&one), "{one:?} is lent twice");
                    prop_assert_eq!(model.opened_by.get(&one.1), Some(&one.0));
                    lent.push(one);
                }
                4..6 if !lent.is_empty() => {
                    let (owner, connection) = lent.swap_remove(thread % lent.len());
                    model.threads.give_back(owner, connection);
                }
                6 if !lent.is_empty() => model.threads.closed(lent.swap_remove(thread % lent.len()).0),
                7 => drop(model.threads.take_idle()),
                _ => {}
            }
            let (open, idle) = model.threads.counts();
            prop_assert!(open <= max, "{open} of {max}");
            prop_assert_eq!(open - idle, lent.len());
        }
    }
}
