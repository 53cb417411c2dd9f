//! The health of this process and the results of its self-diagnosis (specification §11.29, §11.30).

use std::collections::BTreeMap;

use payroll_domain::date::Timestamp;
use payroll_ports::minutes::MinuteCounts;
use payroll_ports::oversight::{Backup, Finding};
use serde_json::{Value, json};

use crate::shared::health::{CertificateExpiryReport, ReadinessReport};

/// The measured state of the process.
pub(crate) struct HealthStatus {
    pub(crate) report: ReadinessReport,
    pub(crate) certificates: Vec<CertificateExpiryReport>,
    /// The requests of each minute: the numbers of all, rejected and failed requests.
    pub(crate) requests: Vec<MinuteCounts<3>>,
    /// The delivery attempts of each minute: the numbers of all and of failed attempts.
    pub(crate) attempts: Vec<MinuteCounts<2>>,
    pub(crate) backup: Option<Backup>,
    /// The ids of companies whose stored data are corrupt.
    pub(crate) unreadable_companies: Vec<String>,
}

/// Creates the document of the server's health.
pub(crate) fn health_json(now: Timestamp, status: &HealthStatus) -> Value {
    let HealthStatus { report, certificates, requests, attempts, backup, unreadable_companies } = status;
    let mut document = json!({
        "date": now.to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "ready": report.ready,
        "checks": report.checks(),
        "certificates": certificates,
        "minutes": minutes_json(requests, attempts),
        "unreadableCompanies": unreadable_companies,
    });
    if let (Some(Backup { created, file, bytes }), Some(members)) = (backup, document.as_object_mut()) {
        let backup = json!({"date": created.to_string(), "file": file, "bytes": bytes});
        members.insert("lastBackup".to_owned(), backup);
    }
    document
}

/// Returns the minutes with requests or attempts, the oldest first.
fn minutes_json(requests: &[MinuteCounts<3>], attempts: &[MinuteCounts<2>]) -> Vec<Value> {
    let mut all = BTreeMap::<Timestamp, ([u64; 3], [u64; 2])>::new();
    for MinuteCounts { begin, counts } in requests {
        all.entry(*begin).or_default().0 = *counts;
    }
    for MinuteCounts { begin, counts } in attempts {
        all.entry(*begin).or_default().1 = *counts;
    }
    let written = |(begin, (requests, attempts)): (Timestamp, ([u64; 3], [u64; 2]))| {
        let ([requests, refused, failed], [attempts, failed_attempts]) = (requests, attempts);
        json!({
            "date": begin.to_string(), "requests": requests, "refused": refused, "failed": failed,
            "attempts": attempts, "failedAttempts": failed_attempts,
        })
    };
    all.into_iter().map(written).collect()
}

/// Creates the document of a diagnosis result.
pub(crate) fn finding_json(finding: &Finding) -> Value {
    let Finding { area, state, message, advice } = finding;
    let mut document = json!({"area": area, "state": state.as_str(), "message": message});
    if let (Some(advice), Some(members)) = (advice, document.as_object_mut()) {
        members.insert("advice".to_owned(), advice.as_str().into());
    }
    document
}
