//! Tests of documents that operators add (specification §10.30).

use serde_json::json;

use super::DOCUMENTS_PATH;
use crate::support::files::{base64, new_document};
use crate::support::{OPEN, Request, on_every_database};

fn documents_path() -> String {
    format!("/companies/{OPEN}{DOCUMENTS_PATH}")
}

#[test]
fn an_operator_adds_a_document_that_partners_download() {
    on_every_database(async |server| {
        let add = Request::operator_post(&documents_path(), &new_document()).idempotency_key("k");
        let (added, again) = (server.send(&add).await, server.send(&add).await);
        assert_eq!((added.status, again.status), (201, 201), "{}", added.text());
        assert_eq!((&added.body, again.header("idempotent-replayed")), (&again.body, "true"));
        let shown = added.content()[0].clone();
        let id = shown["documentId"].as_str().expect("an id");
        assert_eq!(shown["contentType"], "text/plain");
        assert!(added.header("location").ends_with(&format!("{}/{id}", documents_path())), "{added:?}");
        assert_eq!(
            server.send(&Request::operator_get(&documents_path())).await.content(),
            std::slice::from_ref(&shown)
        );
        let by_operator = server.send(&Request::operator_get(&format!("{}/{id}", documents_path()))).await;
        let by_partner = server.send(&Request::get(format!("{DOCUMENTS_PATH}/{id}"))).await;
        assert_eq!((&by_operator.body[..], &by_partner.body[..]), (&b"Dear Ann,\n"[..], &b"Dear Ann,\n"[..]));
        assert_eq!(added.header("etag"), by_operator.header("etag"));
        let audit_log =
            server.send(&Request::operator_get(&format!("/audit?companyid={OPEN}&kind=document"))).await;
        let row = audit_log.content()[0].to_string();
        assert!(row.contains("Note.txt") && !row.contains(&base64(b"Dear Ann,\n")), "{row}");
    });
}

#[test]
fn an_operator_adds_a_document_by_a_form() {
    on_every_database(async |server| {
        let body = "--line\r\nContent-Disposition: form-data; name=\"content\"; filename=\"Note.txt\"\r\n\r\n\
                    Dear Ann,\n\r\n--line--\r\n";
        let form = Request::operator_post(&documents_path(), &json!({}))
            .header("content-type", "multipart/form-data; boundary=line")
            .body(body);
        let added = server.send(&form).await;
        assert_eq!((added.status, &added.content()[0]["size"]), (201, &json!(10)), "{}", added.text());
    });
}

#[test]
fn an_invalid_document_of_an_operator_is_not_stored() {
    on_every_database(async |server| {
        let text = base64(b"Dear Ann,\n");
        for (document, refusal) in [
            (json!({}), "400 API-52"),
            (json!([]), "400 API-48"),
            (json!({"name": "a.txt"}), "400 API-46"),
            (json!({"name": "a/b.txt", "content": text}), "400 API-63"),
            (json!({"name": "a.exe", "content": base64(b"MZ\x90\0")}), "400 API-62"),
            (json!({"name": "a.txt", "content": "no base64"}), "400 API-46"),
            (json!({"name": "a.txt", "content": text, "categoryId": "NONE"}), "400 API-66"),
        ] {
            let response = server.send(&Request::operator_post(&documents_path(), &document)).await;
            assert_eq!(response.status_and_code(), refusal, "{document}");
        }
        let unknown = format!("/companies/{OPEN}/workers/NOBODY/documents");
        let response = server.send(&Request::operator_post(&unknown, &new_document())).await;
        assert_eq!(response.status_and_code(), "404 API-7");
        assert!(server.send(&Request::operator_get(&documents_path())).await.content().is_empty());
    });
}
