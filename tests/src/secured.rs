//! Tests of TLS on both listeners of a server process. The tests cover HTTP/1.1, HTTP/2, a change of
//! certificates, and a stop of the server.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::operations::CHECKS;
use crate::support::command_line::CommandResult;
use crate::support::process::{run, run_with_variables};
use crate::support::secured::{Certificate, read_response};
use crate::support::{
    Client, Database, OPEN, OPERATOR_KEY, Process, Request, on_every_database_kind, token_form, valid_check,
};

/// Returns a server that uses TLS with this certificate on both listeners.
fn serve(database: &Database, certificate: &Certificate) -> Process {
    let (file, key) = (certificate.file(), certificate.key_file());
    let (file, key) = (file.to_str().expect("a path"), key.to_str().expect("a path"));
    Process::serve_with(
        database,
        &[
            "--tls-certificate-file",
            file,
            "--tls-key-file",
            key,
            "--operator-tls-certificate-file",
            file,
            "--operator-tls-key-file",
            key,
        ],
    )
}

fn get(server: &Client, path: &str, authorization: &str) -> http::Request<()> {
    let request = http::Request::get(format!("{}{path}", server.base_url()));
    request.header("authorization", authorization).body(()).expect("a request")
}

#[test]
fn both_listeners_support_https_with_http_1_and_2() {
    on_every_database_kind(async |database| {
        let certificate = Certificate::new();
        let server = serve(database, &certificate);
        let (partner, operator) = (
            server.client.trusting_only(certificate.pem()),
            server.operator.trusting_only(certificate.pem()),
        );
        assert!(partner.base_url().starts_with("https://") && operator.base_url().starts_with("https://"));
        let token = partner.request_token(token_form()).await;
        let first = partner.send(&Request::get("/companies?limit=1"), Some(&token)).await.expect("an answer");
        let mut conversation = certificate.connect_http2(partner.address()).await;
        let (status, second) = conversation.send_request(get(&partner, "/companies?limit=1", &token)).await;
        assert_eq!((status, second), (200, first.text()));
        assert!(first.text().contains(&format!("\"href\":\"{}/", partner.base_url())), "{first:?}");

        let key = format!("Bearer {OPERATOR_KEY}");
        let path = "/operator/v1/companies?limit=1";
        let first = operator.send(&Request::get(path), Some(&key)).await.expect("an answer");
        let mut conversation = certificate.connect_http2(operator.address()).await;
        let (status, second) = conversation.send_request(get(&operator, path, &key)).await;
        assert_eq!((status, second), (200, first.text()));
    });
}

#[test]
fn a_command_trusts_the_configured_certificate_authority() {
    on_every_database_kind(async |database| {
        let certificate = Certificate::new();
        let server = serve(database, &certificate);
        let company_list = |more: &[&str]| -> CommandResult {
            let key = [("PAYROLL_OPERATOR_KEY", OPERATOR_KEY)];
            let command = [&["company", "list", "--url", server.operator.base_url()], more].concat();
            run_with_variables(&key, &command, "").into()
        };
        let file = certificate.file();
        let reported = company_list(&["--ca-file", file.to_str().expect("a path")]);
        assert!(reported.code == Some(0) && reported.out.contains(OPEN), "{reported:?}");
        let reported = company_list(&[]);
        assert!(reported.code == Some(2) && reported.errors.contains("certificate"), "{reported:?}");
        let reported = company_list(&["--ca-file", "/nowhere"]);
        assert!(
            reported.code == Some(2) && reported.errors.contains("--ca-file /nowhere cannot be read"),
            "{reported:?}"
        );
    });
}

#[test]
fn a_new_certificate_is_served_while_old_connections_continue() {
    on_every_database_kind(async |database| {
        let mut certificate = Certificate::new();
        let server = serve(database, &certificate);
        let address = server.client.address();
        let mut old = certificate.connect(address, b"http/1.1").await.expect("a handshake");
        certificate.replace_certificate();
        while certificate.connect(address, b"http/1.1").await.is_err() {}
        while certificate.connect(server.operator.address(), b"http/1.1").await.is_err() {}
        old.write_all(b"GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            .await
            .expect("a server");
        let mut response = Vec::new();
        let _read = old.read_to_end(&mut response).await;
        assert!(response.starts_with(b"HTTP/1.1 404"), "{}", String::from_utf8_lossy(&response));
    });
}

#[test]
fn invalid_certificate_files_prevent_the_start_of_a_server() {
    let (one, other) = (Certificate::new(), Certificate::new());
    let database = Database::Sqlite(tempfile::tempdir().expect("a folder"));
    let path = |path: std::path::PathBuf| path.to_str().expect("a path").to_owned();
    let (certificate, key, foreign) = (path(one.file()), path(one.key_file()), path(other.key_file()));
    for side in ["", "operator-"] {
        let names = [format!("--{side}tls-certificate-file"), format!("--{side}tls-key-file")];
        let prefix = side.replace('-', "_");
        for (certificate, key, setting, says) in [
            (certificate.as_str(), "", "tls_certificate_file", "TLS requires both"),
            ("", &key, "tls_key_file", "TLS requires both"),
            ("/nowhere.pem", &key, "tls_certificate_file", "/nowhere.pem cannot be read"),
            (&certificate, "/nowhere.pem", "tls_key_file", "/nowhere.pem cannot be read"),
            (&key, &key, "tls_certificate_file", "contains no certificates"),
            (&certificate, &foreign, "tls_key_file", "is not the key of the certificate"),
        ] {
            let reported: CommandResult = run(
                &database,
                &["serve", "--listen", "127.0.0.1:0", &names[0], certificate, &names[1], key],
                "",
            )
            .into();
            let named = format!("setting `{prefix}{setting}`");
            let clear = reported.errors.contains(&named) && reported.errors.contains(says);
            assert!(reported.code == Some(2) && clear, "{certificate} {key}: {reported:?}");
        }
    }
}

#[test]
fn an_http_2_request_in_progress_finishes_during_a_stop() {
    on_every_database_kind(async |database| {
        let certificate = Certificate::new();
        let mut server = serve(database, &certificate);
        let partner = server.client.trusting_only(certificate.pem());
        let token = partner.request_token(token_form()).await;
        let request = http::Request::post(format!("{}/companies/{OPEN}/checks", partner.base_url()));
        let request = request.header("authorization", &token).header("content-type", CHECKS);
        let mut conversation = certificate.connect_http2(partner.address()).await;
        let (response, mut body) =
            conversation.begin_request(request.body(()).expect("a request"), false).await;
        // The server has responded to the second request of this connection, so it already processes the
        // first one.
        conversation.send_request(get(&partner, "/nothing", &token)).await;
        server.send_stop_signal();
        body.send_data(std::io::Cursor::new(valid_check().to_string().into_bytes()), true).expect("a server");
        let (status, reported) = read_response(response).await;
        drop(conversation);
        assert_eq!((status, server.wait()), (201, Some(0)), "{reported}");
    });
}
