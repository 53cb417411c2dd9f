//! Tests of TLS receivers with valid and invalid certificates.

use std::sync::Arc;

use payroll_adapter_webhook::{Sender, SenderSettings};
use payroll_domain::delivery::ErrorClass;
use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio::io::AsyncWriteExt;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::receiver::{Receiver, Stream};
use crate::support::*;

/// A certificate authority for tests.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Starts a receiver with a certificate from this authority.
    async fn start_receiver(&self, params: CertificateParams) -> Receiver {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        start_tls_receiver(&certificate, &key).await
    }

    fn sender(&self, receiver: &Receiver) -> Sender {
        let certificates = self.pem.clone().into_bytes();
        let settings = SenderSettings { certificates, ..settings(receiver.address) };
        Sender::new(settings).unwrap()
    }
}

async fn start_tls_receiver(certificate: &Certificate, key: &KeyPair) -> Receiver {
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Receiver::new_with_stream_layer(
        move |stream| {
            let acceptor = acceptor.clone();
            async move {
                acceptor.accept(stream).await.ok().map(|stream| Box::new(stream) as Box<dyn Stream>)
            }
        },
        async |mut connection| while connection.read_request().await.is_some() && connection.write(ACCEPTED_RESPONSE).await {},
    )
    .await
}

fn certificate_params(name: &str) -> CertificateParams {
    CertificateParams::new([name.to_owned()]).unwrap()
}

#[tokio::test]
async fn a_certificate_of_a_trusted_authority_is_accepted() {
    let authority = Authority::new();
    let mut receiver = authority.start_receiver(certificate_params(HOST)).await;
    let sender = authority.sender(&receiver);
    for _ in 0..2 {
        let sent = sender.send(&target("https://receiver.example/"), &notification(), NOW).await;
        assert_eq!(sent, accepted_result("", false));
        assert_eq!(receiver.next_request().await.header("host"), Some(HOST));
    }
    assert_eq!(receiver.connection_count(), 1);
}

#[tokio::test]
async fn an_invalid_certificate_ends_the_attempt_before_data_is_sent() {
    let (authority, other) = (Authority::new(), Authority::new());
    let (mut expired, mut early) = (certificate_params(HOST), certificate_params(HOST));
    expired.not_after = date_time_ymd(2020, 1, 1);
    early.not_before = date_time_ymd(4000, 1, 1);
    let key = KeyPair::generate().unwrap();
    for (what, mut receiver) in [
        ("another authority", other.start_receiver(certificate_params(HOST)).await),
        ("another name", authority.start_receiver(certificate_params("other.example")).await),
        ("expired", authority.start_receiver(expired).await),
        ("not yet valid", authority.start_receiver(early).await),
        ("self-signed", start_tls_receiver(&certificate_params(HOST).self_signed(&key).unwrap(), &key).await),
    ] {
        let sent = authority
            .sender(&receiver)
            .send(&target("https://receiver.example/"), &notification(), NOW)
            .await;
        assert_eq!(sent, failed_result(ErrorClass::Tls), "{what}");
        assert!(receiver.try_next_request().is_none(), "{what}");
    }
}

#[tokio::test]
async fn a_receiver_without_tls_fails_the_handshake() {
    for response in ["HTTP/1.1 400 Bad Request\r\n\r\n", ""] {
        let receiver = Receiver::new_with_stream_layer(
            async move |mut stream| {
                stream.write_all(response.as_bytes()).await.unwrap();
                None
            },
            async |_| {},
        )
        .await;
        let sent = sender(&receiver).send(&target("https://receiver.example/"), &notification(), NOW).await;
        assert_eq!(sent, failed_result(ErrorClass::Tls), "{response}");
    }
}

#[tokio::test]
async fn an_unfinished_handshake_times_out() {
    let receiver = Receiver::new(async |mut connection| connection.wait_until_closed().await).await;
    let sent = sender_with_short_limits(&receiver)
        .send(&target("https://receiver.example/"), &notification(), NOW)
        .await;
    assert_eq!(sent, failed_result(ErrorClass::ConnectTimeout));
}

#[tokio::test]
async fn invalid_certificates_prevent_the_start() {
    let address = "127.0.0.1:1".parse().unwrap();
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for certificates in ["no PEM at all", broken, "-----BEGIN CERTIFICATE-----\n"] {
        let settings = SenderSettings { certificates: certificates.into(), ..settings(address) };
        let error = Sender::new(settings).err().unwrap();
        assert!(error.to_string().starts_with("the certificate authorities cannot be read"), "{error}");
    }
}
