//! Tests of pages and their links, and of responses to requests without a page size.

use serde_json::{Value, json};

use crate::support::{
    OPEN, Request, Response, Server, check_with_correlation_id, on_every_database, on_every_database_with,
};

/// Reads a page of the company's calculation bases, of which there are five.
async fn list_calculation_bases(server: &Server, query: &str) -> Response {
    server.send(&Request::get(format!("/companies/{OPEN}/calculationbases{query}"))).await
}

#[test]
fn every_page_contains_its_part_in_order_of_creation() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for query in
            ["", "?limit=2", "?offset=2&limit=2", "?offset=4&limit=2", "?offset=3", "?offset=9", "?limit=0"]
        {
            reported.push(
                list_calculation_bases(server, query)
                    .await
                    .members("calculationBaseId")
                    .concat()
                    .replace("BASE-", ""),
            );
        }
        assert_eq!(reported, ["12345", "12", "34", "5", "45", "", "12345"]);
    });
}

#[test]
fn metadata_counts_the_response_and_with_paging_the_complete_collection() {
    on_every_database(async |server| {
        let metadata = async |query| list_calculation_bases(server, query).await.json()["metadata"].clone();
        assert_eq!(metadata("").await, json!({"contentItemCount": 5}));
        let paged = |offset, limit| json!({"offset": offset, "limit": limit, "itemCount": 5, "total": 5});
        assert_eq!(metadata("?limit=2").await, json!({"contentItemCount": 2, "pagination": paged(0, 2)}));
        assert_eq!(metadata("?offset=4").await, json!({"contentItemCount": 1, "pagination": paged(4, 0)}));
        assert_eq!(metadata("?offset=7").await, json!({"contentItemCount": 0, "pagination": paged(7, 0)}));
    });
}

#[test]
fn links_lead_to_this_page_and_the_next_and_previous_pages() {
    on_every_database(async |server| {
        let page = |offset: u32| {
            format!("{}/companies/{OPEN}/calculationbases?offset={offset}&limit=2", server.base)
        };
        for (offset, next, previous) in
            [(0, Some(2), None), (1, Some(3), Some(0)), (2, Some(4), Some(0)), (4, None, Some(2))]
        {
            let response = list_calculation_bases(server, &format!("?offset={offset}&limit=2")).await;
            let links = [response.link("self"), response.link("next"), response.link("previous")];
            assert_eq!(links, [Some(page(offset)), next.map(page), previous.map(page)], "at {offset}");
        }
    });
}

#[test]
fn without_a_limit_the_only_link_is_to_the_list_itself() {
    on_every_database(async |server| {
        for query in ["", "?offset=2", "?limit=0"] {
            let links = list_calculation_bases(server, query).await.json()["links"].clone();
            let href = format!("{}/companies/{OPEN}/calculationbases{query}", server.base);
            assert_eq!(links, json!([{"rel": "self", "href": href}]));
        }
    });
}

#[test]
fn following_the_next_links_reads_every_check_once() {
    on_every_database(async |server| {
        for number in 0..7 {
            server.send(&Request::post_checks(OPEN, &check_with_correlation_id(&number.to_string()))).await;
        }
        let mut read = Vec::new();
        let mut target = Some(format!("/companies/{OPEN}/checks?payperiodid=ENTRY&limit=3"));
        while let Some(next) = target {
            let response = server.send(&Request::get(next)).await;
            read.extend(response.members("checkCorrelationId"));
            target = response.link("next").map(|href| href.trim_start_matches(&server.base).to_owned());
        }
        assert_eq!(read.concat(), "0123456");
    });
}

#[test]
fn links_begin_with_the_configured_public_address() {
    let public = |settings: &mut crate::support::Settings| {
        settings.public_base_url = "https://api.example.org/payroll".to_owned();
    };
    on_every_database_with(public, async |server| {
        let response = server.send(&Request::get(format!("/companies/{OPEN}"))).await;
        let href = response.content()[0]["links"][0]["href"].clone();
        assert_eq!(href, json!("https://api.example.org/payroll/companies/OPEN"));
    });
}

#[test]
fn an_offset_or_limit_outside_31_bits_gets_api_40() {
    on_every_database(async |server| {
        for value in ["-1", "1.0", "a", "", "2147483648", "+1", "0x1", "1e1", "%201"] {
            for name in ["offset", "limit"] {
                let response = list_calculation_bases(server, &format!("?{name}={value}")).await;
                assert_eq!(response.status_and_code(), "400 API-40", "{name}={value}");
            }
        }
        assert_eq!(list_calculation_bases(server, "?offset=2147483647&limit=2147483647").await.status, 200);
    });
}

#[test]
fn every_collection_except_contact_types_has_pages() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for path in [
            "/companies",
            "/companies/OPEN/customfields",
            "/companies/OPEN/customemploymenttypes",
            "/companies/OPEN/contacttypes",
            "/companies/OPEN/payperiods",
            "/companies/OPEN/paycomponents",
            "/companies/OPEN/customfieldscategories",
            "/companies/OPEN/workers",
            "/workers/EMPLOYEE/compensation/payrates",
            "/workers/EMPLOYEE/paycomponents",
        ] {
            let response = server.send(&Request::get(format!("{path}?offset=1&limit=1"))).await;
            reported.push((
                response.content().len(),
                response.json()["metadata"]["pagination"]["offset"].clone(),
            ));
        }
        assert_eq!(
            reported,
            [
                (1, json!(1)),
                (1, json!(1)),
                (1, json!(1)),
                (1, Value::Null),
                (1, json!(1)),
                (1, json!(1)),
                (1, json!(1)),
                (1, json!(1)),
                (1, json!(1)),
                (1, json!(1))
            ]
        );
    });
}

#[test]
fn a_long_response_ends_early_after_an_error() {
    on_every_database(async |server| {
        const BATCH_COUNT: usize = 30;
        for batch in 0..BATCH_COUNT {
            let checks: Value =
                (0..100).map(|number| check_with_correlation_id(&format!("{batch}-{number}"))).collect();
            server.send(&Request::post_checks(OPEN, &checks)).await;
        }
        let last = "UPDATE checks SET lines = replace(lines, 'ADDITION', 'CONFUSED') WHERE ordinal = 3000";
        server.database.execute(last).await;
        let target = format!("/companies/{OPEN}/checks?payperiodid=ENTRY");
        assert!(
            server.try_send(&Request::get(target)).await.is_err(),
            "half a response must not look complete"
        );
    });
}

#[test]
fn thousands_of_checks_in_one_response_equal_their_pages() {
    on_every_database(async |server| {
        const BATCH_COUNT: usize = 30;
        for batch in 0..BATCH_COUNT {
            let checks: Value =
                (0..100).map(|number| check_with_correlation_id(&format!("{batch}-{number}"))).collect();
            assert_eq!(server.send(&Request::post_checks(OPEN, &checks)).await.status, 201);
        }
        let target = format!("/companies/{OPEN}/checks?payperiodid=ENTRY");
        let whole = server.send(&Request::get(&target)).await.content();
        let mut paged = Vec::new();
        for offset in (0..BATCH_COUNT * 100).step_by(1_000) {
            let page = server.send(&Request::get(format!("{target}&offset={offset}&limit=1000"))).await;
            paged.extend(page.content());
        }
        assert_eq!(whole.len(), BATCH_COUNT * 100);
        assert!(whole == paged, "the same checks in the same order");
    });
}
