//! The limit of requests with wrong credentials, for tokens and of operators: far below that of good ones.
//!
//! A request counts when its credentials were wrong, once for client and peer together and once for the peer.
//! Where either bucket is empty, the next token request of that peer is rejected before storage is queried, right
//! or wrong. The client gets its tokens from everywhere else as before. Of an operator key only the first bucket
//! rejects before the look-up: a right key is too long to be guessed, so it passes. Requests in progress are not
//! counted before they have failed, so that a crowd of good ones is never rejected.

use std::net::IpAddr;
use std::time::Duration;

use crate::shared::limits::FAILING_CLIENTS_OF_A_PEER;
use crate::shared::rate_limit::{Empty, RateLimiter};
use crate::transport::connections::network;

/// The buckets of one server.
pub(crate) struct FailedCredentials {
    of_client_and_peer: RateLimiter,
    of_peer: RateLimiter,
}

/// Who requests a token.
#[derive(Debug)]
pub(crate) struct Asking {
    peer: String,
    client_and_peer: String,
}

impl Asking {
    /// A client that is named by a peer.
    pub(crate) fn new(client: &str, peer: Option<IpAddr>) -> Self {
        let peer = peer.map_or_else(String::new, |address| network(address).to_string());
        Self { client_and_peer: format!("{peer} {client}"), peer }
    }

    /// The name of the two together.
    pub(crate) fn client_and_peer(&self) -> &str {
        &self.client_and_peer
    }
}

impl FailedCredentials {
    /// That many a minute for a client and a peer together; `None`: no limit.
    pub(crate) fn new(per_minute: Option<u32>) -> Self {
        let of_peer = per_minute.map(|limit| limit.saturating_mul(FAILING_CLIENTS_OF_A_PEER));
        Self { of_client_and_peer: RateLimiter::new(per_minute), of_peer: RateLimiter::new(of_peer) }
    }

    /// Whether one more may fail.
    pub(crate) fn look(&self, asking: &Asking, now: Duration) -> Result<(), Empty> {
        self.of_client_and_peer.look(&asking.client_and_peer, now)?;
        self.of_peer.look(&asking.peer, now)
    }

    /// Whether one more of that client and peer may fail, whatever other clients of the peer do.
    pub(crate) fn look_at_client(&self, asking: &Asking, now: Duration) -> Result<(), Empty> {
        self.of_client_and_peer.look(&asking.client_and_peer, now)
    }

    /// Counts one that has failed.
    pub(crate) fn count(&self, asking: &Asking, now: Duration) {
        // Where a bucket is empty by now, others that were under way have failed as well.
        let _ = self.of_client_and_peer.take(&asking.client_and_peer, now).1;
        let _ = self.of_peer.take(&asking.peer, now).1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(7);

    fn asking(client: &str, peer: &str) -> Asking {
        Asking::new(client, Some(peer.parse().unwrap()))
    }

    fn fails(limit: &FailedCredentials, asking: &Asking) -> bool {
        let may = limit.look(asking, NOW).is_ok();
        if may {
            limit.count(asking, NOW);
        }
        may
    }

    #[test]
    fn a_client_fails_so_often_from_one_peer_and_is_free_elsewhere() {
        let limit = FailedCredentials::new(Some(2));
        let (here, there) = (asking("a", "192.0.2.1"), asking("a", "192.0.2.2"));
        assert_eq!([(); 3].map(|()| fails(&limit, &here)), [true, true, false]);
        assert!(limit.look(&there, NOW).is_ok());
        assert!(limit.look(&here, NOW + Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn a_peer_that_tries_ever_other_clients_is_limited_too() {
        let limit = FailedCredentials::new(Some(1));
        let tried = 0..=FAILING_CLIENTS_OF_A_PEER;
        let failed = tried.filter(|number| fails(&limit, &asking(&number.to_string(), "192.0.2.1")));
        assert_eq!(failed.count(), FAILING_CLIENTS_OF_A_PEER as usize);
        assert!(limit.look(&asking("a", "192.0.2.2"), NOW).is_ok());
    }

    #[test]
    fn all_addresses_of_a_network_of_ipv6_are_one_peer() {
        let limit = FailedCredentials::new(Some(1));
        assert!(fails(&limit, &asking("a", "2001:db8::1")));
        assert!(!fails(&limit, &asking("a", "2001:db8::ffff:0:0:2")));
        assert!(fails(&limit, &asking("a", "2001:db8:0:1::1")));
    }
}
