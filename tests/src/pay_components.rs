//! Tests of reading pay components (specification §8.6).

use serde_json::json;

use crate::support::world::{company, component};
use crate::support::{BARE, OPEN, Request, Server, import_line, on_every_database, with_member};

/// Returns the ids of the pay components in the response to a query, or the error.
async fn list_ids(server: &Server, query: &str) -> Vec<String> {
    let response = server.send(&Request::get(format!("/companies/{OPEN}/paycomponents{query}"))).await;
    if response.is_success() { response.members("componentId") } else { vec![response.status_and_code()] }
}

#[test]
fn lists_and_single_reads_return_complete_components() {
    on_every_database(async |server| {
        let list = server.send(&Request::get(format!("/companies/{OPEN}/paycomponents"))).await.content();
        let plain = json!({"componentId": "HOURLY", "name": "HOURLY component",
            "classificationType": "REGULAR", "effectOnPay": "ADDITION", "overtime": false});
        let old = with_member(with_member(plain.clone(), "componentId", "OLD"), "name", "OLD component");
        let old = with_member(old, "endDate", "2026-05-21T00:00:00Z");
        let limited = with_member(
            with_member(plain.clone(), "componentId", "EMPLOYEES"),
            "name",
            "EMPLOYEES component",
        );
        let limited = with_member(limited, "appliesToWorkerTypes", vec!["EMPLOYEE"]);
        assert_eq!((list.len(), &list[0], &list[6], &list[9]), (11, &plain, &limited, &old));
        let target = format!("/companies/{OPEN}/paycomponents/OLD");
        let alone = server.send(&Request::get(&target)).await.json();
        let own = format!("{}{target}", server.base);
        assert_eq!(alone, json!({"content": [old], "links": [{"rel": "self", "href": own}]}));
    });
}

#[test]
fn filters_of_components_are_combined() {
    on_every_database(async |server| {
        let more = json!([
            with_member(component("SICK", "ADDITION"), "classificationType", "SICK_PAY"),
            with_member(
                with_member(component("401K", "REDUCTION"), "classificationType", "_401K"),
                "name",
                "401(k) & more"
            ),
        ]);
        import_line(&*server.store, &with_member(company(OPEN, "00-0100 0001"), "payComponents", more)).await;
        for (query, expected) in [
            // The import created both components at the same time, so the response lists them in the order of
            // the import.
            ("?effectonpay=REDUCTION", vec!["401K", "GARNISHMENT"]),
            ("?effectonpay=ADDITION_WITH_IN_OUT", vec!["TIPS"]),
            ("?classificationtype=SICK_PAY", vec!["SICK"]),
            ("?classificationtype=_401K&effectonpay=ADDITION", vec![]),
            ("?name=401(k)%20%26%20more", vec!["401K"]),
            ("?name=HOURLY+component&effectonpay=ADDITION", vec!["HOURLY"]),
            ("?name=hourly+component", vec![]),
            ("?name=a%00b", vec![]),
            ("?effectonpay=REDUCTION&offset=1&limit=1", vec!["GARNISHMENT"]),
        ] {
            assert_eq!(list_ids(server, query).await, expected, "{query}");
        }
        let bare = server.send(&Request::get(format!("/companies/{BARE}/paycomponents"))).await;
        assert_eq!(bare.json()["metadata"], json!({"contentItemCount": 0}));
    });
}

#[test]
fn every_invalid_parameter_gets_api_40_with_the_unknown_word() {
    on_every_database(async |server| {
        let wrong = [
            "?effectonpay=",
            "?effectonpay=addition",
            "?classificationtype=401K",
            "?name=a&name=b",
            "?name=",
        ];
        for query in wrong {
            assert_eq!(list_ids(server, query).await, ["400 API-40"], "{query}");
        }
        let target =
            format!("/companies/{OPEN}/paycomponents?effectonpay=PLUS&classificationtype=PAY&limit=x");
        let response = server.send(&Request::get(target)).await;
        assert_eq!(response.status_and_code(), "400 API-40 API-40 API-40");
        assert!(["PLUS", "PAY", "limit"].iter().all(|named| response.text().contains(named)), "{response:?}");
    });
}

#[test]
fn a_component_of_another_company_gets_404() {
    on_every_database(async |server| {
        for id in ["NONE", "FOREIGN-COMPONENT", "a%20b"] {
            let response = server.send(&Request::get(format!("/companies/{OPEN}/paycomponents/{id}"))).await;
            assert_eq!(response.status_and_code(), "404 API-7", "{id}");
        }
    });
}
