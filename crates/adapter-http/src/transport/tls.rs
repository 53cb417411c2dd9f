//! TLS of a listener: a certificate chain and its key out of two PEM files, and the same files
//! read again while the server runs.
//!
//! What is served changes under the connections that come, never under those that are there. A pair that
//! cannot be used leaves the one before it in place. Which files they are, the settings say; who trusts the
//! certificate is not checked here.

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

/// How HTTP/2 is called in a handshake.
pub(crate) const HTTP_2: &[u8] = b"h2";
/// And what every client speaks that does not offer it.
const HTTP_1_1: &[u8] = b"http/1.1";
/// How often the files are read: soon enough for those who wait for a new certificate, and two
/// small files cost nothing.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The largest file that is read: a long chain is a few dozen kilobytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Where the certificate and its key are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// A PEM file with the certificate first and then the authorities that lead to a known one.
    pub certificate: PathBuf,
    /// A PEM file with the certificate's private key.
    pub key: PathBuf,
}

/// Which of the two files is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsFile {
    /// The file of the certificate chain.
    Certificate,
    /// The private key, or that it does not belong to the certificate.
    Key,
}

/// Why a certificate cannot be served. It never shows the content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError {
    /// The file at fault.
    pub file: TlsFile,
    /// The path of the file.
    pub path: PathBuf,
    /// What is wrong, as the end of a sentence that begins with the file.
    pub problem: String,
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the file {} {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for TlsError {}

/// TLS of one listener, as its files are at the moment. Clones share it.
#[derive(Clone)]
pub struct Tls {
    files: TlsFiles,
    /// What the files held that is served.
    served: [u8; 32],
    current: Arc<Current>,
    acceptor: TlsAcceptor,
}

/// A pair that fits, and what it was read from.
struct Pair {
    key: Arc<CertifiedKey>,
    digest: [u8; 32],
}

/// The certificate that the next handshake shows.
struct Current(watch::Sender<Arc<CertifiedKey>>);

impl fmt::Debug for Current {
    /// Nothing of a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for Current {
    /// Any name may be requested: there is one certificate.
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.borrow()))
    }
}

impl Tls {
    /// Reads the files of the pair.
    ///
    /// # Errors
    /// A file that cannot be read or holds something else, or a key of another certificate.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let pair = Pair::read(&files)?;
        let current = Arc::new(Current(watch::Sender::new(Arc::clone(&pair.key))));
        let no_config = |error: rustls::Error| files.fault(TlsFile::Certificate, error.to_string());
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(no_config)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![HTTP_2.to_vec(), HTTP_1_1.to_vec()];
        Ok(Self { served: pair.digest, current, acceptor: TlsAcceptor::from(Arc::new(config)), files })
    }

    /// When the certificate ends, such as `2027-02-01T00:00:00Z`; `None` where it does not say so as
    /// certificates do.
    #[must_use]
    pub fn not_after(&self) -> Option<String> {
        not_after(&self.current.0.borrow())
    }

    /// What says when the certificate ends that is served then, whichever that is.
    pub fn expiry(&self) -> impl Fn() -> Option<String> + Send + Sync + 'static {
        let current = Arc::clone(&self.current);
        move || not_after(&current.0.borrow())
    }

    /// Reads the files as long as it is awaited, serves what is new in them, and says so in the log.
    pub async fn follow(self) {
        let Self { files, served, current, .. } = self;
        let mut reported = served;
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let certificate = files.certificate.display().to_string();
        loop {
            looks.tick().await;
            let files = files.clone();
            // A file system may hang; a thread for blocking work may, too.
            let Ok(looked) = tokio::task::spawn_blocking(move || files.look()).await else { continue };
            if looked.digest == reported {
                continue;
            }
            reported = looked.digest;
            match looked.pair {
                Ok(pair) => {
                    let ends = not_after(&pair);
                    current.0.send_replace(pair);
                    tracing::info!(certificate, ends, "a new certificate is served");
                }
                Err(error) => {
                    tracing::warn!(certificate, %error, "the new certificate cannot be used: the one before it stays");
                }
            }
        }
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }
}

/// What a look at the files has found.
struct Look {
    digest: [u8; 32],
    pair: Result<Arc<CertifiedKey>, TlsError>,
}

impl TlsFiles {
    /// What the files hold. A fault has a digest too, so that it is reported once.
    fn look(&self) -> Look {
        match Pair::read(self) {
            Ok(Pair { key, digest }) => Look { digest, pair: Ok(key) },
            Err(error) => Look { digest: self.digest_of(&error), pair: Err(error) },
        }
    }

    fn digest_of(&self, error: &TlsError) -> [u8; 32] {
        let mut digest = Sha256::new().chain_update(error.to_string());
        for path in [&self.certificate, &self.key] {
            digest.update(read(path).unwrap_or_default());
        }
        digest.finalize().into()
    }

    fn fault(&self, file: TlsFile, problem: String) -> TlsError {
        let path = match file {
            TlsFile::Certificate => &self.certificate,
            TlsFile::Key => &self.key,
        };
        TlsError { file, path: path.clone(), problem }
    }
}

impl Pair {
    fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let unreadable = |file| move |error: io::Error| files.fault(file, format!("cannot be read: {error}"));
        let certificate = read(&files.certificate).map_err(unreadable(TlsFile::Certificate))?;
        let key = read(&files.key).map_err(unreadable(TlsFile::Key))?;
        let digest = Sha256::new().chain_update(&certificate).chain_update([0]).chain_update(&key).finalize();
        let chain = CertificateDer::pem_slice_iter(&certificate)
            .collect::<Result<Vec<_>, _>>()
            .ok()
            .filter(|chain| !chain.is_empty())
            .ok_or_else(|| files.fault(TlsFile::Certificate, "holds no certificates in PEM".to_owned()))?;
        let key = PrivateKeyDer::from_pem_slice(&key)
            .map_err(|_| files.fault(TlsFile::Key, "holds no private key in PEM".to_owned()))?;
        let key = CertifiedKey::from_der(chain, key, &default_provider()).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                let certificate = files.certificate.display();
                files.fault(TlsFile::Key, format!("is not the key of the certificate in {certificate}"))
            }
            rustls::Error::InvalidCertificate(_) => {
                files.fault(TlsFile::Certificate, format!("holds a certificate that cannot be used: {error}"))
            }
            _ => files.fault(TlsFile::Key, format!("holds a key that cannot be used: {error}")),
        })?;
        Ok(Self { key: Arc::new(key), digest: digest.into() })
    }
}

fn read(path: &std::path::Path) -> io::Result<Vec<u8>> {
    use std::io::Read;

    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    if file.metadata()?.len() > MAX_FILE_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than a certificate can be"));
    }
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_after(key: &CertifiedKey) -> Option<String> {
    certificate::not_after(key.cert.first()?)
}
