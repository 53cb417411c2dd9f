//! The environment: the benchmark's data, hooks, and a server that connects to receivers on this machine.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_postgres::NoTls;

use crate::Failure;
use crate::client::{Request, send_once};
use crate::database::Database;
use crate::import_file::{self, ImportSize};
use crate::process::Server;
use crate::stage::{LoadFixture, payroll_server, run_command};
use crate::world::{self, BATCH_CHECKS, COMPANIES};

const PARTNER: &str = "127.0.0.1:18486";
pub(super) const OPERATOR: &str = "127.0.0.1:18487";
/// The ports of the measured receiver and of the slow receiver.
pub(super) const RECEIVER_PORTS: [u16; 2] = [18_488, 18_489];
/// Number of companies in an import, which limits the size of a transaction.
const IMPORTED_COMPANIES: usize = 20;
/// The time limit of a measurement.
pub(super) const MEASUREMENT_TIME_LIMIT: Duration = Duration::from_secs(120);
/// The hook whose receiver is slow.
pub(super) const SLOW_HOOK: &str = "slow";

/// An environment with an application that has hooks.
pub(super) struct HookFixture<'d> {
    pub(super) stage: LoadFixture<'d>,
    hooks: Vec<String>,
}

impl<'d> HookFixture<'d> {
    /// Creates the data, the application and the given number of hooks for these event domains. Also creates
    /// a hook with a slow receiver for new workers.
    pub(super) async fn set_up(
        database: &'d Database,
        domains: &[&str],
        hooks: usize,
    ) -> Result<Self, Failure> {
        let stage = LoadFixture::set_up(database).await?;
        let hooks = (0..hooks).map(|number| format!("hook{number}")).collect();
        let hooked = Self { stage, hooks };
        let _server = hooked.start_server().await?;
        let authorization = hooked.stage.authorization(PARTNER).await?;
        for name in &hooked.hooks {
            send_once(PARTNER, &register_hook_request(&authorization, name, "receiver.load", domains))
                .await?;
        }
        Ok(hooked)
    }

    /// Registers the hook whose receiver is slow.
    pub(super) async fn add_slow_hook(&self) -> Result<(), Failure> {
        let _server = self.start_server().await?;
        let authorization = self.stage.authorization(PARTNER).await?;
        send_once(PARTNER, &register_hook_request(&authorization, SLOW_HOOK, "slow.load", &["WRKR_ADD"]))
            .await?;
        Ok(())
    }

    /// Starts the server on the database.
    pub(super) async fn start_server(&self) -> Result<Server, Failure> {
        let mut command: Command = payroll_server(self.stage.database)?;
        command.args(["serve", "--listen", PARTNER, "--operator-listen", OPERATOR]);
        command.args([
            "--rate-limit-per-minute",
            "0",
            "--log-level",
            "error",
            "--webhook-allow-http",
            "true",
        ]);
        let [measured, slow] = RECEIVER_PORTS;
        let hosts = format!("receiver.load=127.0.0.1:{measured},slow.load=127.0.0.1:{slow}");
        command.args(["--webhook-hosts", &hosts]);
        Server::start(&mut command, OPERATOR).await
    }

    /// Lets disabled hooks collect a backlog of the given number of new workers in companies that the
    /// application may read. `round` distinguishes the backlogs.
    pub(super) async fn collect(&self, hooks: &[&str], count: usize, round: usize) -> Result<(), Failure> {
        let server = self.start_server().await?;
        for hook in hooks {
            self.post_action(hook, "disable").await?;
        }
        drop(server);
        let (folder, companies) = (tempfile::tempdir()?, IMPORTED_COMPANIES.min(count));
        let file = folder.path().join("backlog.ndjson");
        let first = round * companies;
        // The companies are imported before their workers, so that the application has access to the
        // companies.
        for workers in [0, count / companies] {
            import_file::write_companies_from(&file, ImportSize { companies, workers }, first)?;
            run_command(self.stage.database, &["import", &file.display().to_string()])?;
            for number in (first..first + companies).filter(|_| workers == 0) {
                run_command(
                    self.stage.database,
                    &["app", "grant", "load", &import_file::company_id(number)],
                )?;
            }
        }
        Ok(())
    }

    /// Inserts deliveries of the slow hook directly into the table.
    pub(super) async fn insert_pending_deliveries(&self, count: usize) -> Result<(), Failure> {
        const COLUMNS: &str = "INSERT INTO deliveries (hook, event_id, company_id, worker_id, domain, action, as_of, queued, due)";
        let hook = "(SELECT hook FROM hooks WHERE hook_id = 'slow')";
        let row =
            format!("{hook}, 'load-' || n, '{}', 'w' || n, 'WRKR_ADD', 'ADD', 1, 1, 1", world::company_id(0));
        match self.stage.database {
            Database::Sqlite(_) => {
                let rows = format!(
                    "WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < {count})"
                );
                let statement = format!("{COLUMNS} {rows} SELECT {row} FROM many");
                rusqlite::Connection::open(self.stage.database.url())?.execute(&statement, [])?;
            }
            Database::Postgres { .. } => {
                let statement = format!("{COLUMNS} SELECT {row} FROM generate_series(1, {count}) n");
                let (client, connection) = tokio_postgres::connect(&self.stage.database.url(), NoTls).await?;
                tokio::spawn(connection);
                client.batch_execute(&statement).await?;
            }
        }
        Ok(())
    }

    pub(super) fn hooks(&self) -> Vec<&str> {
        self.hooks.iter().map(String::as_str).collect()
    }

    /// Returns requests that change the addresses of workers. Each connection gets the requests for its own
    /// company.
    pub(super) fn move_requests_of_companies(&self) -> Vec<Vec<Request>> {
        (0..COMPANIES).map(|company| self.stage.move_requests(company)).collect()
    }

    /// Returns requests that rename organizations. A new name is the smallest change that causes a
    /// notification. Each connection has its own company with an organization that is created first.
    pub(super) async fn rename_requests(&self) -> Result<Vec<Vec<Request>>, Failure> {
        let key = self.stage.operator_authorization();
        let mut requests = Vec::new();
        for company in 0..COMPANIES {
            let list = format!("/operator/v1/companies/{}/organizations", world::company_id(company));
            let unit = json!({"organizationId": "unit", "name": "Unit"}).to_string();
            send_once(OPERATOR, &operator_request(&key, &format!("POST {list}"), unit.as_bytes(), 201))
                .await?;
            let rename = |name: &str| {
                let body = json!({ "name": name }).to_string();
                operator_request(&key, &format!("PATCH {list}/unit"), body.as_bytes(), 200)
            };
            requests.push(vec![rename("First name"), rename("Second name")]);
        }
        Ok(requests)
    }

    /// Returns requests that change the address of a worker, each with the worker's id. All workers first get
    /// one address and then another, so that each request changes something. `round` selects other addresses.
    pub(super) fn single_move_requests(&self, round: usize) -> Vec<(String, Request)> {
        let key = self.stage.operator_authorization();
        let companies =
            (0..BATCH_CHECKS).flat_map(|worker| (0..COMPANIES).map(move |company| (company, worker)));
        let companies: Vec<_> = companies.collect();
        let moves = ["First", "Second"].map(|street| {
            let street = format!("{round} {street} Street");
            let key = &key;
            companies.iter().map(move |(company, worker)| {
                let company_id = world::company_id(*company);
                let worker_id = world::worker_id(&company_id, *worker);
                let line = format!("PATCH /operator/v1/companies/{company_id}/workers/{worker_id}");
                let body = world::change_address_body(&worker_id, &street);
                (worker_id, operator_request(key, &line, &body, 200))
            })
        });
        moves.into_iter().flatten().collect()
    }

    /// Enables or disables a hook: `action` is `enable` or `disable`. A disabled hook only collects its
    /// notifications.
    pub(super) async fn post_action(&self, hook: &str, action: &str) -> Result<(), Failure> {
        let application_id = &self.stage.application_id;
        let line = format!("POST /operator/v1/applications/{application_id}/hooks/{hook}/{action}");
        send_once(OPERATOR, &operator_request(&self.stage.operator_authorization(), &line, b"", 200)).await?;
        Ok(())
    }
}

fn register_hook_request(authorization: &str, name: &str, host: &str, domains: &[&str]) -> Request {
    let hook: Value = json!({
        "hookId": name, "uri": format!("http://{host}/hook"), "domains": domains,
        "authentication": {"authType": "APIKEY", "apiKey": "synthetic"},
    });
    let headers = format!("{authorization}Content-Type: application/json\r\n");
    Request::new("POST /management/hooks", &headers, hook.to_string().as_bytes(), 201)
}

pub(super) fn operator_request(key: &str, line: &str, body: &[u8], status: u16) -> Request {
    let headers = format!("{key}If-Match: *\r\nContent-Type: application/json\r\n");
    Request::new(line, &headers, body, status)
}
