//! The stage of a run: a database with the benchmark's data, an application, and servers on it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Failure;
use crate::client::{Request, once};
use crate::database::Database;
use crate::process::Server;
use crate::world;

/// A key for this benchmark only; it protects nothing.
const KEYS: &str = "load:bG9hZCBsb2FkIGxvYWQgbG9hZCBsb2FkIGxvYWQgbG8=";
const SERVER_ADDRESS: &str = "127.0.0.1:18480";
const FLOOR_ADDRESS: &str = "127.0.0.1:18481";

/// A database that is ready, with an application that may do everything.
pub(crate) struct Stage<'d> {
    pub(crate) database: &'d Database,
    pub(crate) application_id: String,
    client_id: String,
    secret: String,
}

impl<'d> Stage<'d> {
    /// Imports the companies, makes the application and fills the period that pages are read from.
    pub(crate) async fn set_up(database: &'d Database) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("companies.ndjson");
        std::fs::write(&file, world::import_file())?;
        say(database, &["import", &file.display().to_string()])?;
        let made = say(database, &["app", "create", "load"])?;
        let (client_id, secret) = (word_after(&made, "client_id")?, word_after(&made, "client_secret")?);
        let listed: Value = serde_json::from_str(&say(database, &["app", "list", "--json"])?)?;
        let application_id = listed.pointer("/0/applicationId").and_then(Value::as_str).unwrap_or_default();
        let application_id = application_id.to_owned();
        for number in 0..world::COMPANIES {
            say(database, &["app", "grant", "load", &world::company_id(number)])?;
        }
        let stage = Self { database, application_id, client_id, secret };
        stage.fill_pages().await?;
        Ok(stage)
    }

    /// Starts the server under measurement, without a rate limit.
    pub(crate) async fn server(&self) -> Result<Server, Failure> {
        let mut command = payroll_server(self.database)?;
        command.args(["serve", "--listen", SERVER_ADDRESS, "--rate-limit-per-minute", "0"]);
        command.args(["--log-level", "error"]);
        Server::start(&mut command, SERVER_ADDRESS).await
    }

    /// Starts the floor on the same database.
    pub(crate) async fn floor(&self) -> Result<Server, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["floor", &self.database.floor_url(), &self.application_id, FLOOR_ADDRESS]);
        Server::start(&mut command, FLOOR_ADDRESS).await
    }

    /// A token, as the header line of a request.
    pub(crate) async fn authorization(&self, address: &str) -> Result<String, Failure> {
        let answer: Value = serde_json::from_slice(&once(address, &self.token_request()).await?)?;
        let token = answer.get("access_token").and_then(Value::as_str).ok_or("no access_token")?;
        Ok(format!("Authorization: Bearer {token}\r\n"))
    }

    /// The token operation.
    pub(crate) fn token_request(&self) -> Request {
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            self.client_id, self.secret
        );
        let headers = "Content-Type: application/x-www-form-urlencoded\r\n";
        Request::new("POST /auth/oauth/v2/token", headers, form.as_bytes(), 200)
    }

    /// A POST of 100 checks into a period of a company.
    pub(crate) fn add_request(authorization: &str, company: usize, period: &str) -> Request {
        let company_id = world::company_id(company);
        let headers =
            format!("{authorization}Content-Type: application/vnd.vendor.payroll.checks.v1+json\r\n");
        let line = format!("POST /companies/{company_id}/checks");
        Request::new(&line, &headers, &world::batch(&company_id, period), 201)
    }

    async fn fill_pages(&self) -> Result<(), Failure> {
        let server = self.server().await?;
        let authorization = self.authorization(&server.address).await?;
        for company in 0..world::COMPANIES {
            let request = Self::add_request(&authorization, company, world::PAGE_PERIOD);
            for _ in 0..world::PAGE_BATCHES {
                once(&server.address, &request).await?;
            }
        }
        Ok(())
    }
}

/// The release binary that was built beside this one.
fn payroll_server(database: &Database) -> Result<Command, Failure> {
    let binary: PathBuf = std::env::current_exe()?.with_file_name("payroll-server");
    if !binary.exists() {
        return Err("build the server first: cargo build --release -p payroll-server".into());
    }
    let mut command = Command::new(binary);
    command.args(["--database-url", &database.url()]).env("PAYROLL_KEYS", KEYS).stdin(Stdio::null());
    Ok(command)
}

/// Runs a command of the server to its end and gives what it printed.
fn say(database: &Database, words: &[&str]) -> Result<String, Failure> {
    let output = payroll_server(database)?.args(words).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("payroll-server {}: {said}", words.join(" ")).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The word behind a label at the beginning of a line.
fn word_after(text: &str, label: &str) -> Result<String, Failure> {
    let mut lines = text.lines().map(str::split_whitespace);
    let word = lines.find_map(|mut words| (words.next() == Some(label)).then(|| words.next()).flatten());
    Ok(word.ok_or_else(|| format!("no {label} in: {text}"))?.to_owned())
}
