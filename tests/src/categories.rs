//! Tests of categories of custom fields (specification §6.10).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{BARE, OPEN, Request, Server, on_every_database};

fn list_request(company: &str) -> Request {
    Request::get(format!("/companies/{company}/customfieldscategories"))
}

fn creation_request(company: &str, body: &Value) -> Request {
    Request::post(format!("/companies/{company}/customfieldscategories"), body)
}

/// Returns the names of a company's categories of custom fields. The default category is marked with a star.
async fn category_names(server: &Server, company: &str) -> Vec<String> {
    let name = |category: &Value| {
        let star = if category["default"] == true { "*" } else { "" };
        format!("{}{star}", category["categoryName"].as_str().expect("a name"))
    };
    server.send(&list_request(company)).await.content().iter().map(name).collect()
}

#[test]
fn categories_are_listed_with_the_default_one_marked() {
    on_every_database(async |server| {
        let general = json!({"categoryId": "GENERAL", "categoryName": "General", "default": true});
        let uniform = json!({"categoryId": "UNIFORM", "categoryName": "Uniform", "default": false});
        let tools = json!({"categoryId": "TOOLS", "categoryName": "Tools", "default": false});
        let response = server.send(&list_request(OPEN)).await;
        assert_eq!(
            (response.content(), server.send(&list_request(BARE)).await.content()),
            (vec![general, uniform, tools], vec![])
        );
    });
}

#[test]
fn a_new_category_is_last_and_accepts_fields() {
    on_every_database(async |server| {
        let tag = server.send(&list_request(OPEN)).await.header("etag").to_owned();
        let response = server.send(&creation_request(OPEN, &json!({"categoryName": "Footwear"}))).await;
        let created = response.content().remove(0);
        assert_eq!((&created["categoryName"], &created["default"]), (&json!("Footwear"), &json!(false)));
        assert_eq!((response.status, &response.json()["links"]), (200, &json!([])));
        assert_eq!(
            server.send(&list_request(OPEN).header("if-none-match", tag)).await.content().last(),
            Some(&created)
        );
        let field = json!({"customFieldName": "Boots", "type": "TEXT", "categoryId": created["categoryId"]});
        let field = server.send(&Request::post_custom_field(OPEN, &field)).await.content().remove(0);
        assert_eq!(field["categoryId"], created["categoryId"]);
    });
}

#[test]
fn a_second_default_category_is_rejected() {
    on_every_database(async |server| {
        let default = |name: &str| creation_request(BARE, &json!({"categoryName": name, "default": true}));
        assert_eq!(server.send(&default("First")).await.status, 200);
        assert_eq!(server.send(&default("Second")).await.faults(), ["API-48 /default"]);
        assert_eq!(category_names(server, BARE).await, ["First*"]);
        let field = Request::post_custom_field(BARE, &json!({"customFieldName": "A", "type": "TEXT"}));
        let field = server.send(&field).await.content().remove(0);
        assert_eq!(field["categoryId"], server.send(&list_request(BARE)).await.content()[0]["categoryId"]);
    });
}

#[test]
fn every_fault_is_reported_at_its_pointer() {
    on_every_database(async |server| {
        for (body, expected) in [
            (r#"{"default": true}"#, vec!["API-48 /default", "API-46 /categoryName"]),
            (r#"{"categoryName": "Uniform"}"#, vec!["API-48 /categoryName"]),
            (r#"{"categoryName": "a\u0000b"}"#, vec!["API-48 /categoryName"]),
            (r#"{"categoryName": "A", "categoryName": "B"}"#, vec!["API-47 /categoryName"]),
            ("{}", vec!["API-52"]),
            ("[{}]", vec!["API-40"]),
            ("{", vec!["API-40"]),
        ] {
            let response = server.send(&creation_request(OPEN, &json!({})).body(body)).await;
            assert_eq!(
                (response.status, response.faults()),
                (400, expected.iter().map(|&it| it.to_owned()).collect()),
                "{body}"
            );
        }
        assert_eq!(category_names(server, OPEN).await, ["General*", "Uniform", "Tools"]);
    });
}

#[test]
fn an_idempotency_key_creates_one_category_and_one_row_of_the_audit_log() {
    on_every_database(async |server| {
        let request = creation_request(OPEN, &json!({"categoryName": "Footwear"})).idempotency_key("once");
        let (first, second) = (server.send(&request).await, server.send(&request).await);
        assert_eq!((first.body == second.body, second.header("idempotent-replayed")), (true, "true"));
        let other = creation_request(OPEN, &json!({"categoryName": "Headwear"})).idempotency_key("once");
        assert_eq!(server.send(&other).await.status_and_code(), "422 API-422");
        let rows = "SELECT count(*) FROM audit WHERE kind = 'customFieldCategory' AND actor_kind = 'application' \
            AND actor_name = 'partner'";
        assert_eq!(server.database.query_number(rows).await, 1);
        assert_eq!(category_names(server, OPEN).await, ["General*", "Uniform", "Tools", "Footwear"]);
    });
}

#[test]
fn one_of_many_simultaneous_categories_with_one_name_is_created() {
    on_every_database(async |server| {
        let request = creation_request(OPEN, &json!({"categoryName": "Footwear"}));
        let responses = futures_util::future::join_all((0..8).map(|_| server.send(&request))).await;
        let created = responses.iter().filter(|response| response.status == 200).count();
        let refused =
            responses.iter().filter(|response| response.status_and_any_code() == "400 API-48").count();
        assert_eq!((created, refused), (1, 7), "{responses:?}");
    });
}

#[test]
fn a_lock_permits_a_new_category_and_operators_cannot_duplicate_a_name() {
    on_every_database(async |server| {
        assert_eq!(
            server.send(&creation_request("LOCKED", &json!({"categoryName": "General"}))).await.status,
            200
        );
        let path = format!("/companies/{OPEN}/customfieldscategories");
        let same = json!({"categoryName": "Uniform"});
        assert_eq!(server.send(&Request::operator_post(&path, &same)).await.status_and_code(), "409 API-409");
    });
}

#[test]
fn a_partner_cannot_replace_the_default_category() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/customfieldscategories/GENERAL");
        for removed in [json!(false), json!(null), json!("")] {
            let refused = server.send(&Request::patch(&path, &json!({"default": removed}))).await;
            assert_eq!(refused.status_and_code(), "400 API-48", "{removed}");
            assert_eq!(refused.errors()[0]["pointer"], "/default");
        }
        let renamed = server.send(&Request::patch(&path, &json!({"categoryName": "Basics"}))).await;
        assert_eq!((renamed.status, &renamed.content()[0]["default"]), (200, &json!(true)));
        let company = format!("/companies/{BARE}/customfieldscategories");
        let created =
            server.send(&Request::post(&company, &json!({"categoryName": "A", "default": true}))).await;
        let own = format!("{company}/{}", created.members("categoryId").remove(0));
        let refused = server.send(&Request::new(Method::DELETE, own)).await;
        assert_eq!(refused.status_and_code(), "409 API-409");
    });
}
