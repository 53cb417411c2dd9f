//! Runs the application in this process on the files of a folder, in the same way as the command `serve`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use payroll_ports::Store;
use payroll_server::app::{self, StopHandle};
use payroll_server::config::Settings;
use payroll_server::system::SystemRandomness;
use reqwest::Method;
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinHandle;

use crate::clock::ManualClock;
use crate::defect::Defect;
use crate::disk::DiskImage;
use crate::world;

/// A running application and its addresses.
pub(crate) struct Server {
    base: String,
    operator: String,
    http: reqwest::Client,
    token: String,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<ManualClock>,
    stopper: StopHandle,
    running: JoinHandle<()>,
}

/// A request, which can be repeated.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    pub(crate) media_type: &'static str,
    pub(crate) key: Option<String>,
}

/// A complete response of the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Server {
    /// Starts the application on a folder and gets a token.
    pub(crate) async fn start(folder: &Path) -> Self {
        Self::start_with(&world::settings(folder), ManualClock::default()).await
    }

    pub(crate) async fn start_with(settings: &Settings, clock: ManualClock) -> Self {
        // The binary installs the cryptography provider for TLS when it starts. These tests run no binary,
        // so they install the provider themselves. A second installation has no effect.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let clock = Arc::new(clock);
        let built = app::build_app(settings, Arc::clone(&clock) as _, Arc::new(SystemRandomness)).await;
        let app = built.unwrap_or_else(|failure| panic!("it does not start: {failure}"));
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
        let mut server = Self {
            base: app.base_address(),
            operator: format!("http://{}", app.operator_address()),
            http: http.expect("a client"),
            token: String::new(),
            store: app.store(),
            clock,
            stopper: app.stop_handle(),
            running: tokio::spawn(async { app.run().await.unwrap_or_else(|failure| panic!("{failure}")) }),
        };
        server.get_token().await;
        server
    }

    /// Gets a token for the partner's application.
    pub(crate) async fn get_token(&mut self) {
        let form = "application/x-www-form-urlencoded";
        let request = self.http.post(format!("{}/auth/oauth/v2/token", self.base));
        let answered = request
            .header("content-type", form)
            .body(world::TOKEN_REQUEST_FORM)
            .send()
            .await
            .expect("a token");
        let response: Value = answered.json().await.expect("JSON");
        self.token = response["access_token"].as_str().unwrap_or_else(|| panic!("{response}")).to_owned();
    }

    /// Sends a request and reads its response. Returns `None` if the connection breaks.
    pub(crate) async fn try_send(&self, request: &Request) -> Option<Response> {
        let (base, bearer) = match request.path.starts_with("/operator/") {
            false => (&self.base, &*self.token),
            true if request.path.ends_with("/approve") => (&self.operator, world::APPROVER_KEY),
            true => (&self.operator, world::OPERATOR_KEY),
        };
        let mut sent = self.http.request(request.method.clone(), format!("{base}{}", request.path));
        sent = sent.bearer_auth(bearer).header("content-type", request.media_type);
        if let Some(key) = &request.key {
            sent = sent.header("idempotency-key", key);
        }
        if request.method != Method::GET && request.method != Method::POST {
            sent = sent.header("if-match", "*");
        }
        let sent = request.body.iter().fold(sent, |sent, body| sent.body(body.to_string()));
        let answered = sent.send().await.ok()?;
        Some(Response { status: answered.status().as_u16(), body: answered.text().await.ok()? })
    }

    pub(crate) async fn send(&self, request: &Request) -> Response {
        self.try_send(request).await.unwrap_or_else(|| panic!("no response to {request:?}"))
    }

    /// Gets a resource of either API. Removes the server's address from links in the response, so that
    /// responses of servers on different ports can be compared.
    pub(crate) async fn get(&self, path: &str) -> Response {
        let request = Request {
            method: Method::GET,
            path: path.to_owned(),
            body: None,
            media_type: "application/json",
            key: None,
        };
        let Response { status, body } = self.send(&request).await;
        Response { status, body: body.replace(&self.base, "").replace(&self.operator, "") }
    }

    pub(crate) async fn stop(mut self) {
        self.stopper.stop().await;
        (&mut self.running).await.expect("it ends well");
    }
}

/// Creates a folder with a database that contains the test data.
pub(crate) async fn new_folder(defect: Defect) -> TempDir {
    let folder = new_memory_folder();
    let database = folder.path().join(world::DATABASE_FILE_NAME);
    write_private_file(&database, world::database_bytes().await);
    if let Defect::Trigger(statement) = defect {
        let connection = rusqlite::Connection::open(database).expect("the database");
        connection.execute_batch(statement).expect("a trigger");
    }
    folder
}

/// Creates a folder with the files that remain after a power cut.
pub(crate) fn folder_from_image(image: &DiskImage) -> TempDir {
    let root = new_memory_folder();
    for path in &image.folders {
        std::fs::create_dir(root.path().join(path)).expect("a folder");
    }
    image.files.iter().for_each(|(path, bytes)| write_private_file(&root.path().join(path), bytes));
    root
}

/// Creates a folder in memory if possible. The folder need not be on a disk, because the model determines
/// which data survives a power cut.
pub(crate) fn new_memory_folder() -> TempDir {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder")
}

/// Writes a file that only its owner can read.
pub(crate) fn write_private_file(path: &Path, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, bytes).expect("a file");
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).expect("a mode");
}
