//! Tests of documents that are uploaded as a form (RFC 7578).

use serde_json::json;

use super::LIST;
use crate::support::files::new_document;
use crate::support::{Request, Response, Server, on_every_database};

/// A part of a form: its header after `form-data`, and its bytes.
type Part<'p> = (&'p str, &'p [u8]);

const FILE: Part<'_> = ("; name=\"content\"; filename=\"Note.txt\"", b"Dear Ann,\n");
const CATEGORY: Part<'_> = ("; name=\"categoryId\"", b"CERTIFICATES");

fn form(boundary: &str, parts: &[Part<'_>]) -> Vec<u8> {
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

fn request(boundary: &str, parts: &[Part<'_>]) -> Request {
    let content_type = format!("multipart/form-data; boundary={boundary}");
    Request::post(LIST, &json!({})).header("content-type", content_type).body(form(boundary, parts))
}

async fn send(server: &Server, parts: &[Part<'_>]) -> Response {
    server.send(&request("line", parts)).await
}

#[test]
fn a_form_adds_the_document_that_json_adds() {
    on_every_database(async |server| {
        let by_json = server.send(&Request::post(LIST, &new_document())).await;
        let by_form = send(server, &[FILE, CATEGORY]).await;
        assert_eq!((by_json.status, by_form.status), (201, 201), "{}", by_form.text());
        let known = |response: &Response| {
            let shown = response.content()[0].clone();
            ["name", "categoryId", "contentType", "size", "sha256"].map(|member| shown[member].clone())
        };
        assert_eq!(known(&by_form), known(&by_json));
        let named = send(server, &[("; name=\"name\"", "Brief für Ann.txt".as_bytes()), FILE]).await;
        assert_eq!(named.content()[0]["name"], "Brief für Ann.txt");
        // The file may contain any bytes, even line ends and text that resembles a boundary.
        let bytes = b"%PDF-1.7\r\n--lin\r\n\0\xff\r\n";
        let added = send(server, &[("; name=\"content\"; filename=\"a.pdf\"", bytes)]).await;
        let id = added.content()[0]["documentId"].as_str().expect("an id").to_owned();
        assert_eq!(server.send(&Request::get(format!("{LIST}/{id}"))).await.body, bytes);
    });
}

#[test]
fn a_retry_may_have_another_boundary_and_no_other_file() {
    on_every_database(async |server| {
        let first = server.send(&request("one", &[FILE]).idempotency_key("k")).await;
        let again = server.send(&request("two", &[FILE]).idempotency_key("k")).await;
        assert_eq!((first.status, again.status, again.header("idempotent-replayed")), (201, 201, "true"));
        assert_eq!(first.body, again.body);
        let other = ("; name=\"content\"; filename=\"Note.txt\"", &b"Dear Bob,\n"[..]);
        for parts in [[other].as_slice(), &[FILE, CATEGORY]] {
            let refused = server.send(&request("one", parts).idempotency_key("k")).await;
            assert_eq!(refused.refusal(), "422 API-422");
        }
        assert_eq!(server.send(&Request::get(LIST)).await.content().len(), 1);
    });
}

#[test]
fn a_wrong_form_is_rejected_and_stores_nothing() {
    on_every_database(async |server| {
        let program = ("; name=\"content\"; filename=\"scan.pdf\"", &b"MZ\x90\0"[..]);
        let many: Vec<Part<'_>> = (0..17).map(|_| ("; name=\"note\"", &b"x"[..])).collect();
        for (parts, refusal) in [
            (vec![], "400 API-52"),
            (vec![CATEGORY, ("; name=\"name\"", b"a.txt")], "400 API-46"),
            (vec![FILE, FILE], "400 API-47"),
            (vec![program], "400 API-62"),
            (vec![FILE, ("; name=\"name\"", b"\xff")], "400 API-63"),
            (vec![("; name=\"content\"; filename=\"../a.txt\"", b"Dear Ann,\n")], "400 API-63"),
            (vec![FILE, ("; name=\"categoryId\"", b"NOTHING")], "400 API-66"),
            (many, "400 API-40"),
            (vec![FILE, ("", b"x")], "400 API-40"),
        ] {
            assert_eq!(send(server, &parts).await.refusal(), refusal, "{parts:?}");
        }
        let mut cut = form("line", &[FILE]);
        cut.truncate(cut.len() - 12);
        for body in [cut, b"no form".to_vec(), form("other", &[FILE])] {
            let refused = server.send(&request("line", &[]).body(body)).await;
            assert_eq!(refused.refusal(), "400 API-40", "{}", refused.text());
        }
        let without = request("line", &[FILE]).header("content-type", "multipart/form-data");
        assert_eq!(server.send(&without).await.refusal(), "415 API-415");
        let mut image = request("line", &[FILE]);
        image.target = "/workers/EMPLOYEE/profileimage".to_owned();
        assert_eq!(server.send(&image).await.refusal(), "415 API-415");
        assert!(server.send(&Request::get(LIST)).await.content().is_empty());
    });
}
