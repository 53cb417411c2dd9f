//! Who may use the operator's listener.

use serde_json::json;

use crate::support::{Caller, OPEN, Request, Server, on_every_database};

async fn refusal(server: &Server, request: &Request) -> String {
    server.send(request).await.refusal_or_status()
}

#[test]
fn a_key_that_only_reads_reads_and_nothing_else() {
    on_every_database(async |server| {
        let read = Request::operator_get("/companies/OPEN").by(Caller::OperatorReader);
        let write = Request::operator_post("/companies", &json!({})).by(Caller::OperatorReader);
        assert_eq!(refusal(server, &read).await, "200");
        assert_eq!(refusal(server, &write).await, "403 API-2");
    });
}

#[test]
fn a_partner_s_token_is_no_operator_key_and_the_other_way_round() {
    on_every_database(async |server| {
        let partner = Request::operator_get("/companies").by(Caller::Partner);
        let operator = Request::get(format!("/companies/{OPEN}")).by(Caller::Operator);
        assert_eq!(refusal(server, &partner).await, "401 API-102");
        assert_eq!(refusal(server, &operator).await, "401 API-102");
        assert_eq!(refusal(server, &partner.by(Caller::Anonymous)).await, "401 API-102");
    });
}
