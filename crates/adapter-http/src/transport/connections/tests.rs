use std::net::Ipv4Addr;

use super::*;

/// Returns an address that ends with this number.
fn ip_address(number: u8) -> Option<IpAddr> {
    Some(Ipv4Addr::new(127, 0, 0, number).into())
}

/// Returns the indexes of the guards whose connections were evicted.
fn evicted_indexes(guards: &[ConnectionGuard]) -> Vec<usize> {
    guards.iter().enumerate().filter(|(_, guard)| guard.is_evicted()).map(|(index, _)| index).collect()
}

#[test]
fn the_connection_that_has_waited_longest_is_evicted() {
    let connections = ConnectionRegistry::new(3, 10);
    let mut guards: Vec<ConnectionGuard> =
        (1..=3).map(|number| connections.register_connection(ip_address(number)).0).collect();
    guards.push(connections.register_connection(ip_address(4)).0);
    assert_eq!(evicted_indexes(&guards), [0]);
    guards[1].set_busy();
    guards.push(connections.register_connection(ip_address(5)).0);
    assert_eq!(evicted_indexes(&guards), [0, 2], "one that has a request stays");
}

#[test]
fn connections_without_a_request_are_evicted_before_idle_ones_and_those_with_bodies() {
    let connections = ConnectionRegistry::new(3, 10);
    let mut guards: Vec<ConnectionGuard> =
        (1..=3).map(|number| connections.register_connection(ip_address(number)).0).collect();
    guards[0].mark_waiting(WaitReason::Body);
    guards[1].mark_waiting(WaitReason::NextRequest);
    for expected in [vec![2], vec![2, 3], vec![2, 3, 4]] {
        guards.push(connections.register_connection(ip_address(9)).0);
        assert_eq!(evicted_indexes(&guards), expected);
    }
    guards[5].set_busy();
    guards.push(connections.register_connection(ip_address(9)).0);
    assert_eq!(evicted_indexes(&guards), [1, 2, 3, 4]);
    guards[6].set_busy();
    guards.push(connections.register_connection(ip_address(9)).0);
    assert_eq!(evicted_indexes(&guards), [0, 1, 2, 3, 4]);
}

#[test]
fn the_connection_that_has_waited_longest_for_a_body_is_evicted() {
    let connections = ConnectionRegistry::new(10, 10);
    let guards: Vec<ConnectionGuard> =
        (1..=4).map(|number| connections.register_connection(ip_address(number)).0).collect();
    guards[0].mark_waiting(WaitReason::NextRequest);
    guards[1].set_busy();
    assert!(!guards[1].evict_longest_waiting_for_body(), "none waits for a body");
    guards[3].mark_waiting(WaitReason::Body);
    guards[2].mark_waiting(WaitReason::Body);
    assert!(guards[1].evict_longest_waiting_for_body());
    assert_eq!(evicted_indexes(&guards), [3]);
    assert!(guards[1].evict_longest_waiting_for_body());
    assert_eq!(evicted_indexes(&guards), [2, 3]);
    assert!(!guards[1].evict_longest_waiting_for_body(), "the others hold no memory of a body");
}

#[test]
fn an_address_over_its_limit_evicts_only_its_own_connections() {
    let connections = ConnectionRegistry::new(100, 2);
    let mut guards: Vec<ConnectionGuard> =
        [1, 1, 2].map(|number| connections.register_connection(ip_address(number)).0).into();
    guards.push(connections.register_connection(ip_address(1)).0);
    assert_eq!(evicted_indexes(&guards), [0]);
    guards.extend((0..10).map(|_| connections.register_connection(None).0));
    assert_eq!(evicted_indexes(&guards), [0]);
}

#[test]
fn busy_connections_over_the_limit_close_after_their_request() {
    let connections = ConnectionRegistry::new(2, 10);
    let guards: Vec<ConnectionGuard> =
        (1..=2).map(|number| connections.register_connection(ip_address(number)).0).collect();
    guards.iter().for_each(ConnectionGuard::set_busy);
    assert!(!guards[0].is_last_request());
    let (third, evicted) = connections.register_connection(ip_address(3));
    assert_eq!((evicted, guards[0].is_last_request()), (0, true));
    drop(third);
    assert!(!guards[0].is_last_request(), "there is room again");
}

#[test]
fn flood_evicts_all_connections_over_the_address_limit() {
    let connections = ConnectionRegistry::new(200, 100);
    let guards: Vec<ConnectionGuard> =
        (0..5_000).map(|_| connections.register_connection(ip_address(1)).0).collect();
    assert_eq!(evicted_indexes(&guards).len(), 4_900);
    assert_eq!(evicted_indexes(&guards[4_900..]), Vec::<usize>::new(), "the newest are left");
    drop(guards);
    let guards = connections.lock_table();
    assert_eq!((guards.slots.len(), guards.addresses.len()), (0, 0));
}

#[test]
fn an_ipv6_network_counts_as_one_address() {
    let of = |text: &str| to_client_network(text.parse().unwrap());
    assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
}

#[tokio::test]
async fn an_evicted_connection_is_woken() {
    let connections = ConnectionRegistry::new(1, 1);
    let (first, _) = connections.register_connection(ip_address(1));
    let waiting = async { first.wait_until_evicted().await };
    let opening = async {
        tokio::task::yield_now().await;
        connections.register_connection(ip_address(2)).0
    };
    let ((), second) = tokio::join!(waiting, opening);
    assert!(!second.is_evicted());
}
