//! Tests of the console in a real browser, with valid and invalid input.
//!
//! The tests run if `TEST_BROWSER` contains the path of chromedriver, as in `.ci/run`. Otherwise only tests
//! without a browser run.

mod approval;
mod approvals;
mod browser;
mod company_lock;
mod completion;
mod directions;
mod driver;
mod forms;
mod journey;
mod keyboard;
mod last_run;
mod late;
mod looks;
mod many_runs;
mod pages;
mod pay_run;
mod portal;
mod portal_hooks;
mod reference;
mod sessions;
mod stale;
mod statements;

use crate::support::{Client, Request, Response, Server, on_every_database, on_every_database_with};

/// Sends a GET without a key to the operator's listener, outside its API.
async fn get_without_token(server: &Server, path: &str, tag: &str) -> Response {
    let client = Client::new(&format!("http://{}", server.operator_address));
    let request = Request::get(path).header("if-none-match", tag);
    client.send_unchecked(&request, None).await.expect("an answer")
}

#[test]
fn the_page_and_its_files_are_public_and_permit_no_foreign_script() {
    on_every_database(async |server| {
        let page = get_without_token(server, "/", "").await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        let style = get_without_token(server, "/console/styles/main.css", "").await;
        assert_eq!((style.status, style.header("x-content-type-options")), (200, "nosniff"));
        let again = get_without_token(server, "/console/styles/main.css", style.header("etag")).await;
        assert_eq!(again.status, 304);
        for path in
            ["/console", "/console/styles", "/console/vendor/vendor.json", "/console/pages/..%2findex.html"]
        {
            assert_eq!(get_without_token(server, path, "").await.status, 404, "{path}");
        }
    });
}

#[test]
fn files_are_compressed_for_clients_that_accept_gzip() {
    on_every_database(async |server| {
        let client = Client::new(&format!("http://{}", server.operator_address));
        let get = async |encoding: &str, tag: &str| {
            let request = Request::get("/console/vendor/uPlot.esm.js")
                .header("accept-encoding", encoding)
                .header("if-none-match", tag);
            client.send_unchecked(&request, None).await.expect("an answer")
        };
        let (plain, small) = (get("identity", "").await, get("br, gzip", "").await);
        assert_eq!((plain.header("content-encoding"), small.header("content-encoding")), ("", "gzip"));
        assert!(small.body.len() * 2 < plain.body.len(), "{} {}", small.body.len(), plain.body.len());
        assert!(small.body.starts_with(&[0x1f, 0x8b]));
        assert_ne!(small.header("etag"), plain.header("etag"), "they are not the same bytes");
        assert_eq!(get("gzip", small.header("etag")).await.status, 304);
        assert_eq!(get("identity", small.header("etag")).await.status, 200);
        assert!(plain.header("vary").contains("Accept-Encoding"), "{}", plain.header("vary"));
    });
}

#[test]
fn a_server_without_a_console_redirects_to_its_reference_and_has_its_api() {
    on_every_database_with(
        |settings| settings.no_console = true,
        async |server| {
            assert_eq!(get_without_token(server, "/console/styles/main.css", "").await.status, 404);
            let root = get_without_token(server, "/", "").await;
            assert!([200, 308].contains(&root.status), "{root:?}");
            assert_eq!(server.send(&Request::operator_get("/companies")).await.status, 200);
        },
    );
}
