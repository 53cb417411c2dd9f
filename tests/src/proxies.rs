//! Tests of proxies in front of the server. The server trusts a proxy's headers if the settings name the
//! proxy. A listener without TLS and without a proxy must not be reachable from the network.

use crate::support::command_line::CommandResult;
use crate::support::process::run;
use crate::support::secured::Certificate;
use crate::support::{
    Client, Database, OPERATOR_KEY, Process, Request, Server, Settings, on_every_database,
    on_every_database_kind, on_every_database_with,
};

/// The headers with which a proxy describes its client.
const FORWARDED_HEADERS: [(&str, &str); 3] = [
    ("x-forwarded-for", "192.0.2.7"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-host", "api.example.org"),
];

fn trust_local_proxies(settings: &mut Settings) {
    settings.trusted_proxies =
        payroll_server::config::Setting::read("192.0.2.0/28, 127.0.0.1").expect("ranges");
}

/// Sends a list request with these headers, and returns the `self` link of the response.
async fn read_self_link(server: &Server, headers: &[(&'static str, &str)]) -> String {
    let request = Request::get("/companies?limit=1");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(name, *value));
    let response = server.send(&request).await;
    let links = response.json()["links"].as_array().expect("links").clone();
    links[0]["href"].as_str().expect("an address").to_owned()
}

#[test]
fn links_begin_with_the_address_from_a_trusted_proxy() {
    on_every_database_with(trust_local_proxies, async |server| {
        let own = format!("{}/companies?limit=1", server.base);
        let reported = "https://api.example.org/companies?limit=1";
        assert_eq!(read_self_link(server, &FORWARDED_HEADERS).await, reported);
        assert_eq!(
            read_self_link(server, &[("forwarded", "host=api.example.org;proto=https")]).await,
            reported
        );
        for reported in ["host=\"a b\"", "host", "\"", "for=192.0.2.7, host=x\"y"] {
            assert_eq!(read_self_link(server, &[("forwarded", reported)]).await, own, "{reported}");
        }
        let [_, scheme, host] = FORWARDED_HEADERS;
        assert_eq!(read_self_link(server, &[("forwarded", "host=evil.example"), scheme, host]).await, own);
    });
}

#[test]
fn headers_of_untrusted_peers_change_no_link() {
    on_every_database(async |server| {
        let own = format!("{}/companies?limit=1", server.base);
        assert_eq!(read_self_link(server, &FORWARDED_HEADERS).await, own);
        assert_eq!(read_self_link(server, &[("forwarded", "host=api.example.org;proto=https")]).await, own);
    });
}

#[test]
fn token_requests_are_limited_by_the_address_behind_the_proxy() {
    let strict = |settings: &mut Settings| {
        trust_local_proxies(settings);
        settings.rate_limit_per_minute = 2;
    };
    on_every_database_with(strict, async |server| {
        let form = "grant_type=client_credentials&client_id=somebody&client_secret=wrong";
        let ask = async |address: &str| {
            let request = Request::token(form).header("x-forwarded-for", address);
            server.send(&request).await.status
        };
        // A proxy appends the address of its client to the header. Entries before it come from the client and
        // are not trusted.
        let reported =
            [ask("192.0.2.66").await, ask("203.0.113.5, 192.0.2.66").await, ask("1.1.1.1, 192.0.2.66").await];
        assert_eq!((reported, ask("192.0.2.77").await), ([401, 401, 429], 401));
    });
}

#[test]
fn a_public_listener_without_tls_is_rejected_with_three_alternatives() {
    let database = Database::Sqlite(tempfile::tempdir().expect("a folder"));
    for (arguments, setting) in [
        (["--listen", "0.0.0.0:0", "--operator-listen", "127.0.0.1:0"], "listen"),
        (["--listen", "[::]:0", "--operator-listen", "127.0.0.1:0"], "listen"),
        (["--listen", "127.0.0.1:0", "--operator-listen", "0.0.0.0:0"], "operator_listen"),
    ] {
        let reported: CommandResult = run(&database, &[&["serve"], &arguments[..]].concat(), "").into();
        let ways = ["tls_certificate_file", "trusted_proxies", "allow_plain_http"];
        let named = reported.errors.contains(&format!("setting `{setting}` is"));
        assert!(reported.code == Some(2) && named, "{reported:?}");
        assert!(ways.iter().all(|way| reported.errors.contains(way)), "{reported:?}");
    }
}

#[test]
fn a_public_listener_starts_with_tls_a_trusted_proxy_or_plain_http() {
    on_every_database_kind(async |database| {
        let certificate = Certificate::new();
        let (file, key) = (certificate.file(), certificate.key_file());
        let (file, key) = (file.to_str().expect("a path"), key.to_str().expect("a path"));
        let ways: [&[&str]; 3] = [
            &["--operator-tls-certificate-file", file, "--operator-tls-key-file", key],
            &["--trusted-proxies", "10.0.0.0/8"],
            &["--allow-plain-http", "true"],
        ];
        for way in ways {
            let server = Process::serve_with(database, &[&["--operator-listen", "0.0.0.0:0"], way].concat());
            let base = server.operator.base_url().replace("0.0.0.0", "127.0.0.1");
            let request = Request::get("/operator/v1/companies?limit=1");
            let operator = Client::new(&base).trusting_only(certificate.pem());
            let response = operator.send(&request, Some(&format!("Bearer {OPERATOR_KEY}"))).await;
            assert_eq!(response.expect("an answer").status, 200, "{way:?}");
        }
    });
}
