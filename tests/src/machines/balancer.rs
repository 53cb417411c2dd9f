//! The load balancers of docs/deploy. Each load balancer runs with its configuration file in docs/deploy. The
//! test only replaces addresses, TLS and folders.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::find_program;
use crate::support::Client;
use crate::support::receiver::wait_until_async;

/// The kind of load balancer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BalancerKind {
    Caddy,
    HaProxy,
    Nginx,
}

/// A load balancer that runs until this value is dropped.
pub(super) struct Balancer {
    child: Child,
    pub(super) client: Client,
    folder: TempDir,
}

impl Balancer {
    /// Starts the load balancer at this address. Returns `None` if its program is missing.
    pub(super) async fn start(kind: BalancerKind, address: &str, servers: &[String]) -> Option<Self> {
        let program = find_program(kind.program_name())?;
        let folder = tempfile::tempdir().expect("a folder");
        fs::set_permissions(folder.path(), world_readable_permissions()).expect("a folder");
        let file = folder.path().join(kind.shipped_file_name());
        fs::write(
            &file,
            kind.adapt_configuration(&read_shipped_file(kind.shipped_file_name()), address, servers),
        )
        .expect("a file");
        let mut command = Command::new(program);
        command.args(kind.program_arguments(&file)).env("PUBLIC_HOST", format!("http://{address}"));
        command.env("HOME", folder.path()).env("XDG_DATA_HOME", folder.path());
        let log = fs::File::create(folder.path().join("log")).expect("a log");
        let also = log.try_clone().expect("a log");
        let child = command.stdin(Stdio::null()).stdout(log).stderr(also).spawn().expect("it runs");
        let balancer = Self { child, client: Client::new(&format!("http://{address}")), folder };
        let read = crate::support::Request::get("/companies");
        let responses = async || {
            let response = balancer.client.send_unchecked(&read, None).await;
            response.is_ok_and(|response| response.status == 401)
        };
        wait_until_async(responses, "a balancer that reaches a server").await;
        Some(balancer)
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        // The program gets SIGTERM instead of SIGKILL, so that it also ends its worker processes, such as
        // those of nginx.
        let id = self.child.id().to_string();
        let _asked = Command::new("kill").args(["-TERM", &id]).status();
        let _gone = self.child.wait();
        if std::thread::panicking() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            let errors = fs::read_to_string(self.folder.path().join("errors")).unwrap_or_default();
            // The log may show why the test failed. An error of printing it is ignored.
            let _told = writeln!(std::io::stderr(), "{log}{errors}");
        }
    }
}

/// Returns permissions with which every user can read the files. The program of a load balancer may run as
/// another user.
fn world_readable_permissions() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o755)
}

fn read_shipped_file(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/deploy").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl BalancerKind {
    const fn program_name(self) -> &'static str {
        match self {
            Self::Caddy => "caddy",
            Self::HaProxy => "haproxy",
            Self::Nginx => "nginx",
        }
    }

    const fn shipped_file_name(self) -> &'static str {
        match self {
            Self::Caddy => "Caddyfile",
            Self::HaProxy => "haproxy.cfg",
            Self::Nginx => "nginx.conf",
        }
    }

    fn program_arguments(self, file: &Path) -> Vec<String> {
        let shown = file.display().to_string();
        let folder = file.parent().expect("a folder").display();
        match self {
            Self::Caddy => ["run", "--adapter", "caddyfile", "--config", &shown].map(str::to_owned).into(),
            Self::HaProxy => ["-db", "-f", &shown].map(str::to_owned).into(),
            Self::Nginx => {
                let own = format!("daemon off; pid {folder}/pid; error_log {folder}/errors;");
                ["-p", &folder.to_string(), "-c", &shown, "-g", &own].map(str::to_owned).into()
            }
        }
    }

    /// Returns the content of the file in docs/deploy with the addresses of the test.
    fn adapt_configuration(self, shipped: &str, address: &str, servers: &[String]) -> String {
        let mut text = String::new();
        for line in shipped.lines() {
            let trimmed = line.trim_start();
            match self {
                Self::Caddy if trimmed.starts_with("reverse_proxy ") => {
                    text.push_str(&format!("\treverse_proxy {} {{\n", servers.join(" ")));
                    continue;
                }
                // The line of the first server is copied for each server of the test. The lines of the other
                // servers are omitted.
                Self::HaProxy | Self::Nginx if trimmed.starts_with("server payroll-1") => {
                    for (number, server) in (1..).zip(servers) {
                        let named = line.replace("payroll-1:8080", server);
                        text.push_str(&named.replace("payroll-1", &format!("payroll-{number}")));
                        text.push('\n');
                    }
                    continue;
                }
                Self::HaProxy | Self::Nginx if trimmed.starts_with("server payroll-") => continue,
                Self::HaProxy if trimmed.starts_with("bind ") => {
                    text.push_str(&format!("    bind {address}\n"));
                    continue;
                }
                Self::Nginx if trimmed.starts_with("listen ") => {
                    text.push_str(&format!("    listen {address};\n"));
                    continue;
                }
                Self::Nginx if trimmed.starts_with("ssl_") => continue,
                _ => {}
            }
            text.push_str(line);
            text.push('\n');
        }
        match self {
            // Without `default_bind`, Caddy binds the port on all addresses.
            Self::Caddy => {
                let host = address.split(':').next().unwrap_or_default();
                format!("{{\n\tadmin off\n\tdefault_bind {host}\n}}\n{text}")
            }
            Self::HaProxy => text,
            Self::Nginx => {
                let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
                let paths = paths.map(|path| format!("{path}_temp_path {path};")).concat();
                format!("events {{}}\nhttp {{\naccess_log off; {paths}\n{text}\n}}\n")
            }
        }
    }
}
