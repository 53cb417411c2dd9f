use std::net::Ipv4Addr;

use super::*;

/// An address that contains this number.
fn address(number: u8) -> Option<IpAddr> {
    Some(Ipv4Addr::new(127, 0, 0, number).into())
}

/// The indexes of the places that were evicted.
fn evicted(places: &[Place]) -> Vec<usize> {
    places.iter().enumerate().filter(|(_, place)| place.is_evicted()).map(|(index, _)| index).collect()
}

#[test]
fn the_connection_that_has_waited_longest_is_evicted() {
    let connections = Connections::new(3, 10);
    let mut places: Vec<Place> = (1..=3).map(|number| connections.open(address(number)).0).collect();
    places.push(connections.open(address(4)).0);
    assert_eq!(evicted(&places), [0]);
    places[1].work();
    places.push(connections.open(address(5)).0);
    assert_eq!(evicted(&places), [0, 2], "one that has a request stays");
}

#[test]
fn connections_without_a_request_are_evicted_before_idle_ones_and_bodies() {
    let connections = Connections::new(3, 10);
    let mut places: Vec<Place> = (1..=3).map(|number| connections.open(address(number)).0).collect();
    places[0].wait(Wait::Body);
    places[1].wait(Wait::NextRequest);
    for expected in [vec![2], vec![2, 3], vec![2, 3, 4]] {
        places.push(connections.open(address(9)).0);
        assert_eq!(evicted(&places), expected);
    }
    places[5].work();
    places.push(connections.open(address(9)).0);
    assert_eq!(evicted(&places), [1, 2, 3, 4]);
    places[6].work();
    places.push(connections.open(address(9)).0);
    assert_eq!(evicted(&places), [0, 1, 2, 3, 4]);
}

#[test]
fn the_longest_awaited_body_releases_its_memory() {
    let connections = Connections::new(10, 10);
    let places: Vec<Place> = (1..=4).map(|number| connections.open(address(number)).0).collect();
    places[0].wait(Wait::NextRequest);
    places[1].work();
    assert!(!places[1].evict_body(), "none waits for a body");
    places[3].wait(Wait::Body);
    places[2].wait(Wait::Body);
    assert!(places[1].evict_body());
    assert_eq!(evicted(&places), [3]);
    assert!(places[1].evict_body());
    assert_eq!(evicted(&places), [2, 3]);
    assert!(!places[1].evict_body(), "the others hold no memory of a body");
}

#[test]
fn an_address_over_its_limit_evicts_only_its_own_connections() {
    let connections = Connections::new(100, 2);
    let mut places: Vec<Place> = [1, 1, 2].map(|number| connections.open(address(number)).0).into();
    places.push(connections.open(address(1)).0);
    assert_eq!(evicted(&places), [0]);
    places.extend((0..10).map(|_| connections.open(None).0));
    assert_eq!(evicted(&places), [0]);
}

#[test]
fn without_idle_connections_a_new_one_is_admitted_and_others_close_after_their_request() {
    let connections = Connections::new(2, 10);
    let places: Vec<Place> = (1..=2).map(|number| connections.open(address(number)).0).collect();
    places.iter().for_each(Place::work);
    assert!(!places[0].is_last_request());
    let (third, evicted) = connections.open(address(3));
    assert_eq!((evicted, places[0].is_last_request()), (0, true));
    drop(third);
    assert!(!places[0].is_last_request(), "there is room again");
}

#[test]
fn a_flood_keeps_the_permitted_connections_and_forgets_the_others() {
    let connections = Connections::new(200, 100);
    let places: Vec<Place> = (0..5_000).map(|_| connections.open(address(1)).0).collect();
    assert_eq!(evicted(&places).len(), 4_900);
    assert_eq!(evicted(&places[4_900..]), Vec::<usize>::new(), "the newest are left");
    drop(places);
    let places = connections.places();
    assert_eq!((places.slots.len(), places.addresses.len()), (0, 0));
}

#[test]
fn an_ipv6_network_counts_as_one_address() {
    let of = |text: &str| network(text.parse().unwrap());
    assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
}

#[tokio::test]
async fn an_evicted_connection_is_woken() {
    let connections = Connections::new(1, 1);
    let (first, _) = connections.open(address(1));
    let waiting = async { first.evicted().await };
    let opening = async {
        tokio::task::yield_now().await;
        connections.open(address(2)).0
    };
    let ((), second) = tokio::join!(waiting, opening);
    assert!(!second.is_evicted());
}
