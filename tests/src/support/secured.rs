//! Certificates for the tests, and clients that trust only one of these certificates.

use std::future::poll_fn;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use rcgen::generate_simple_self_signed;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// The host name in the certificates, in addition to the loopback address.
const SERVER_NAME: &str = "localhost";

/// A certificate and its key in a temporary folder.
pub(crate) struct Certificate {
    folder: TempDir,
    der: CertificateDer<'static>,
    pem: String,
}

/// The body type of HTTP/2 requests.
type Bytes = Cursor<Vec<u8>>;

/// A client of an HTTP/2 connection.
pub(crate) struct Http2Client(SendRequest<Bytes>);

impl Certificate {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (der, pem) = write_certificate(&folder);
        Self { folder, der, pem }
    }

    /// Writes another certificate and its key to the same files.
    pub(crate) fn replace_certificate(&mut self) {
        (self.der, self.pem) = write_certificate(&self.folder);
    }

    /// Returns the certificate in the format PEM. The certificate is self-signed, so clients can use it as
    /// their certificate authority.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("certificate.pem")
    }

    pub(crate) fn key_file(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    /// Connects to this address. Fails if the server has another certificate.
    pub(crate) async fn connect(
        &self,
        address: &str,
        version: &[u8],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).expect("a certificate");
        let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![version.to_vec()];
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from(SERVER_NAME).expect("a name");
        TlsConnector::from(Arc::new(config)).connect(name, stream).await
    }

    /// Opens an HTTP/2 connection to this address.
    pub(crate) async fn connect_http2(&self, address: &str) -> Http2Client {
        let stream = self.connect(address, b"h2").await.expect("a handshake");
        let (client, connection) = Builder::new().handshake(stream).await.expect("HTTP/2");
        tokio::spawn(connection);
        Http2Client(client)
    }
}

fn write_certificate(folder: &TempDir) -> (CertificateDer<'static>, String) {
    let names = [SERVER_NAME.to_owned(), "127.0.0.1".to_owned()];
    let created = generate_simple_self_signed(names).expect("a certificate");
    let pem = created.cert.pem();
    std::fs::write(folder.path().join("certificate.pem"), &pem).expect("a file");
    std::fs::write(folder.path().join("key.pem"), created.signing_key.serialize_pem()).expect("a file");
    (created.cert.der().clone(), pem)
}

impl Http2Client {
    /// Starts a request. If `is_whole` is false, the caller sends the body later.
    pub(crate) async fn begin_request(
        &mut self,
        request: http::Request<()>,
        is_whole: bool,
    ) -> (ResponseFuture, SendStream<Bytes>) {
        poll_fn(|context| self.0.poll_ready(context)).await.expect("a place");
        self.0.send_request(request, is_whole).expect("a stream")
    }

    /// Sends a request without a body. Returns the status and the body of the response.
    pub(crate) async fn send_request(&mut self, request: http::Request<()>) -> (u16, String) {
        let (response, _) = self.begin_request(request, true).await;
        read_response(response).await
    }
}

/// Returns the status and the body of a response.
pub(crate) async fn read_response(response: ResponseFuture) -> (u16, String) {
    let response = response.await.expect("an answer");
    (response.status().as_u16(), read_text(response.into_body()).await)
}

async fn read_text(mut body: RecvStream) -> String {
    let mut whole = Vec::new();
    while let Some(part) = body.data().await {
        let part = part.expect("the whole answer");
        body.flow_control().release_capacity(part.len()).expect("a window");
        whole.extend_from_slice(&part);
    }
    String::from_utf8(whole).expect("text")
}
