//! Tests of reads of the operator API.

use super::{COMPANY_LISTS, get, list_path, only_object};
use crate::support::{CHILD_TAX_ID, Caller, OPEN, Request, on_every_database};

#[test]
fn every_list_and_every_element_of_it_can_be_read() {
    on_every_database(async |server| {
        for (name, id, _) in COMPANY_LISTS {
            let all = get(server, &list_path(name)).await;
            let elements = all.json()["content"].as_array().expect("a list").clone();
            assert!(all.status == 200 && !elements.is_empty(), "{name} {all:?}");
            assert_eq!(all.json()["metadata"]["contentItemCount"], elements.len(), "{name}");
            for element in elements {
                let path = format!("{}/{}", list_path(name), element[id].as_str().expect("an id"));
                let one = get(server, &path).await;
                assert_eq!((one.status, only_object(&one)), (200, element), "{path}");
            }
        }
    });
}

#[test]
fn an_object_has_a_strong_etag_and_an_unchanged_one_gets_304() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}");
        let one = get(server, &path).await;
        let tag = one.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag}");
        let again = Request::operator_get(&path).header("if-none-match", &tag);
        assert_eq!(server.send(&again).await.status, 304);
        let list = get(server, "/companies").await;
        let again = Request::operator_get("/companies").header("if-none-match", list.header("etag"));
        assert_eq!(server.send(&again).await.status, 304);
    });
}

#[test]
fn a_read_only_key_sees_masked_tax_identities_of_persons() {
    on_every_database(async |server| {
        let request = Request::operator_get("/companies/CHILD");
        let full = only_object(&server.send(&request).await);
        let reader = only_object(&server.send(&request.with_caller(Caller::OperatorReader)).await);
        assert_eq!(full["legalId"]["legalIdValue"], CHILD_TAX_ID);
        assert_eq!(reader["legalId"]["legalIdValue"], "*****6789");
    });
}

#[test]
fn all_companies_are_listed_in_pages_and_by_account_number() {
    on_every_database(async |server| {
        let first = get(server, "/companies?limit=2").await.json();
        assert_eq!(first["content"].as_array().map(Vec::len), Some(2));
        assert_eq!(first["metadata"]["pagination"]["total"], 9);
        assert_eq!(first["links"][1]["rel"], "next");
        let found = get(server, "/companies?displayid=00020001").await.json();
        assert_eq!(found["content"][0]["companyId"], "CHILD");
        let none = get(server, "/companies?displayid=nobody").await;
        assert_eq!((none.status, none.json()["content"].as_array().map(Vec::len)), (200, Some(0)));
    });
}
