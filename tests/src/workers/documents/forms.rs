//! Tests of documents that are uploaded as a form (RFC 7578).

use serde_json::json;

use super::DOCUMENTS_PATH;
use crate::support::files::new_document;
use crate::support::{Request, Response, Server, on_every_database};

/// A part of a form: the text after `form-data` in its header, and its content.
type FormPart<'p> = (&'p str, &'p [u8]);

const FILE_PART: FormPart<'_> = ("; name=\"content\"; filename=\"Note.txt\"", b"Dear Ann,\n");
const CATEGORY_PART: FormPart<'_> = ("; name=\"categoryId\"", b"CERTIFICATES");

fn form_body(boundary: &str, parts: &[FormPart<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for (header, bytes) in parts {
        let head = format!("--{boundary}\r\nContent-Disposition: form-data{header}\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    body
}

fn form_request(boundary: &str, parts: &[FormPart<'_>]) -> Request {
    let content_type = format!("multipart/form-data; boundary={boundary}");
    Request::post(DOCUMENTS_PATH, &json!({}))
        .header("content-type", content_type)
        .body(form_body(boundary, parts))
}

async fn send_form(server: &Server, parts: &[FormPart<'_>]) -> Response {
    server.send(&form_request("line", parts)).await
}

#[test]
fn a_multipart_form_adds_the_same_document_as_json() {
    on_every_database(async |server| {
        let by_json = server.send(&Request::post(DOCUMENTS_PATH, &new_document())).await;
        let by_form = send_form(server, &[FILE_PART, CATEGORY_PART]).await;
        assert_eq!((by_json.status, by_form.status), (201, 201), "{}", by_form.text());
        let known = |response: &Response| {
            let shown = response.content()[0].clone();
            ["name", "categoryId", "contentType", "size", "sha256"].map(|member| shown[member].clone())
        };
        assert_eq!(known(&by_form), known(&by_json));
        let named =
            send_form(server, &[("; name=\"name\"", "Brief für Ann.txt".as_bytes()), FILE_PART]).await;
        assert_eq!(named.content()[0]["name"], "Brief für Ann.txt");
        // The file may contain any bytes, even line ends and text that resembles a boundary.
        let bytes = b"%PDF-1.7\r\n--lin\r\n\0\xff\r\n";
        let added = send_form(server, &[("; name=\"content\"; filename=\"a.pdf\"", bytes)]).await;
        let id = added.content()[0]["documentId"].as_str().expect("an id").to_owned();
        assert_eq!(server.send(&Request::get(format!("{DOCUMENTS_PATH}/{id}"))).await.body, bytes);
    });
}

#[test]
fn a_retry_may_change_the_boundary_but_not_the_file() {
    on_every_database(async |server| {
        let first = server.send(&form_request("one", &[FILE_PART]).idempotency_key("k")).await;
        let again = server.send(&form_request("two", &[FILE_PART]).idempotency_key("k")).await;
        assert_eq!((first.status, again.status, again.header("idempotent-replayed")), (201, 201, "true"));
        assert_eq!(first.body, again.body);
        let other = ("; name=\"content\"; filename=\"Note.txt\"", &b"Dear Bob,\n"[..]);
        for parts in [[other].as_slice(), &[FILE_PART, CATEGORY_PART]] {
            let refused = server.send(&form_request("one", parts).idempotency_key("k")).await;
            assert_eq!(refused.status_and_code(), "422 API-422");
        }
        assert_eq!(server.send(&Request::get(DOCUMENTS_PATH)).await.content().len(), 1);
    });
}

#[test]
fn an_invalid_form_is_rejected_and_stores_nothing() {
    on_every_database(async |server| {
        let program = ("; name=\"content\"; filename=\"scan.pdf\"", &b"MZ\x90\0"[..]);
        let many: Vec<FormPart<'_>> = (0..17).map(|_| ("; name=\"note\"", &b"x"[..])).collect();
        for (parts, refusal) in [
            (vec![], "400 API-52"),
            (vec![CATEGORY_PART, ("; name=\"name\"", b"a.txt")], "400 API-46"),
            (vec![FILE_PART, FILE_PART], "400 API-47"),
            (vec![program], "400 API-62"),
            (vec![FILE_PART, ("; name=\"name\"", b"\xff")], "400 API-63"),
            (vec![("; name=\"content\"; filename=\"../a.txt\"", b"Dear Ann,\n")], "400 API-63"),
            (vec![FILE_PART, ("; name=\"categoryId\"", b"NOTHING")], "400 API-66"),
            (many, "400 API-40"),
            (vec![FILE_PART, ("", b"x")], "400 API-40"),
        ] {
            assert_eq!(send_form(server, &parts).await.status_and_code(), refusal, "{parts:?}");
        }
        let mut cut = form_body("line", &[FILE_PART]);
        cut.truncate(cut.len() - 12);
        for body in [cut, b"no form".to_vec(), form_body("other", &[FILE_PART])] {
            let refused = server.send(&form_request("line", &[]).body(body)).await;
            assert_eq!(refused.status_and_code(), "400 API-40", "{}", refused.text());
        }
        let without = form_request("line", &[FILE_PART]).header("content-type", "multipart/form-data");
        assert_eq!(server.send(&without).await.status_and_code(), "415 API-415");
        let mut image = form_request("line", &[FILE_PART]);
        image.target = "/workers/EMPLOYEE/profileimage".to_owned();
        assert_eq!(server.send(&image).await.status_and_code(), "415 API-415");
        assert!(server.send(&Request::get(DOCUMENTS_PATH)).await.content().is_empty());
    });
}
