//! Tests of the access to the operator's listener.

use serde_json::json;

use crate::support::{Caller, OPEN, Request, Server, on_every_database};

async fn send_and_read_error(server: &Server, request: &Request) -> String {
    server.send(request).await.status_and_any_code()
}

#[test]
fn a_read_only_key_can_only_read() {
    on_every_database(async |server| {
        let read = Request::operator_get("/companies/OPEN").with_caller(Caller::OperatorReader);
        let write = Request::operator_post("/companies", &json!({})).with_caller(Caller::OperatorReader);
        assert_eq!(send_and_read_error(server, &read).await, "200");
        assert_eq!(send_and_read_error(server, &write).await, "403 API-2");
    });
}

#[test]
fn the_name_of_a_key_is_trimmed_printable_and_unique() {
    on_every_database(async |server| {
        let create = |name: &str| Request::operator_post("/keys", &json!({"name": name}));
        let created = server.send(&create("  Ann Lee ")).await;
        assert_eq!((created.status, created.members("name")), (201, vec!["Ann Lee".to_owned()]));
        for (name, expected) in [
            ("ann lee", "409 API-409"),
            ("Ann  Lee ", "409 API-409"),
            ("\u{410}nn Lee", "409 API-409"),
            ("Ann Iee", "409 API-409"),
            ("An\u{200b}n", "400 API-48"),
            ("Ben\u{202e}", "400 API-48"),
            ("Ben\u{a0}Lee", "400 API-48"),
            (" ", "400 API-48"),
            ("Ann Leeds", "201"),
        ] {
            assert_eq!(send_and_read_error(server, &create(name)).await, expected, "{name:?}");
        }
    });
}

#[test]
fn partner_tokens_and_operator_keys_are_not_interchangeable() {
    on_every_database(async |server| {
        let partner = Request::operator_get("/companies").with_caller(Caller::Partner);
        let operator = Request::get(format!("/companies/{OPEN}")).with_caller(Caller::Operator);
        assert_eq!(send_and_read_error(server, &partner).await, "401 API-102");
        assert_eq!(send_and_read_error(server, &operator).await, "401 API-102");
        assert_eq!(send_and_read_error(server, &partner.with_caller(Caller::Anonymous)).await, "401 API-102");
    });
}
