//! The application under test. The application runs in the process of the tests like the command `serve`, on
//! a free port. It has its own database with the test data, and a clock that the test moves.

use std::collections::{BTreeSet, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use base64::Engine;
use futures_util::FutureExt;
use payroll_ports::Store;
use payroll_server::app::{self, Housekeeper, StopHandle};
use payroll_server::config::{Setting, Settings};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::client::Client;
use super::clock::{ManualClock, RepeatableRandomness};
use super::database::{Database, DatabaseKind, for_each_kind, on_database_kinds};
use super::population::open_store_at;
use super::request::{Caller, Request};
use super::response::Response;
use super::response_checks;
use super::settings::{CLIENT_SECRET, OPERATOR_KEY, READER_KEY, settings_with_database};

/// The partner's API key.
pub(crate) const CLIENT_ID: &str = "key-of-partner";

/// A running application and its database.
pub(crate) struct Server {
    /// The base URL of links.
    pub(crate) base: String,
    client: Client,
    operator: Client,
    /// Host and port of the partner API.
    pub(crate) address: String,
    /// Host and port of the operator API.
    pub(crate) operator_address: String,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) database: Database,
    pub(crate) store: Arc<dyn Store>,
    settings: Settings,
    running: JoinHandle<()>,
    stopper: StopHandle,
    tokens: Mutex<HashMap<Caller, String>>,
}

/// Runs a test on each available database, each time with a new server.
pub(crate) fn on_every_database(test: impl AsyncFn(&mut Server)) {
    on_every_database_with(|_| (), test);
}

/// Runs a test on each available kind of database. Each time, the test gets a new database with the test
/// data.
pub(crate) fn on_every_database_kind(test: impl AsyncFn(&Database)) {
    for_each_kind(async |kind| {
        let database = Database::with_test_data(kind).await;
        test(&database).await;
        database.return_to_pool().await;
    });
}

/// Runs a test like [`on_every_database`], with changed settings.
pub(crate) fn on_every_database_with(change: impl Fn(&mut Settings), test: impl AsyncFn(&mut Server)) {
    on_databases_with(&DatabaseKind::available(), change, test);
}

/// Runs a test like [`on_every_database_with`], but only on these kinds of database.
pub(crate) fn on_databases_with(
    kinds: &[DatabaseKind],
    change: impl Fn(&mut Settings),
    test: impl AsyncFn(&mut Server),
) {
    on_database_kinds(kinds, async |kind| {
        let database = Database::with_test_data(kind).await;
        let mut settings = settings(&database);
        change(&mut settings);
        let mut server = Server::start(database, settings, Arc::new(ManualClock::new())).await;
        let outcome = AssertUnwindSafe(test(&mut server)).catch_unwind().await;
        server.stop().await;
        match outcome {
            Ok(()) => server.database.return_to_pool().await,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
}

/// Returns the settings of a server under test that uses this database.
pub(crate) fn settings(database: &Database) -> Settings {
    let (url, direct) = database.direct_and_pooled_urls();
    Settings {
        direct_database_url: Setting::read(&direct).expect("an address"),
        ..settings_with_database(&url)
    }
}

/// Returns the store of a database, as a command on the server opens it.
pub(crate) async fn open(database: &Database) -> Arc<dyn Store> {
    open_store_at(&database.url()).await
}

impl Server {
    pub(crate) async fn start(database: Database, settings: Settings, clock: Arc<ManualClock>) -> Self {
        if settings.sandbox {
            // A server only marks an empty database as a sandbox. This database contains the test data, so
            // the test itself sets the mark.
            let store = open_store_at(settings.database_url.expose()).await;
            store.mark_as_sandbox().await.expect("it is marked");
        }
        let built = app::build_app(&settings, clock.clone(), Arc::new(RepeatableRandomness::new())).await;
        let app = built.unwrap_or_else(|failure| panic!("{failure}"));
        Self {
            base: app.base_address(),
            client: Client::new(&app.base_address()),
            operator: Client::new(&format!("http://{}", app.operator_address())),
            address: app.address().to_string(),
            operator_address: app.operator_address().to_string(),
            clock,
            database,
            store: app.store(),
            settings,
            stopper: app.stop_handle(),
            running: tokio::spawn(async { app.run().await.unwrap_or_else(|failure| panic!("{failure}")) }),
            tokens: Mutex::default(),
        }
    }

    /// Restarts the application on the same database, on another port.
    pub(crate) async fn restart(&mut self) {
        self.stop().await;
        let app =
            app::build_app(&self.settings, self.clock.clone(), Arc::new(RepeatableRandomness::new())).await;
        let app = app.unwrap_or_else(|failure| panic!("{failure}"));
        (self.base, self.address) = (app.base_address(), app.address().to_string());
        self.operator_address = app.operator_address().to_string();
        self.client = Client::new(&self.base);
        self.operator = Client::new(&format!("http://{}", self.operator_address));
        (self.store, self.stopper) = (app.store(), app.stop_handle());
        self.running = tokio::spawn(async { app.run().await.unwrap_or_else(|failure| panic!("{failure}")) });
    }

    /// Returns a housekeeper. The application would run it once a minute, and the tests run it explicitly.
    pub(crate) fn housekeeper(&self) -> Housekeeper {
        let chance = (self.clock.clone() as _, Arc::new(RepeatableRandomness::new()) as _);
        Housekeeper::new(Arc::clone(&self.store), chance, &self.settings)
    }

    pub(crate) async fn stop(&mut self) {
        self.stopper.stop().await;
        (&mut self.running).await.expect("it ends well");
    }

    /// Sends a request and reads the complete response. Verifies the guarantees that every response fulfills.
    pub(crate) async fn send(&self, request: &Request) -> Response {
        let response = self.try_send(request).await.unwrap_or_else(|error| panic!("{request:?}: {error:?}"));
        response_checks::check_response(request, &response);
        response
    }

    /// Sends a GET to a path of the operator's listener that is not an API operation.
    pub(crate) async fn operator_get(&self, path: &str) -> Response {
        self.operator.send(&Request::get(path), None).await.expect("an answer")
    }

    /// Sends a request without a key to the operator's listener. Does not validate the response.
    pub(crate) async fn operator_send(&self, request: &Request) -> Response {
        self.operator.send_unchecked(request, None).await.expect("an answer")
    }

    /// Sends a request and does not validate the response.
    pub(crate) async fn send_unchecked(&self, request: &Request) -> Response {
        let (client, authorization) = self.client_for(request).await;
        let response = client.send_unchecked(request, authorization.as_deref()).await;
        response.unwrap_or_else(|error| panic!("{request:?}: {error:?}"))
    }

    /// Sends a request whose connection may break. A complete response is validated against the description.
    pub(crate) async fn try_send(&self, request: &Request) -> reqwest::Result<Response> {
        let (client, authorization) = self.client_for(request).await;
        client.send(request, authorization.as_deref()).await
    }

    /// Returns the client and the `Authorization` header for a request.
    async fn client_for(&self, request: &Request) -> (&Client, Option<String>) {
        let authorization = self.authorization(request.caller).await;
        self.clock.advance_one_millisecond();
        (if request.is_for_operator_api() { &self.operator } else { &self.client }, authorization)
    }

    /// Returns the `Authorization` header of a caller.
    pub(crate) async fn authorization(&self, caller: Caller) -> Option<String> {
        let form = match caller {
            Caller::Anonymous => return None,
            Caller::Malformed => return Some("Bearer no.token.atall".to_owned()),
            Caller::Expired | Caller::Partner => token_form(),
            Caller::WithoutScope => format!("{}&scope=read:taxids", token_form()),
            Caller::WithoutTaxIds => format!("{}&scope=read:companies", token_form()),
            Caller::Other => token_form_for("key-of-other"),
            Caller::WithoutGrant => token_form_for("key-of-limited"),
            Caller::PeriodScoped => token_form_for("key-of-period scoped"),
            Caller::Operator => return Some(format!("Bearer {OPERATOR_KEY}")),
            Caller::OperatorReader => return Some(format!("Bearer {READER_KEY}")),
        };
        let mut tokens = self.tokens.lock().await;
        if let Some(token) = tokens.get(&caller) {
            return Some(token.clone());
        }
        const TWO_HOURS: i64 = 7_200;
        let past = if caller == Caller::Expired { TWO_HOURS } else { 0 };
        self.clock.step_seconds(-past);
        let token = self.client.request_token(form).await;
        self.clock.step_seconds(past);
        tokens.insert(caller, token.clone());
        Some(token)
    }

    /// Discards the stored tokens, so that each caller requests a new token before its next request.
    pub(crate) async fn discard_tokens(&self) {
        self.tokens.lock().await.clear();
    }

    /// Returns the number of checks that applications have added.
    pub(crate) async fn count_stored_checks(&self) -> i64 {
        self.database.query_number("SELECT count(*) FROM checks WHERE application_id <> ''").await
    }
}

/// Returns the form with which the partner requests a token.
pub(crate) fn token_form() -> String {
    token_form_for(CLIENT_ID)
}

fn token_form_for(client_id: &str) -> String {
    let client_id = client_id.replace(' ', "+");
    format!("grant_type=client_credentials&client_id={client_id}&client_secret={CLIENT_SECRET}")
}

/// Returns the `Authorization` header for HTTP Basic.
pub(crate) fn basic_authorization(id: &str, secret: &str) -> String {
    let pair = format!("{id}:{secret}");
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
}

/// Returns the method and path of each route of the application.
pub(crate) fn routes() -> BTreeSet<(String, String)> {
    app::routes().into_iter().map(|route| (route.method.to_owned(), route.path.to_owned())).collect()
}
