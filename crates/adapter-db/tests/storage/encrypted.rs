//! Tests `sslmode` and `sslrootcert` in the address of PostgreSQL. A proxy in the test accepts TLS
//! connections like PostgreSQL, and forwards the data to the real server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use payroll_adapter_db::open;
use payroll_domain::date::Timestamp;
use payroll_ports::{Store, StoreError};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::support::raw::RawConnection;
use crate::support::{TestDatabase, settings};

/// The message with which a client requests TLS: a length, and a number that is not a protocol version
/// (PostgreSQL, "Message Formats").
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A proxy in front of PostgreSQL that terminates TLS. The proxy stops when the value is dropped.
struct TlsProxy {
    address: SocketAddr,
    /// The number of connections with TLS so far.
    encrypted: Arc<AtomicUsize>,
    /// The number of all connections so far.
    all: Arc<AtomicUsize>,
    /// The folder that contains the self-signed certificate.
    roots: tempfile::TempDir,
    task: AbortHandle,
}

impl Drop for TlsProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl TlsProxy {
    /// Starts a proxy for the server. Its certificate contains `name`. If `name` is `None`, the proxy does
    /// not support TLS.
    async fn start(server: String, name: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let roots = tempfile::tempdir().unwrap();
        let tls = name.map(|name| create_tls_acceptor(name, &roots));
        let (encrypted, all) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, counted_all) = (Arc::clone(&encrypted), Arc::clone(&all));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted_all.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(forward_connection(stream, server.clone(), tls.clone(), Arc::clone(&counted)));
            }
        });
        Self { address, encrypted, all, roots, task: task.abort_handle() }
    }

    fn root_certificate_path(&self) -> String {
        self.roots.path().join("root.pem").display().to_string()
    }

    /// Returns the address of a database through the proxy.
    fn url(&self, database: &TestDatabase, host: &str, query: &str) -> String {
        let url = database.url();
        let (_, rest) = url.split_once("://").unwrap();
        let (login, address) = rest.rsplit_once('@').unwrap();
        let (_, name) = address.split_once('/').unwrap();
        let name = name.split('?').next().unwrap();
        format!("postgres://{login}@{host}:{}/{name}{query}", self.address.port())
    }
}

fn create_tls_acceptor(name: &str, roots: &tempfile::TempDir) -> TlsAcceptor {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([name.to_owned()]).unwrap();
    std::fs::write(roots.path().join("root.pem"), cert.pem()).unwrap();
    let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der()).into();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Negotiates TLS with one client like PostgreSQL, and forwards the messages of the client to the server.
async fn forward_connection(
    mut stream: TcpStream,
    server: String,
    tls: Option<TlsAcceptor>,
    encrypted: Arc<AtomicUsize>,
) {
    let mut first = [0; 8];
    let Ok(_) = stream.read_exact(&mut first).await else { return };
    let Ok(mut target) = TcpStream::connect(server).await else { return };
    if first != SSL_REQUEST {
        let _ = target.write_all(&first).await;
        let _ = copy_bidirectional(&mut stream, &mut target).await;
        return;
    }
    let Ok(()) = stream.write_all(if tls.is_some() { b"S" } else { b"N" }).await else { return };
    match tls {
        Some(tls) => {
            let Ok(mut stream) = tls.accept(stream).await else { return };
            encrypted.fetch_add(1, Ordering::Relaxed);
            let _ = copy_bidirectional(&mut stream, &mut target).await;
        }
        None => drop(copy_bidirectional(&mut stream, &mut target).await),
    }
}

/// The result of opening a database through a proxy, with the numbers of connections.
struct OpenResult {
    outcome: Result<(), String>,
    encrypted: usize,
    all: usize,
}

/// Opens a new database through a proxy whose certificate contains the given name. In `query`, the parameters
/// of the database URL, the function replaces `ROOTS` with the path of the certificate. `None` if
/// `TEST_DATABASE_URL` is not set.
async fn open_through_tls_proxy(name: Option<&str>, host: &str, query: &str) -> Option<OpenResult> {
    let database = TestDatabase::postgres()?;
    database.create().await;
    let TestDatabase::Postgres { server, .. } = &database else { return None };
    let (_, address) = server.rsplit_once('@').unwrap();
    let (address, _) = address.split_once('/').unwrap();
    let address = if address.contains(':') { address.to_owned() } else { format!("{address}:5432") };
    let stand_in = TlsProxy::start(address, name).await;
    let url = stand_in.url(&database, host, &query.replace("ROOTS", &stand_in.root_certificate_path()));
    let opened = match open(settings(url, 1)).await {
        Ok(store) => {
            assert_error_classification(&database, &*store).await;
            Ok(())
        }
        Err(error) => Err(error.to_string()),
    };
    let counted = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    let reported =
        OpenResult { outcome: opened, encrypted: counted(&stand_in.encrypted), all: counted(&stand_in.all) };
    database.delete_database().await;
    Some(reported)
}

/// Asserts that a database error is classified by its SQLSTATE, even if its message is in another language.
async fn assert_error_classification(database: &TestDatabase, store: &dyn Store) {
    let raising = "CREATE FUNCTION raise_error() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN RAISE EXCEPTION USING ERRCODE = '57014', MESSAGE = 'Abbruch'; END $$; \
        CREATE TRIGGER raise_error BEFORE DELETE ON idempotency_keys EXECUTE FUNCTION raise_error()";
    RawConnection::connect_to(database).await.execute(raising).await;
    let refused = store.delete_expired_records(Timestamp::from_micros(0), 1).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_a_trusted_certificate_with_the_right_name() {
    for (name, host, query) in [
        ("localhost", "localhost", "?sslmode=require&sslrootcert=ROOTS"),
        ("localhost", "localhost", "?sslrootcert=ROOTS&sslmode=verify-full"),
        ("127.0.0.1", "127.0.0.1", "?sslmode=verify-ca&sslrootcert=ROOTS"),
        // The mode `prefer` does not verify the certificate, so a certificate with another name is accepted.
        ("elsewhere.example", "localhost", "?sslmode=prefer"),
    ] {
        let Some(OpenResult { outcome, encrypted, all }) =
            open_through_tls_proxy(Some(name), host, query).await
        else {
            return;
        };
        assert_eq!(outcome, Ok(()), "{query}");
        assert!(encrypted > 0 && encrypted == all, "{query}: {encrypted} of {all}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_other_certificates_before_it_sends_data() {
    for (name, query, says) in [
        (Some("localhost"), "?sslmode=require", "certificate"),
        (Some("localhost"), "?sslmode=verify-full&sslrootcert=system", "certificate"),
        (Some("elsewhere.example"), "?sslmode=verify-full&sslrootcert=ROOTS", "certificate"),
        (Some("elsewhere.example"), "?sslmode=verify-ca&sslrootcert=ROOTS", "certificate"),
        (None, "?sslmode=require", "TLS"),
    ] {
        let Some(OpenResult { outcome, encrypted, .. }) =
            open_through_tls_proxy(name, "localhost", query).await
        else {
            return;
        };
        let refusal = outcome.unwrap_err();
        assert!(refusal.contains(says) && encrypted == 0, "{query}: {refusal} {encrypted}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connects_without_tls_unless_the_address_requires_it() {
    for (name, query) in [
        (None, "?sslmode=prefer"),
        (None, ""),
        (Some("localhost"), "?sslmode=disable"),
        // Without `sslmode`, connections to the same machine do not request TLS.
        (Some("localhost"), ""),
    ] {
        let Some(OpenResult { outcome, encrypted, all }) =
            open_through_tls_proxy(name, "localhost", query).await
        else {
            return;
        };
        assert_eq!(outcome, Ok(()), "{query}");
        assert!(encrypted == 0 && all > 0, "{query}: {encrypted} of {all}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_an_invalid_address_before_connecting() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem").display().to_string();
    std::fs::write(&empty, "nothing").unwrap();
    for (query, says) in [
        (
            "?sslmode=require&sslrootcert=/nowhere.pem".to_owned(),
            "/nowhere.pem of sslrootcert cannot be read",
        ),
        (format!("?sslmode=require&sslrootcert={empty}"), "contains no certificates in PEM"),
        ("?sslmode=prefer&sslrootcert=/nowhere.pem".to_owned(), "sslrootcert requires sslmode=verify-full"),
        ("?sslmode=yes".to_owned(), "sslmode must be disable, prefer, require, verify-ca or verify-full"),
        ("?sslkey=a".to_owned(), "sslkey is not supported"),
    ] {
        let url = format!("postgres://me:hunter2@127.0.0.1:1/pay{query}");
        let refusal = open(settings(url, 1)).await.map(drop).unwrap_err().to_string();
        assert!(refusal.contains(says) && !refusal.contains("hunter2"), "{query}: {refusal}");
    }
}
