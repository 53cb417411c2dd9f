//! The environment of a run: a database with the benchmark's data, an application, and its servers.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Failure;
use crate::client::{Request, send_once};
use crate::database::Database;
use crate::process::Server;
use crate::world;

/// The encryption key of the servers in the benchmark. The key protects no real data.
const KEYS: &str = "load:bG9hZCBsb2FkIGxvYWQgbG9hZCBsb2FkIGxvYWQgbG8=";
const SERVER_ADDRESS: &str = "127.0.0.1:18480";
pub(crate) const OPERATOR_ADDRESS: &str = "127.0.0.1:18482";
const FLOOR_ADDRESS: &str = "127.0.0.1:18481";

/// One of the server's two listeners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Partner,
    Operator,
}

/// A prepared database with an application that has full access.
pub(crate) struct LoadFixture<'d> {
    pub(crate) database: &'d Database,
    pub(crate) application_id: String,
    client_id: String,
    secret: String,
    operator_key: String,
}

impl<'d> LoadFixture<'d> {
    /// Imports the companies, creates the application and fills the pay period from which pages are read.
    pub(crate) async fn set_up(database: &'d Database) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("companies.ndjson");
        std::fs::write(&file, world::import_file())?;
        run_command(database, &["migrate", "--create"])?;
        run_command(database, &["import", &file.display().to_string()])?;
        let created = run_command(database, &["app", "create", "load", "--webhooks", "write"])?;
        let (client_id, secret) =
            (word_after(&created, "client_id")?, word_after(&created, "client_secret")?);
        let listed: Value = serde_json::from_str(&run_command(database, &["app", "list", "--json"])?)?;
        let application_id = listed.pointer("/content/0/applicationId").and_then(Value::as_str);
        // Without an application, the floor would quickly return empty responses, which are no valid
        // comparison.
        let application_id = application_id.ok_or("no applicationId in what `app list --json` says")?;
        let application_id = application_id.to_owned();
        for number in 0..world::COMPANIES {
            let company_id = world::company_id(number);
            run_command(database, &["app", "grant", "load", &company_id])?;
            run_command(database, &["app", "grant", "load", &company_id, "write:workers"])?;
        }
        let created = run_command(database, &["operator-key", "create", "load"])?;
        let operator_key = word_after(&created, "operator_key").or_else(|_| word_after(&created, "key"))?;
        let stage = Self { database, application_id, client_id, secret, operator_key };
        stage.fill_list_pages().await?;
        Ok(stage)
    }

    /// Starts the server under measurement without a rate limit.
    pub(crate) async fn start_server(&self) -> Result<Server, Failure> {
        self.start_server_at(Api::Partner).await
    }

    /// Starts the server under measurement, and waits until the given listener accepts connections.
    pub(crate) async fn start_server_at(&self, door: Api) -> Result<Server, Failure> {
        let address = match door {
            Api::Partner => SERVER_ADDRESS,
            Api::Operator => OPERATOR_ADDRESS,
        };
        Server::start(&mut self.serve_command()?, address).await
    }

    /// Starts the server under measurement with additional settings.
    pub(crate) async fn start_server_with(&self, settings: &[&str]) -> Result<Server, Failure> {
        Server::start(self.serve_command()?.args(settings), SERVER_ADDRESS).await
    }

    fn serve_command(&self) -> Result<Command, Failure> {
        let mut command = payroll_server(self.database)?;
        command.args(["serve", "--listen", SERVER_ADDRESS, "--operator-listen", OPERATOR_ADDRESS]);
        command.args(["--rate-limit-per-minute", "0", "--log-level", "error"]);
        Ok(command)
    }

    /// Starts the minimal server (floor) on the same database.
    pub(crate) async fn start_baseline(&self) -> Result<Server, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["floor", &self.database.baseline_location(), &self.application_id, FLOOR_ADDRESS]);
        Server::start(&mut command, FLOOR_ADDRESS).await
    }

    /// Gets a token and returns it as a header line of a request.
    pub(crate) async fn authorization(&self, address: &str) -> Result<String, Failure> {
        let response: Value = serde_json::from_slice(&send_once(address, &self.token_request()).await?)?;
        let token = response.get("access_token").and_then(Value::as_str).ok_or("no access_token")?;
        Ok(format!("Authorization: Bearer {token}\r\n"))
    }

    pub(crate) fn token_request(&self) -> Request {
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            self.client_id, self.secret
        );
        let headers = "Content-Type: application/x-www-form-urlencoded\r\n";
        Request::new("POST /auth/oauth/v2/token", headers, form.as_bytes(), 200)
    }

    /// Returns a POST of 100 checks into a company's pay period, with an idempotency key.
    pub(crate) fn add_request(authorization: &str, company: usize, period: &str) -> Request {
        Self::add_checks_request(authorization, company, period, world::BATCH_CHECKS)
    }

    /// Returns a request like [`Self::add_request`], with the given number of checks.
    pub(crate) fn add_checks_request(
        authorization: &str,
        company: usize,
        period: &str,
        checks: usize,
    ) -> Request {
        let company_id = world::company_id(company);
        let headers =
            format!("{authorization}Content-Type: application/vnd.vendor.payroll.checks.v1+json\r\n");
        let line = format!("POST /companies/{company_id}/checks");
        Request::new(&line, &headers, &world::checks_body(&company_id, period, checks), 201).with_key()
    }

    /// Returns requests that change a communication of a worker and change it back.
    pub(crate) fn patch_requests(authorization: &str, worker_id: &str) -> Vec<Request> {
        let line = format!("PATCH /workers/{worker_id}/communications/{worker_id}-A");
        let headers = format!("{authorization}Content-Type: application/json\r\n");
        let change_to = |street: &str| {
            Request::new(&line, &headers, format!("{{\"streetLineOne\":\"{street}\"}}").as_bytes(), 200)
        };
        vec![change_to("1 Sample Street"), change_to("2 Sample Street")]
    }

    /// Returns the operator's key as a header line of a request.
    pub(crate) fn operator_authorization(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.operator_key)
    }

    /// Returns requests that change a worker's address and change it back, so that each PATCH changes
    /// something.
    pub(crate) fn move_requests(&self, company: usize) -> Vec<Request> {
        let company_id = world::company_id(company);
        let worker_id = world::worker_id(&company_id, 0);
        let line = format!("PATCH /operator/v1/companies/{company_id}/workers/{worker_id}");
        let authorization = self.operator_authorization();
        let headers = format!("{authorization}If-Match: *\r\nContent-Type: application/json\r\n");
        let move_to =
            |street| Request::new(&line, &headers, &world::change_address_body(&worker_id, street), 200);
        vec![move_to("1 Sample Street"), move_to("2 Sample Street")]
    }

    async fn fill_list_pages(&self) -> Result<(), Failure> {
        let server = self.start_server().await?;
        let authorization = self.authorization(&server.address).await?;
        for company in 0..world::COMPANIES {
            let request = Self::add_request(&authorization, company, world::PAGE_PERIOD);
            for _ in 0..world::PAGE_BATCHES {
                send_once(&server.address, &request).await?;
            }
        }
        Ok(())
    }
}

/// Returns the command for the server under measurement: the release binary next to the benchmark's own
/// binary, or the binary in `LOAD_SERVER`. With this variable, the benchmark can measure another build.
pub(crate) fn payroll_server(database: &Database) -> Result<Command, Failure> {
    let binary = match std::env::var_os("LOAD_SERVER") {
        Some(path) => PathBuf::from(path),
        None => std::env::current_exe()?.with_file_name("payroll-server"),
    };
    if !binary.exists() {
        return Err("build the server first: cargo build --release -p payroll-server".into());
    }
    let mut command = Command::new(binary);
    command.args(["--database-url", &database.url()]).env("PAYROLL_KEYS", KEYS).stdin(Stdio::null());
    Ok(command)
}

/// Runs a command of the server to its end and returns its output.
pub(crate) fn run_command(database: &Database, words: &[&str]) -> Result<String, Failure> {
    let output = payroll_server(database)?.args(words).output()?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("payroll-server {}: {errors}", words.join(" ")).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Returns the word after a label at the beginning of a line.
fn word_after(text: &str, label: &str) -> Result<String, Failure> {
    let mut lines = text.lines().map(str::split_whitespace);
    let word = lines.find_map(|mut words| (words.next() == Some(label)).then(|| words.next()).flatten());
    Ok(word.ok_or_else(|| format!("no {label} in: {text}"))?.to_owned())
}
