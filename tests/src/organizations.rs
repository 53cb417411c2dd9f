//! Tests of reading a company's organizations (specification §6.8).

use serde_json::{Value, json};

use crate::support::world::company;
use crate::support::{BARE, OPEN, Request, Server, import_line, on_every_database, with_member};

/// Adds two organizations below the existing one. Adds a third organization below the first new one.
async fn add_organizations(server: &Server) {
    let unit = |id: &str, level: u32, parent: &str| json!({"organizationId": id, "name": format!("{id} unit"), "level": level, "parentOrganizationId": parent});
    let units = json!([unit("OVENS", 2, "BAKERY"), unit("SHOP", 2, "BAKERY"), unit("STONE", 3, "OVENS")]);
    import_line(&*server.store, &with_member(company(OPEN, "00-0100 0001"), "organizations", units)).await;
}

/// Returns the links of each organization as text. Each link has its relation and the last segment of its
/// URL.
fn organization_links(units: &[Value], base: &str) -> Vec<String> {
    let address = format!("{base}/companies/{OPEN}/organizations/");
    let link = |link: &Value| {
        let href = link["href"].as_str().expect("an address").strip_prefix(&address).expect("a unit's");
        format!("{} {href}", link["rel"].as_str().expect("a relation"))
    };
    let of_unit =
        |unit: &Value| unit["links"].as_array().expect("links").iter().map(link).collect::<Vec<_>>();
    units.iter().map(|unit| of_unit(unit).join(", ")).collect()
}

#[test]
fn the_links_contain_the_tree_of_organizations() {
    on_every_database(async |server| {
        add_organizations(server).await;
        let list = server.send(&Request::get(format!("/companies/{OPEN}/organizations"))).await;
        let expected = [
            "self BAKERY, child OVENS, child SHOP",
            "self OVENS, parent BAKERY, child STONE",
            "self SHOP, parent BAKERY",
            "self STONE, parent OVENS",
        ];
        // The import created these organizations at the same time, so their order is undefined.
        let mut reported = organization_links(&list.content(), &server.base);
        reported.sort();
        assert_eq!(reported, expected);
        let one = server.send(&Request::get(format!("/companies/{OPEN}/organizations/OVENS"))).await;
        assert_eq!(organization_links(&one.content(), &server.base), [expected[1]]);
    });
}

#[test]
fn an_organization_is_complete_and_pages_contain_their_own_children() {
    on_every_database(async |server| {
        let target = format!("/companies/{OPEN}/organizations/BAKERY");
        let own = json!([{"rel": "self", "href": format!("{}{target}", server.base)}]);
        let bakery =
            json!({"organizationId": "BAKERY", "name": "Bakery", "number": "10", "level": 1, "links": own});
        let one = server.send(&Request::get(&target)).await.json();
        assert_eq!(one, json!({"content": [bakery], "links": own}));
        add_organizations(server).await;
        let mut paged = Vec::new();
        for offset in 0..5 {
            let target = format!("/companies/{OPEN}/organizations?offset={offset}&limit=1");
            paged.extend(server.send(&Request::get(target)).await.content());
        }
        let whole = server.send(&Request::get(format!("/companies/{OPEN}/organizations"))).await.content();
        assert_eq!((paged.len(), paged), (4, whole));
    });
}

#[test]
fn a_foreign_organization_gets_404_and_a_company_without_organizations_has_an_empty_list() {
    on_every_database(async |server| {
        for id in ["NONE", "FOREIGN-ORG", "a%20b"] {
            let response = server.send(&Request::get(format!("/companies/{OPEN}/organizations/{id}"))).await;
            assert_eq!(response.status_and_code(), "404 API-7", "{id}");
        }
        let bare = server.send(&Request::get(format!("/companies/{BARE}/organizations"))).await;
        assert_eq!(bare.json()["metadata"], json!({"contentItemCount": 0}));
        let wrong = Request::get(format!("/companies/{OPEN}/organizations?limit=-1&offset=x"));
        assert_eq!(server.send(&wrong).await.status_and_code(), "400 API-40 API-40");
    });
}

#[test]
fn a_new_child_changes_the_etag_of_its_parent() {
    on_every_database(async |server| {
        let target = format!("/companies/{OPEN}/organizations/BAKERY");
        let before = server.send(&Request::get(&target)).await.header("etag").to_owned();
        let held = Request::get(&target).header("if-none-match", &before);
        assert_eq!(server.send(&held).await.status, 304);
        add_organizations(server).await;
        assert_eq!(server.send(&held).await.status, 200);
    });
}
