//! State that all requests of one listener share: the ports, the settings, and values derived from the
//! settings.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::HeaderName;
use payroll_domain::date::{Date, Timestamp};
use payroll_ports::files::BlobStore;
use payroll_ports::oversight::Diagnostics;
use payroll_ports::sandbox::Sandbox;
use payroll_ports::{Clock, Randomness, Store};

use crate::shared::blocking_pool::BlockingPool;
use crate::shared::health::Health;
use crate::shared::metrics::{ApiMetrics, ProcessMetrics};
use crate::shared::rate_limit::LimitChangeCounter;
use crate::shared::request_id::RequestIds;
use crate::shared::settings::{HttpSettings, InvalidSetting};
use crate::shared::stream::StreamLimiter;
use crate::transport::line_limit::LineLimit;
use crate::transport::memory::MemoryBudget;
use crate::transport::origin::{ListenerOrigin, Scheme};

/// The ports and shared state that a listener is created with.
pub(crate) struct Dependencies {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) randomness: Arc<dyn Randomness>,
    pub(crate) health: Arc<Health>,
    pub(crate) metrics: Arc<ProcessMetrics>,
    pub(crate) limits: Arc<LimitChangeCounter>,
    pub(crate) sandbox: Option<Arc<dyn Sandbox>>,
    pub(crate) diagnostics: Option<Arc<dyn Diagnostics>>,
}

/// The state that the requests of one listener share.
pub(crate) struct ListenerState {
    pub(crate) store: Arc<dyn Store>,
    /// The store for the contents of files.
    pub(crate) blobs: Arc<dyn BlobStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) randomness: Arc<dyn Randomness>,
    pub(crate) health: Arc<Health>,
    pub(crate) limits: Arc<LimitChangeCounter>,
    /// The controls of a sandbox, for operators.
    pub(crate) sandbox: Option<Arc<dyn Sandbox>>,
    /// The report of the process about its own state and problems, for operators.
    pub(crate) oversight: Option<Arc<dyn Diagnostics>>,
    /// The metrics of the process, for all listeners together.
    pub(crate) all_metrics: Arc<ProcessMetrics>,
    /// The metrics of this listener's requests.
    pub(crate) metrics: Arc<ApiMetrics>,
    pub(crate) settings: HttpSettings,
    pub(crate) request_ids: RequestIds,
    pub(crate) headers: HeaderNames,
    /// The address that the server listens on. Links begin with this address if the settings and the request
    /// contain no other address.
    pub(crate) address: SocketAddr,
    /// The scheme of the listener: HTTPS if it uses TLS, else HTTP.
    pub(crate) scheme: Scheme,
    pub(crate) streams: StreamLimiter,
    /// Limits the log lines about input that is not a valid HTTP request.
    pub(crate) unparsed_log_limit: LineLimit,
    /// The memory budget for requests and responses in progress.
    pub(crate) memory: Arc<MemoryBudget>,
    pub(crate) blocking_pool: BlockingPool,
}

/// The names of headers that the settings can change.
pub(crate) struct HeaderNames {
    pub(crate) request_id: HeaderName,
    pub(crate) correlation: HeaderName,
    pub(crate) notification: HeaderName,
}

impl ListenerState {
    /// Creates the shared state from the ports and the settings.
    ///
    /// # Errors
    /// [`InvalidSetting`] if a setting has an invalid value.
    pub(crate) fn new(
        dependencies: Dependencies,
        metrics: Arc<ApiMetrics>,
        settings: HttpSettings,
        origin: ListenerOrigin,
    ) -> Result<Self, InvalidSetting> {
        let Dependencies {
            store,
            clock,
            randomness,
            health,
            metrics: all_metrics,
            limits,
            sandbox,
            diagnostics: oversight,
        } = dependencies;
        settings.validate()?;
        let memory = MemoryBudget::new(settings.max_memory_bytes, settings.max_memory_bytes_of_application);
        let streams = StreamLimiter::new(settings.max_streams, settings.stream_timeout, Arc::clone(&memory));
        metrics.watch_streams(streams.in_use());
        let watched = Arc::clone(&memory);
        metrics.watch_memory(move || watched.in_use());
        Ok(Self {
            request_ids: RequestIds::new(randomness.as_ref()),
            headers: HeaderNames {
                request_id: header_name("request_id_header", &settings.request_id_header)?,
                notification: header_name("notification_header", &settings.notification_header)?,
                correlation: header_name("correlation_header", &settings.correlation_header)?,
            },
            streams,
            unparsed_log_limit: LineLimit::default(),
            memory,
            blocking_pool: BlockingPool::new(),
            address: origin.address,
            scheme: origin.scheme,
            blobs: Arc::<dyn Store>::clone(&store),
            store,
            clock,
            randomness,
            health,
            limits,
            sandbox,
            oversight,
            all_metrics,
            metrics,
            settings,
        })
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the time since the server started. Timeouts and rate limits use this time instead of
    /// [`now`](Self::now), because the monotonic clock never jumps.
    pub(crate) fn monotonic_time(&self) -> Duration {
        self.clock.monotonic_time()
    }

    /// Returns the current date in UTC.
    pub(crate) fn today(&self) -> Date {
        self.clock.now().date()
    }
}

fn header_name(setting: &'static str, text: &str) -> Result<HeaderName, InvalidSetting> {
    let problem = "is not a valid header name";
    HeaderName::from_bytes(text.as_bytes()).map_err(|_| InvalidSetting { setting, problem })
}
