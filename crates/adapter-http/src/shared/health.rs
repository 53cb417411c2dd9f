//! Whether requests can be served now, for machines that send them elsewhere while they cannot
//! (specification §10.18). What was found out holds for a fraction of a second, so that the storage is
//! queried a few times a second at most, however many requests come.
//!
//! All who can reach a listener may read this: it says what is not ready, and nothing about where it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use payroll_ports::Store;
use payroll_ports::schema::Nodes;
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// How long a result is used.
const FRESH: Duration = Duration::from_millis(250);
/// How long the storage may take to say that it is there. With the time to notice, the response
/// turns within two seconds.
const PROBE: Duration = Duration::from_secs(1);

/// Says what is wrong with something that is watched, without names or addresses.
pub type Check = Box<dyn Fn() -> Option<&'static str> + Send + Sync>;

/// What is watched.
pub struct Health {
    store: Arc<dyn Store>,
    /// The oldest schema that this program works with.
    schema_version: String,
    dispatcher: Check,
    stopping: AtomicBool,
    last: Mutex<Option<(Instant, Report)>>,
    certificates: OnceLock<Vec<(&'static str, Expiry)>>,
}

/// Says when the certificate of a listener ends, such as `2027-02-01T00:00:00Z`; `None` where it does not
/// say so itself.
pub type Expiry = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The certificate of a listener.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Certificate {
    listener: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_date: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    pub(crate) ready: bool,
    checks: Checks,
}

#[derive(Debug, Clone, Serialize)]
struct Checks {
    serving: Readiness,
    storage: Storage,
    migrations: Readiness,
    dispatcher: Readiness,
}

/// Whether the storage responds, and how many of the nodes do that companies are distributed over.
#[derive(Debug, Clone, Serialize)]
struct Storage {
    #[serde(flatten)]
    readiness: Readiness,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<SeenNodes>,
}

#[derive(Debug, Clone, Serialize)]
struct SeenNodes {
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
    /// Watches a store, whose schema must not be older than that, and what sends notifications.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, schema_version: String, dispatcher: Check) -> Self {
        let stopping = AtomicBool::new(false);
        let certificates = OnceLock::new();
        Self { store, schema_version, dispatcher, stopping, last: Mutex::default(), certificates }
    }

    /// Takes what knows the certificates of the listeners that have one, by the names of these.
    pub fn watch_certificates(&self, certificates: Vec<(&'static str, Expiry)>) {
        // Set once, when the listeners are made.
        let _ = self.certificates.set(certificates);
    }

    /// The certificates as they are served now.
    pub(crate) fn certificates(&self) -> Vec<Certificate> {
        let all = self.certificates.get().into_iter().flatten();
        all.map(|(listener, expiry)| Certificate { listener, end_date: expiry() }).collect()
    }

    /// The server stops: from here on it is not ready, and responses end their connections.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether it takes no more requests, or soon will not.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// What is found now, or was a moment ago.
    pub(crate) async fn report(&self) -> Report {
        // A request that comes while the storage is queried waits for that result.
        let mut last = self.last.lock().await;
        let mut report = match &*last {
            Some((at, report)) if at.elapsed() < FRESH => report.clone(),
            _ => {
                let report = self.look().await;
                *last = Some((Instant::now(), report.clone()));
                report
            }
        };
        // Not even for a moment is a server ready that stops.
        report.checks.serving = self.serving();
        report.ready &= report.checks.serving.ready;
        report
    }

    async fn look(&self) -> Report {
        let version = timeout(PROBE, self.store.pulse()).await.ok().and_then(Result::ok);
        let storage = version.is_none().then_some("the storage does not answer, or cannot be written");
        let migrations = match version {
            None => Some("not known while the storage is not ready"),
            Some(version) if version < self.schema_version => Some("the schema is older than this program"),
            // A newer one works with the release before it.
            Some(_) => None,
        };
        let [storage, migrations, dispatcher] =
            [storage, migrations, (self.dispatcher)()].map(Readiness::unless);
        // Some of them may be away: what is on the others is served.
        let nodes = self.store.nodes();
        let nodes = nodes.map(|Nodes { all, answering }| SeenNodes { all, answering });
        let storage = Storage { readiness: storage, nodes };
        let checks = Checks { serving: self.serving(), storage, migrations, dispatcher };
        let ready = [&checks.storage.readiness, &checks.migrations, &checks.dispatcher]
            .iter()
            .all(|found| found.ready);
        Report { ready, checks }
    }

    fn serving(&self) -> Readiness {
        Readiness::unless(self.is_stopping().then_some("the server is stopping"))
    }
}

impl Report {
    /// The checks, each by its name.
    pub(crate) fn checks(&self) -> Vec<serde_json::Value> {
        let Checks { serving, storage, migrations, dispatcher } = &self.checks;
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
    const fn unless(problem: Option<&'static str>) -> Self {
        Self { ready: problem.is_none(), problem }
    }
}
