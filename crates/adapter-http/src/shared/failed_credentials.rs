//! The rate limit for requests with wrong credentials: client secrets and operator keys. This limit is far
//! lower than the limit for valid requests.
//!
//! A request with wrong credentials counts against two rate limit buckets: one for the pair of client and
//! network address, and one for the network address alone. A request for an access token is rejected before
//! the storage is queried if one of its two buckets is empty, even with valid credentials. The client can
//! still get access tokens from other addresses.
//!
//! For an operator key, the client is the beginning of the key's hash, and only the bucket of the pair
//! prevents the look-up. Other keys from the same address are still looked up, so a valid key is accepted.
//! This is safe, because keys are too long to guess.
//!
//! A request takes from the buckets only when it fails. Simultaneous valid requests are therefore never
//! rejected.

use std::net::IpAddr;
use std::time::Duration;

use crate::shared::limits::ADDRESS_FAILURE_FACTOR;
use crate::shared::rate_limit::{RateLimitExceeded, RateLimiter};
use crate::transport::connections::to_client_network;

/// The token buckets for failed credentials.
pub(crate) struct FailedCredentials {
    client_and_peer_limiter: RateLimiter,
    peer_limiter: RateLimiter,
}

/// The client and the network address of a request with credentials.
#[derive(Debug)]
pub(crate) struct CredentialAttempt {
    peer: String,
    client_and_peer: String,
}

impl CredentialAttempt {
    /// Creates the attempt from the client id in the request and from the network of the peer's address.
    pub(crate) fn new(client: &str, peer: Option<IpAddr>) -> Self {
        let peer = peer.map_or_else(String::new, |address| to_client_network(address).to_string());
        Self { client_and_peer: format!("{peer} {client}"), peer }
    }

    /// Returns the name of the rate limit bucket that counts failures of this client from this address.
    pub(crate) fn client_and_peer(&self) -> &str {
        &self.client_and_peer
    }
}

impl FailedCredentials {
    /// Allows this number of failures per minute for a client at an address, and [`ADDRESS_FAILURE_FACTOR`]
    /// times as many for the address; `None` sets no limit.
    pub(crate) fn new(per_minute: Option<u32>) -> Self {
        let of_peer = per_minute.map(|limit| limit.saturating_mul(ADDRESS_FAILURE_FACTOR));
        Self {
            client_and_peer_limiter: RateLimiter::new(per_minute),
            peer_limiter: RateLimiter::new(of_peer),
        }
    }

    /// Verifies that both buckets of this attempt contain a token.
    pub(crate) fn require_attempts_left(
        &self,
        attempt: &CredentialAttempt,
        now: Duration,
    ) -> Result<(), RateLimitExceeded> {
        self.client_and_peer_limiter.check_limit(&attempt.client_and_peer, now)?;
        self.peer_limiter.check_limit(&attempt.peer, now)
    }

    /// Verifies only that the bucket of the client at its address contains a token.
    pub(crate) fn require_client_attempts_left(
        &self,
        asking: &CredentialAttempt,
        now: Duration,
    ) -> Result<(), RateLimitExceeded> {
        self.client_and_peer_limiter.check_limit(&asking.client_and_peer, now)
    }

    /// Counts a request with wrong credentials in both buckets.
    pub(crate) fn count_failure(&self, attempt: &CredentialAttempt, now: Duration) {
        // Other failed requests may have emptied the buckets since the buckets were inspected. An empty
        // bucket changes nothing here, because the request has already failed.
        let _ = self.client_and_peer_limiter.take_from_bucket(&attempt.client_and_peer, now).1;
        let _ = self.peer_limiter.take_from_bucket(&attempt.peer, now).1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(7);

    fn credential_attempt(client: &str, peer: &str) -> CredentialAttempt {
        CredentialAttempt::new(client, Some(peer.parse().unwrap()))
    }

    fn try_failed_attempt(limit: &FailedCredentials, attempt: &CredentialAttempt) -> bool {
        let may = limit.require_attempts_left(attempt, NOW).is_ok();
        if may {
            limit.count_failure(attempt, NOW);
        }
        may
    }

    #[test]
    fn failures_of_a_client_are_limited_per_peer() {
        let limit = FailedCredentials::new(Some(2));
        let (here, there) = (credential_attempt("a", "192.0.2.1"), credential_attempt("a", "192.0.2.2"));
        assert_eq!([(); 3].map(|()| try_failed_attempt(&limit, &here)), [true, true, false]);
        assert!(limit.require_attempts_left(&there, NOW).is_ok());
        assert!(limit.require_attempts_left(&here, NOW + Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn a_peer_that_tries_many_clients_is_limited() {
        let limit = FailedCredentials::new(Some(1));
        let tried = 0..=ADDRESS_FAILURE_FACTOR;
        let failed = tried.filter(|number| {
            try_failed_attempt(&limit, &credential_attempt(&number.to_string(), "192.0.2.1"))
        });
        assert_eq!(failed.count(), ADDRESS_FAILURE_FACTOR as usize);
        assert!(limit.require_attempts_left(&credential_attempt("a", "192.0.2.2"), NOW).is_ok());
    }

    #[test]
    fn all_addresses_of_an_ipv6_network_are_one_peer() {
        let limit = FailedCredentials::new(Some(1));
        assert!(try_failed_attempt(&limit, &credential_attempt("a", "2001:db8::1")));
        assert!(!try_failed_attempt(&limit, &credential_attempt("a", "2001:db8::ffff:0:0:2")));
        assert!(try_failed_attempt(&limit, &credential_attempt("a", "2001:db8:0:1::1")));
    }
}
