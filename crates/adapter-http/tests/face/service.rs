//! Tests of the paths that are not API operations, from outside, while the storage is unavailable.

use serde_json::json;

use crate::envelope_code;
use crate::server::Server;

fn start_both_apis() -> [Server; 2] {
    [Server::start(), Server::start_operator()]
}

#[tokio::test]
async fn a_server_without_storage_is_alive_and_not_ready() {
    for server in start_both_apis() {
        let alive = server.get("/livez").await;
        assert_eq!((alive.status, alive.body.as_str()), (200, "ok"));
        let ready = server.get("/readyz").await;
        assert_eq!((ready.status, &ready.json()["ready"]), (503, &json!(false)));
        assert!(ready.header("retry-after").is_some());
    }
}

#[tokio::test]
async fn service_paths_permit_get_and_head_only() {
    for server in start_both_apis() {
        for path in ["/livez", "/readyz"] {
            let head = server.request("HEAD", path, &[], "").await;
            let get = server.get(path).await;
            assert_eq!((head.status, head.body.as_str()), (get.status, ""), "{path}");
            let options = server.request("OPTIONS", path, &[], "").await;
            assert_eq!(
                (options.status, options.header("allow")),
                (204, Some("GET, HEAD, OPTIONS")),
                "{path}"
            );
            let other = server.request("POST", path, &[], "").await;
            assert_eq!((other.status, envelope_code(&other)), (405, "API-59".to_owned()), "{path}");
            assert_eq!(other.header("allow"), options.header("allow"), "{path}");
        }
    }
}

#[tokio::test]
async fn a_path_must_match_exactly() {
    for server in start_both_apis() {
        for path in ["/livez/", "/Livez", "//readyz", "/readyz/storage"] {
            let response = server.get(path).await;
            assert_eq!((response.status, envelope_code(&response)), (404, "API-7".to_owned()), "{path}");
        }
    }
}
