//! TLS for a listener. The certificate chain and the key are in two PEM files, which the server rereads while
//! it runs.
//!
//! A new certificate affects only new connections. If the new pair is invalid, the server continues with the
//! previous pair. Clients verify whether they trust the certificate. The server does not verify this.

mod certificate;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tokio_rustls::TlsAcceptor;

/// The name of HTTP/2 in the TLS handshake (ALPN).
pub(crate) const HTTP_2_PROTOCOL: &[u8] = b"h2";
/// The name of HTTP/1.1, for clients that do not offer HTTP/2.
const HTTP_1_1_PROTOCOL: &[u8] = b"http/1.1";
/// The interval between two reads of the files. Reading two small files costs little.
const REREAD_INTERVAL: Duration = Duration::from_secs(2);
/// The maximum bytes of a file. A long certificate chain has a few dozen kilobytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The paths of the certificate and the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// A PEM file with the certificate, followed by the intermediate authorities.
    pub certificate: PathBuf,
    /// A PEM file with the private key of the certificate.
    pub key: PathBuf,
}

/// The file that a TLS error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsFile {
    /// The file of the certificate chain.
    Certificate,
    /// The file of the private key, if the key is invalid or does not match the certificate.
    Key,
}

/// The reason why a certificate cannot be served. The error contains no content of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError {
    /// The file that is invalid.
    pub file: TlsFile,
    /// The path of the file.
    pub path: PathBuf,
    /// The problem, such as "contains no certificates in PEM". The displayed error contains the path of the
    /// file before this text.
    pub problem: String,
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the file {} {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for TlsError {}

/// The TLS configuration of one listener with the current certificate. Clones of this value share the
/// certificate.
#[derive(Clone)]
pub struct TlsConfiguration {
    files: TlsFiles,
    /// The hash of the files that [`TlsConfiguration::load`] has read.
    served_hash: [u8; 32],
    resolver: Arc<CertificateResolver>,
    acceptor: TlsAcceptor,
}

/// A certificate with its matching key, and the hash of the two files.
struct LoadedCertificate {
    key: Arc<CertifiedKey>,
    digest: [u8; 32],
}

/// Provides the current certificate for the next handshake.
struct CertificateResolver(watch::Sender<Arc<CertifiedKey>>);

impl fmt::Debug for CertificateResolver {
    /// Writes a constant text instead of the certificate and its key, because the key must not appear in
    /// logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for CertificateResolver {
    /// Returns the only certificate, whatever name the client requests.
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.borrow()))
    }
}

impl TlsConfiguration {
    /// Loads the certificate and the key.
    ///
    /// # Errors
    /// [`TlsError`] if a file cannot be read or parsed, or if the key does not match the certificate.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let pair = LoadedCertificate::read(&files)?;
        let current = Arc::new(CertificateResolver(watch::Sender::new(Arc::clone(&pair.key))));
        let no_config = |error: rustls::Error| files.tls_error(TlsFile::Certificate, error.to_string());
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(no_config)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![HTTP_2_PROTOCOL.to_vec(), HTTP_1_1_PROTOCOL.to_vec()];
        Ok(Self {
            served_hash: pair.digest,
            resolver: current,
            acceptor: TlsAcceptor::from(Arc::new(config)),
            files,
        })
    }

    /// Returns the expiry of the certificate, such as `2027-02-01T00:00:00Z`; `None` if the certificate
    /// cannot be parsed.
    #[must_use]
    pub fn not_after(&self) -> Option<String> {
        not_after(&self.resolver.0.borrow())
    }

    /// Returns a function that returns the expiry of the certificate that is currently served.
    pub fn expiry_reporter(&self) -> impl Fn() -> Option<String> + Send + Sync + 'static {
        let current = Arc::clone(&self.resolver);
        move || not_after(&current.0.borrow())
    }

    /// Rereads the files every two seconds, until the future is dropped. If the files have changed, new
    /// connections get the new certificate, and the change is logged.
    pub async fn reload_on_change(self) {
        let Self { files, served_hash: served, resolver: current, .. } = self;
        let mut reported = served;
        let mut looks = interval(REREAD_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let certificate = files.certificate.display().to_string();
        loop {
            looks.tick().await;
            let files = files.clone();
            // A file system may hang, so a blocking thread reads the files.
            let Ok(digests) = tokio::task::spawn_blocking(move || files.read_state()).await else {
                continue;
            };
            if digests.digest == reported {
                continue;
            }
            reported = digests.digest;
            match digests.loaded_certificate {
                Ok(pair) => {
                    let ends = not_after(&pair);
                    current.0.send_replace(pair);
                    tracing::info!(certificate, ends, "a new certificate is served");
                }
                Err(error) => {
                    tracing::warn!(certificate, %error, "the new certificate cannot be used, so the server \
                        keeps the previous one");
                }
            }
        }
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }
}

/// The result of reading the files.
struct FileState {
    digest: [u8; 32],
    loaded_certificate: Result<Arc<CertifiedKey>, TlsError>,
}

impl TlsFiles {
    /// Reads the files. An error also gets a hash, so that the same error is reported only once.
    fn read_state(&self) -> FileState {
        match LoadedCertificate::read(self) {
            Ok(LoadedCertificate { key, digest }) => FileState { digest, loaded_certificate: Ok(key) },
            Err(error) => FileState { digest: self.error_digest(&error), loaded_certificate: Err(error) },
        }
    }

    fn error_digest(&self, error: &TlsError) -> [u8; 32] {
        let mut digest = Sha256::new().chain_update(error.to_string());
        for path in [&self.certificate, &self.key] {
            digest.update(read_file(path).unwrap_or_default());
        }
        digest.finalize().into()
    }

    fn tls_error(&self, file: TlsFile, problem: String) -> TlsError {
        let path = match file {
            TlsFile::Certificate => &self.certificate,
            TlsFile::Key => &self.key,
        };
        TlsError { file, path: path.clone(), problem }
    }
}

impl LoadedCertificate {
    fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let unreadable =
            |file| move |error: io::Error| files.tls_error(file, format!("cannot be read: {error}"));
        let certificate = read_file(&files.certificate).map_err(unreadable(TlsFile::Certificate))?;
        let key = read_file(&files.key).map_err(unreadable(TlsFile::Key))?;
        let digest = Sha256::new().chain_update(&certificate).chain_update([0]).chain_update(&key).finalize();
        let chain = CertificateDer::pem_slice_iter(&certificate)
            .collect::<Result<Vec<_>, _>>()
            .ok()
            .filter(|chain| !chain.is_empty())
            .ok_or_else(|| {
                files.tls_error(TlsFile::Certificate, "contains no certificates in PEM".to_owned())
            })?;
        let key = PrivateKeyDer::from_pem_slice(&key)
            .map_err(|_| files.tls_error(TlsFile::Key, "contains no private key in PEM".to_owned()))?;
        let key = CertifiedKey::from_der(chain, key, &default_provider()).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                let certificate = files.certificate.display();
                files.tls_error(TlsFile::Key, format!("is not the key of the certificate in {certificate}"))
            }
            rustls::Error::InvalidCertificate(_) => {
                files.tls_error(TlsFile::Certificate, format!("contains an invalid certificate: {error}"))
            }
            _ => files.tls_error(TlsFile::Key, format!("contains an invalid private key: {error}")),
        })?;
        Ok(Self { key: Arc::new(key), digest: digest.into() })
    }
}

fn read_file(path: &std::path::Path) -> io::Result<Vec<u8>> {
    use std::io::Read;

    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    if file.metadata()?.len() > MAX_FILE_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large for a certificate"));
    }
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_after(key: &CertifiedKey) -> Option<String> {
    certificate::not_after(key.cert.first()?)
}
