//! The readiness of the server for load balancers (specification §10.18). A result is cached for 250 ms, so
//! the storage is queried at most four times a second at any request rate.
//!
//! Everyone who can reach a listener may read the result. The response names the components that are not
//! ready, but no hosts or addresses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use payroll_ports::Store;
use payroll_ports::schema::ClusterNodes;
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// The time for which a cached result is used.
const REPORT_CACHE_TIME: Duration = Duration::from_millis(250);
/// The time limit for a ping of the storage. With this limit, the server becomes unready within two seconds
/// after a failure of the storage.
const PING_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the problem of a watched component, without names or addresses; `None` if the component works.
pub type ComponentCheck = Box<dyn Fn() -> Option<&'static str> + Send + Sync>;

/// The readiness of the server and the components that it depends on.
pub struct Health {
    store: Arc<dyn Store>,
    /// The oldest schema version that this program works with.
    schema_version: String,
    dispatcher: ComponentCheck,
    is_stopping: AtomicBool,
    last_report: Mutex<Option<(Instant, ReadinessReport)>>,
    certificates: OnceLock<Vec<(&'static str, CertificateExpiry)>>,
}

/// Returns the expiry of a listener's certificate, such as `2027-02-01T00:00:00Z`; `None` if the certificate
/// cannot be parsed.
pub type CertificateExpiry = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The expiry of one listener's certificate.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CertificateExpiryReport {
    listener: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_date: Option<String>,
}

/// The readiness of the server and of the components that the server depends on.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ReadinessReport {
    pub(crate) ready: bool,
    checks: ReadinessChecks,
}

#[derive(Debug, Clone, Serialize)]
struct ReadinessChecks {
    serving: Readiness,
    storage: StorageStatus,
    migrations: Readiness,
    dispatcher: Readiness,
}

/// The state of the storage: whether it responds, and the number of its nodes that respond.
#[derive(Debug, Clone, Serialize)]
struct StorageStatus {
    #[serde(flatten)]
    readiness: Readiness,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<NodeCounts>,
}

#[derive(Debug, Clone, Serialize)]
struct NodeCounts {
    all: u32,
    answering: u32,
}

#[derive(Debug, Clone, Serialize)]
struct Readiness {
    ready: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'static str>,
}

impl Health {
    /// Creates the readiness report for a store and a dispatcher. The store is ready if its schema is at
    /// least `schema_version`. `dispatcher` returns the problem of the task that sends notifications.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, schema_version: String, dispatcher: ComponentCheck) -> Self {
        let stopping = AtomicBool::new(false);
        let certificates = OnceLock::new();
        Self {
            store,
            schema_version,
            dispatcher,
            is_stopping: stopping,
            last_report: Mutex::default(),
            certificates,
        }
    }

    /// Registers the certificates whose expiry is reported, each with the name of its listener.
    pub fn watch_certificates(&self, certificates: Vec<(&'static str, CertificateExpiry)>) {
        // `OnceLock::set` fails only if a value was set before. This function is called once, when the
        // listeners are created.
        let _ = self.certificates.set(certificates);
    }

    /// Returns the expiry dates of the certificates that the listeners currently use.
    pub(crate) fn certificates(&self) -> Vec<CertificateExpiryReport> {
        let all = self.certificates.get().into_iter().flatten();
        all.map(|(listener, expiry)| CertificateExpiryReport { listener, end_date: expiry() }).collect()
    }

    /// Marks the server as stopping: it becomes unready, and responses close their connections.
    pub fn mark_stopping(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the server is about to stop accepting requests.
    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Returns the readiness, from the cache if the result is less than 250 ms old.
    pub(crate) async fn report(&self) -> ReadinessReport {
        // Holding the lock makes concurrent requests wait for the result of the same query.
        let mut last = self.last_report.lock().await;
        let mut report = match &*last {
            Some((at, report)) if at.elapsed() < REPORT_CACHE_TIME => report.clone(),
            _ => {
                let report = self.read_report().await;
                *last = Some((Instant::now(), report.clone()));
                report
            }
        };
        // A cached report may be older than the stop of the server. This part of the report is therefore
        // computed each time, so that a stopping server is unready immediately.
        report.checks.serving = self.serving_readiness();
        report.ready &= report.checks.serving.ready;
        report
    }

    async fn read_report(&self) -> ReadinessReport {
        let version = timeout(PING_TIMEOUT, self.store.ping()).await.ok().and_then(Result::ok);
        let storage = version.is_none().then_some("the storage does not respond, or cannot be written");
        let migrations = match version {
            None => Some("not known while the storage is not ready"),
            Some(version) if version < self.schema_version => Some("the schema is older than this program"),
            // A newer schema is accepted. During an upgrade, the previous release continues to run on the
            // schema of the new release.
            Some(_) => None,
        };
        let [storage, migrations, dispatcher] =
            [storage, migrations, (self.dispatcher)()].map(Readiness::from_problem);
        // Unreachable nodes do not make the server unready, because it still serves the companies on the
        // other nodes.
        let nodes = self.store.nodes();
        let nodes =
            nodes.map(|ClusterNodes { total: all, responsive: answering }| NodeCounts { all, answering });
        let storage = StorageStatus { readiness: storage, nodes };
        let checks = ReadinessChecks { serving: self.serving_readiness(), storage, migrations, dispatcher };
        let ready = [&checks.storage.readiness, &checks.migrations, &checks.dispatcher]
            .iter()
            .all(|found| found.ready);
        ReadinessReport { ready, checks }
    }

    fn serving_readiness(&self) -> Readiness {
        Readiness::from_problem(self.is_stopping().then_some("the server is stopping"))
    }
}

impl ReadinessReport {
    /// Returns the results for all components as JSON objects, each with the component's name.
    pub(crate) fn checks(&self) -> Vec<serde_json::Value> {
        let ReadinessChecks { serving, storage, migrations, dispatcher } = &self.checks;
        let named = |(name, found): (&str, &Readiness)| {
            let mut check = serde_json::json!({"name": name, "ready": found.ready});
            if let (Some(problem), Some(members)) = (found.problem, check.as_object_mut()) {
                members.insert("problem".to_owned(), problem.into());
            }
            check
        };
        [
            ("serving", serving),
            ("storage", &storage.readiness),
            ("migrations", migrations),
            ("dispatcher", dispatcher),
        ]
        .map(named)
        .into()
    }
}

impl Readiness {
    const fn from_problem(problem: Option<&'static str>) -> Self {
        Self { ready: problem.is_none(), problem }
    }
}
