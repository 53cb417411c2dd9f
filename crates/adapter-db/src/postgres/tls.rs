//! TLS for PostgreSQL: the verification of certificates, and the connector.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::invalid_address_failure;
use crate::error::Outcome;

/// The value of `sslrootcert` for the certificate authorities of the system.
const SYSTEM_ROOTS: &str = "system";

/// Creates a connector that verifies the certificates of servers with this verifier.
pub(super) fn create_connector(verifier: Arc<dyn ServerCertVerifier>) -> Outcome<MakeRustlsConnect> {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(invalid_address_failure)?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// Creates a verifier that trusts the certificate authorities in a file. Without a file, the verifier trusts
/// the authorities of the system or of the file in `SSL_CERT_FILE`.
pub(super) fn create_verifier(roots: Option<&str>) -> Outcome<Arc<dyn ServerCertVerifier>> {
    let store = match roots {
        Some(SYSTEM_ROOTS) | None => load_system_roots()?,
        Some(file) => load_roots_from_file(Path::new(file))?,
    };
    let built = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::new(default_provider()));
    Ok(built.build().map_err(invalid_address_failure)?)
}

fn load_system_roots() -> Outcome<RootCertStore> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    match store.is_empty() {
        true => Err(invalid_address_failure(
            "the system has no trusted certificates for TLS. Set sslrootcert in the database URL to a file \
             with certificates",
        )),
        false => Ok(store),
    }
}

fn load_roots_from_file(file: &Path) -> Outcome<RootCertStore> {
    let shown = file.display();
    let pem = std::fs::read(file).map_err(|error| {
        invalid_address_failure(format!("the file {shown} of sslrootcert cannot be read: {error}"))
    })?;
    let unusable = || {
        invalid_address_failure(format!("the file {shown} of sslrootcert contains no certificates in PEM"))
    };
    let found: Vec<CertificateDer<'_>> =
        CertificateDer::pem_slice_iter(&pem).collect::<Result<_, _>>().map_err(|_| unusable())?;
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(found);
    if store.is_empty() { Err(unusable()) } else { Ok(store) }
}

/// Accepts every certificate, for the TLS mode `prefer`. This is acceptable, because this mode also allows
/// connections without TLS.
#[derive(Debug)]
pub(super) struct AcceptAnyCertificate;

impl ServerCertVerifier for AcceptAnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, &known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, &known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}
