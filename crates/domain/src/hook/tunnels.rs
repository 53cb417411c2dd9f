//! Free tunnelling services. A host name at such a service may belong to another customer tomorrow, so the
//! server sends no notifications to such a name (specification §9.1).
//!
//! The list contains the domains under which such services assign names, now or in the past. Request
//! inspectors such as webhook.site, application hosting, and tunnels under a customer's own domain are not in
//! the list. A name at these services always belongs to the same customer.

/// The domains of the services, in lower case. Each domain is rejected with all its subdomains.
const TUNNEL_DOMAINS: &[&str] = &[
    // Domains of bore.
    "bore.pub",
    // Domains of Cloudflare's quick tunnels.
    "trycloudflare.com",
    // Domains of cpolar.
    "cpolar.cn",
    "cpolar.io",
    "cpolar.top",
    // Domains of Expose.
    "expose.dev",
    "sharedwithexpose.com",
    // Domains of InstaTunnel.
    "instatunnel.my",
    // Domains of jprq.
    "jprq.io",
    "jprq.live",
    "jprq.site",
    // Domains of localhost.run.
    "lhr.life",
    "lhr.rocks",
    "lhrtunnel.link",
    "localhost.run",
    // Domains of Localtonet.
    "localto.net",
    "localtonet.com",
    // Domains of localtunnel.
    "loca.lt",
    "localtunnel.me",
    // Domains of LocalXpose.
    "localxpose.io",
    "loclx.io",
    // Domains of Microsoft's dev tunnels.
    "devtunnels.ms",
    // Domains of NATAPP.
    "natapp.cc",
    "natappfree.cc",
    // Domains of ngrok.
    "ngrok-free.app",
    "ngrok-free.dev",
    "ngrok-free.pizza",
    "ngrok.app",
    "ngrok.com",
    "ngrok.dev",
    "ngrok.io",
    "ngrok.pizza",
    // Domains of Packetriot.
    "packetriot.net",
    "pktriot.net",
    // Domains of PageKite.
    "pagekite.me",
    "pagekite.net",
    // Domains of Pinggy.
    "pinggy-free.link",
    "pinggy.io",
    "pinggy.link",
    "pinggy.net",
    "pinggy.online",
    // Domains of playit.
    "joinmc.link",
    "playit.gg",
    "ply.gg",
    // Domains of Portmap.
    "portmap.host",
    "portmap.io",
    // Domains of Serveo.
    "serveo.net",
    "serveousercontent.com",
    // Domains of sish's public hosts.
    "ssi.sh",
    "tuns.sh",
    // Domains of srv.us.
    "srv.us",
    // Domains of Tailscale Funnel.
    "ts.net",
    // Domains of Telebit.
    "telebit.cloud",
    "telebit.io",
    // Domains of tunnelmole.
    "tunnelmole.com",
    "tunnelmole.net",
    // Domains of tunnelto.
    "tunnelto.dev",
    // Domains of tunnl.gg.
    "tunnl.gg",
    // Domains of UltraHook.
    "ultrahook.com",
    // Domains of zrok.
    "zrok.io",
];

/// Returns whether a host name belongs to a free tunnelling service. The name must be in lower case and
/// ASCII, without a trailing dot.
///
/// ```
/// use payroll_domain::hook::tunnels::is_tunnelling_service;
/// assert!(is_tunnelling_service("1f2e.eu.ngrok-free.app"));
/// assert!(!is_tunnelling_service("notngrok-free.app"));
/// ```
#[must_use]
pub fn is_tunnelling_service(name: &str) -> bool {
    TUNNEL_DOMAINS.iter().any(|domain| is_domain_or_subdomain(name, domain))
}

/// Returns whether a name in lower case is the given domain or one of its subdomains.
pub(super) fn is_domain_or_subdomain(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::Address;
    use crate::hook::address::{AddressRule, AddressRules};

    #[test]
    fn rejects_every_tunnel_service_with_its_subdomains_in_any_notation() {
        for domain in TUNNEL_DOMAINS {
            for host in [
                (*domain).to_owned(),
                format!("a.b.{domain}"),
                format!("x.{}.", domain.to_uppercase()),
                format!("x.{}", domain.replace('.', "\u{3002}")),
                format!("x.{}", domain.replace('o', "\u{ff4f}")),
                format!("x.{}", domain.replace('t', "%74")),
            ] {
                let result = Address::parse_receiver(&format!("https://{host}/in"), &AddressRules::default());
                assert_eq!(result, Err(AddressRule::Tunnel), "{host}");
            }
        }
    }

    #[test]
    fn accepts_names_that_only_resemble_a_tunnel_service() {
        for name in ["ngrok.io.example.com", "my-ngrok.io", "ngrok.example.com", "xloca.lt", "webhook.site"] {
            assert!(!is_tunnelling_service(name), "{name}");
        }
    }

    #[test]
    fn the_list_of_tunnel_services_contains_each_domain_once() {
        let mut once: Vec<_> = TUNNEL_DOMAINS.to_vec();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), TUNNEL_DOMAINS.len());
        assert!(TUNNEL_DOMAINS.iter().all(|domain| domain.to_ascii_lowercase() == **domain));
    }
}
