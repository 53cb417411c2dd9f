use std::fs;

use rcgen::{CertificateParams, CertifiedKey as Made, KeyPair, date_time_ymd, generate_simple_self_signed};
use rustls::pki_types::CertificateDer;
use tempfile::TempDir;

use super::*;

/// Creates a certificate and its key, as PEM.
fn certificate_and_key() -> (String, String) {
    let Made { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    (cert.pem(), signing_key.serialize_pem())
}

fn write_files(folder: &TempDir, certificate: &str, key: &str) -> TlsFiles {
    let files =
        TlsFiles { certificate: folder.path().join("certificate.pem"), key: folder.path().join("key.pem") };
    fs::write(&files.certificate, certificate).unwrap();
    fs::write(&files.key, key).unwrap();
    files
}

fn served_certificate(tls: &TlsConfiguration) -> CertificateDer<'static> {
    tls.resolver.0.borrow().cert.first().unwrap().clone()
}

#[test]
fn an_unusable_certificate_is_rejected_with_its_file() {
    let folder = TempDir::new().unwrap();
    let (certificate, key) = certificate_and_key();
    let (_, of_another) = certificate_and_key();
    for (certificate, key, file, says) in [
        (certificate.as_str(), of_another.as_str(), TlsFile::Key, "is not the key of the certificate in"),
        ("nothing", &key, TlsFile::Certificate, "contains no certificates in PEM"),
        (&key, &key, TlsFile::Certificate, "contains no certificates in PEM"),
        (&certificate, "nothing", TlsFile::Key, "contains no private key in PEM"),
        (&certificate, &certificate, TlsFile::Key, "contains no private key in PEM"),
    ] {
        let error = TlsConfiguration::load(write_files(&folder, certificate, key)).err().unwrap();
        assert!(error.file == file && error.problem.starts_with(says), "{error:?}");
    }
    let files = write_files(&folder, &certificate, &key);
    fs::remove_file(&files.key).unwrap();
    let error = TlsConfiguration::load(files).err().unwrap();
    assert!(error.file == TlsFile::Key && error.to_string().contains("key.pem cannot be read: "), "{error}");
}

#[test]
fn a_certificate_reports_its_expiry_in_both_date_formats() {
    for (year, reported) in [(2027, Some("2027-02-01T00:00:00Z")), (2055, Some("2055-02-01T00:00:00Z"))] {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.not_after = date_time_ymd(year, 2, 1);
        let certificate = params.self_signed(&key).unwrap();
        assert_eq!(certificate::not_after(certificate.der()).as_deref(), reported);
        let torn = certificate.der().get(..60).unwrap();
        assert_eq!(certificate::not_after(torn), None);
    }
}

/// The clock only advances while all tasks wait, so each advance triggers one read of the files.
#[tokio::test(start_paused = true)]
async fn a_new_certificate_is_served_and_an_invalid_one_is_not() {
    let folder = TempDir::new().unwrap();
    let (certificate, key) = certificate_and_key();
    let tls = TlsConfiguration::load(write_files(&folder, &certificate, &key)).unwrap();
    let mut changes = tls.resolver.0.subscribe();
    let following = tokio::spawn(tls.clone().reload_on_change());
    let first = served_certificate(&tls);

    let (other_certificate, other_key) = certificate_and_key();
    write_files(&folder, &other_certificate, &key);
    assert!(
        tokio::time::timeout(REREAD_INTERVAL * 5, changes.changed()).await.is_err(),
        "half a pair is served"
    );
    assert_eq!(served_certificate(&tls), first);

    write_files(&folder, &other_certificate, &other_key);
    changes.changed().await.unwrap();
    let second = served_certificate(&tls);
    assert_ne!(second, first);

    fs::remove_file(folder.path().join("certificate.pem")).unwrap();
    assert!(tokio::time::timeout(REREAD_INTERVAL * 5, changes.changed()).await.is_err());
    write_files(&folder, &certificate, &key);
    changes.changed().await.unwrap();
    assert_eq!(served_certificate(&tls), first);
    following.abort();
}
