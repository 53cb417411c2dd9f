//! Tests of documents of workers (specification §6.31).

mod forms;
mod operators;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::files::{base64, new_document};
use crate::support::{
    OPEN, Request, Response, Server, Settings, on_every_database, on_every_database_with, with_member,
};

const DOCUMENTS_PATH: &str = "/workers/EMPLOYEE/documents";

async fn add_document(server: &Server, name: &str, content: &[u8]) -> Response {
    server.send(&Request::post(DOCUMENTS_PATH, &json!({"name": name, "content": base64(content)}))).await
}

fn document_id(added: &Response) -> String {
    added.content()[0]["documentId"].as_str().expect("an id").to_owned()
}

#[test]
fn a_document_is_added_listed_downloaded_and_removed() {
    on_every_database(async |server| {
        let added = server.send(&Request::post(DOCUMENTS_PATH, &new_document())).await;
        assert_eq!(added.status, 201);
        let path = format!("{DOCUMENTS_PATH}/{}", document_id(&added));
        let shown = added.content()[0].clone();
        assert_eq!(shown["links"], json!([{"rel": "self", "href": format!("{}{path}", server.base)}]));
        assert_eq!(
            (&shown["name"], &shown["contentType"], &shown["size"], &shown["categoryId"]),
            (&json!("Note.txt"), &json!("text/plain"), &json!(10), &json!("CERTIFICATES"))
        );
        let hash = "731aab529e6fbf3f738e6183bf4f47f96912c11e29e49f55b1dbb586f35b4fab";
        assert_eq!(shown["sha256"], hash);
        assert_eq!(server.send(&Request::get(DOCUMENTS_PATH)).await.content(), [shown]);
        let bytes = server.send(&Request::get(&path)).await;
        assert_eq!(bytes.body, b"Dear Ann,\n");
        for (header, expected) in [
            ("content-type", "application/octet-stream"),
            ("content-disposition", "attachment; filename=\"Note.txt\"; filename*=UTF-8''Note.txt"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "sandbox; default-src 'none'"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(bytes.header(header), expected, "{header}");
        }
        let held = Request::get(&path).header("if-none-match", bytes.header("etag"));
        assert_eq!(server.send(&held).await.status, 304);
        let removed = Request::new(Method::DELETE, &path).if_match(bytes.header("etag"));
        assert_eq!(server.send(&removed).await.status, 204);
        assert_eq!(server.send(&Request::get(&path)).await.status_and_code(), "404 API-7");
        assert!(server.send(&Request::get(DOCUMENTS_PATH)).await.content().is_empty());
    });
}

#[test]
fn the_file_type_is_detected_from_the_content_and_file_names_are_sanitized() {
    on_every_database(async |server| {
        for (name, content, content_type, downloaded) in [
            ("run.exe", &b"%PDF-1.7\n"[..], "application/pdf", "run.exe.pdf"),
            ("list.txt", b"a,b\n1,2\n", "text/csv", "list.txt.csv"),
            ("photo.JPEG", b"\xff\xd8\xff\xe0", "image/jpeg", "photo.JPEG"),
        ] {
            let added = add_document(server, name, content).await;
            assert_eq!(added.content()[0]["contentType"], content_type);
            let bytes = server.send(&Request::get(format!("{DOCUMENTS_PATH}/{}", document_id(&added)))).await;
            let expected = format!("attachment; filename=\"{downloaded}\"; filename*=UTF-8''{downloaded}");
            assert_eq!(bytes.header("content-disposition"), expected);
            assert_eq!(bytes.body, content);
        }
        for content in [&b"MZ\x90\0"[..], b"#!/bin/sh", b"<svg/>", b"<!DOCTYPE html>", b"PK\x03\x04"] {
            assert_eq!(
                add_document(server, "scan.pdf", content).await.status_and_code(),
                "400 API-62",
                "{content:?}"
            );
        }
    });
}

#[test]
fn all_faults_of_a_document_are_reported_at_once() {
    on_every_database(async |server| {
        let wrong = json!({"name": "a/b", "categoryId": "no id", "content": "?"});
        let refused = server.send(&Request::post(DOCUMENTS_PATH, &wrong)).await;
        let faults: Vec<String> = refused
            .errors()
            .iter()
            .map(|error| {
                format!("{} {}", error["code"].as_str().unwrap(), error["pointer"].as_str().unwrap())
            })
            .collect();
        assert_eq!(faults, ["API-63 /name", "API-66 /categoryId", "API-46 /content"]);
        assert!(server.send(&Request::get(DOCUMENTS_PATH)).await.content().is_empty());
    });
}

#[test]
fn a_dry_run_stores_nothing_and_a_retry_adds_nothing() {
    on_every_database(async |server| {
        let dry = server.send(&Request::post(format!("{DOCUMENTS_PATH}?dryrun=true"), &new_document())).await;
        assert_eq!((dry.status, dry.content()[0].get("documentId")), (200, None));
        let unknown = with_member(new_document(), "categoryId", json!("NOTHING"));
        let refused = server.send(&Request::post(format!("{DOCUMENTS_PATH}?dryrun=true"), &unknown)).await;
        assert_eq!(refused.status_and_code(), "400 API-66");
        let keyed = Request::post(DOCUMENTS_PATH, &new_document()).header("idempotency-key", "one");
        let (first, again) = (server.send(&keyed).await, server.send(&keyed).await);
        assert_eq!((first.status, again.status, again.header("idempotent-replayed")), (201, 201, "true"));
        assert_eq!(first.body, again.body);
        assert_eq!(server.send(&Request::get(DOCUMENTS_PATH)).await.content().len(), 1);
        let path = format!("{DOCUMENTS_PATH}/{}?dryrun=true", document_id(&first));
        assert_eq!(server.send(&Request::new(Method::DELETE, path)).await.status, 204);
        assert_eq!(server.send(&Request::get(DOCUMENTS_PATH)).await.content().len(), 1);
    });
}

#[test]
fn a_document_of_ten_mebibytes_is_stored_and_one_byte_more_is_not() {
    on_every_database(async |server| {
        let mut content = b"%PDF-1.7\n".to_vec();
        content.resize(10 * 1024 * 1024, 0xff);
        let added = add_document(server, "scan.pdf", &content).await;
        assert_eq!(added.status, 201, "{:?}", added.text());
        let bytes = server.send(&Request::get(format!("{DOCUMENTS_PATH}/{}", document_id(&added)))).await;
        assert!(bytes.body == content, "{} bytes", bytes.body.len());
        content.push(0);
        assert_eq!(add_document(server, "scan.pdf", &content).await.status_and_code(), "413 API-413");
        // A JSON text may escape each slash, which makes the base64 text longer. The document itself is
        // within the limit.
        content.pop();
        for (at, byte) in content.iter_mut().enumerate().skip(16) {
            *byte = u8::try_from(at * 7_919 % 251).expect("a byte");
        }
        let body = json!({"name": "scan.pdf", "content": base64(&content)}).to_string().replace('/', "\\/");
        let escaped = Request::post(DOCUMENTS_PATH, &json!({})).body(body);
        assert_eq!(server.send(&escaped).await.status, 201);
    });
}

#[test]
fn a_document_over_the_memory_limit_of_the_application_gets_413() {
    let little = |settings: &mut Settings| {
        settings.application_request_memory_bytes = 20 * 1024 * 1024;
    };
    on_every_database_with(little, async |server| {
        let mut content = b"%PDF-1.7\n".to_vec();
        content.resize(10 * 1024 * 1024, 0xff);
        assert_eq!(add_document(server, "scan.pdf", &content).await.status_and_code(), "413 API-413");
        content.truncate(1024 * 1024);
        assert_eq!(add_document(server, "scan.pdf", &content).await.status, 201);
    });
}

#[test]
fn the_bytes_of_removed_documents_and_of_deleted_workers_are_deleted() {
    on_every_database(async |server| {
        let stored = async || server.database.query_number("SELECT count(*) FROM blobs").await;
        let first = add_document(server, "a.pdf", b"%PDF-1.7\n").await;
        let of_new = "/workers/STARTING/documents";
        let body = json!({"name": "b.pdf", "content": base64(b"%PDF-1.7\n")});
        assert_eq!(server.send(&Request::post(of_new, &body)).await.status, 201);
        assert_eq!(stored().await, 2);
        server.send(&Request::new(Method::DELETE, format!("{DOCUMENTS_PATH}/{}", document_id(&first)))).await;
        server.send(&Request::new(Method::DELETE, "/workers/STARTING")).await;
        assert_eq!(server.database.query_number("SELECT count(*) FROM documents").await, 0);
        let mut housekeeper = server.housekeeper();
        housekeeper.run_once().await;
        server.clock.advance_seconds(3_599);
        housekeeper.run_once().await;
        assert_eq!(stored().await, 2, "the bytes may belong to an upload");
        server.clock.advance_seconds(3_600);
        housekeeper.run_once().await;
        assert_eq!(stored().await, 0);
        assert_eq!(server.database.query_number("SELECT count(*) FROM unused_blobs").await, 0);
    });
}

#[test]
fn documents_are_audited_without_bytes_and_a_used_category_stays() {
    on_every_database(async |server| {
        let added = server.send(&Request::post(DOCUMENTS_PATH, &new_document())).await;
        let audit =
            server.send(&Request::operator_get(&format!("/audit?companyid={OPEN}&kind=document"))).await;
        let rows = audit.json()["content"].as_array().cloned().unwrap_or_default();
        let row = rows.last().cloned().unwrap_or(Value::Null);
        assert_eq!(
            (&row["action"], &row["resource"]["id"]),
            (&json!("create"), &json!(document_id(&added))),
            "{audit:?}"
        );
        assert!(!row.to_string().contains(&base64(b"Dear Ann,\n")), "{row}");
        let category = format!("/companies/{OPEN}/documentcategories/CERTIFICATES");
        let refused = server.send(&Request::operator(Method::DELETE, &category).if_match("*")).await;
        assert_eq!(refused.status_and_code(), "409 API-409");
        assert!(refused.text().contains("EMPLOYEE"), "{refused:?}");
    });
}
