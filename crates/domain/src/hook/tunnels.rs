//! Free tunnelling services: whoever holds such a name now may not be who holds it tomorrow, so no
//! notification goes there (specification §9.1).

use super::address::is_below;

/// The domains under which they give out names, in small letters; each with all below it.
const TUNNELS: &[&str] = &["ngrok.io"];

/// Whether a host's name, in small letters and ASCII, is one of a free tunnelling service.
#[must_use]
pub fn is_tunnel(name: &str) -> bool {
    TUNNELS.iter().any(|domain| is_below(name, domain))
}
