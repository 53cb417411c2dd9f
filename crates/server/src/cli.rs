//! The command line: what can be said, and nothing of what is done.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand};

use crate::config::SettingFlags;

/// What `--version` prints behind the name: the release, and the schema that it needs.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{} (schema {})", env!("CARGO_PKG_VERSION"), payroll_adapter_db::newest_schema_version())
});

/// A payroll integration API server.
#[derive(Debug, Parser)]
#[command(
    name = "payroll-server",
    version = VERSION.as_str(),
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 all done; 1 it ran and something was refused; 2 it could not run.\n\
                  Every setting is a flag, a variable and a line of the settings file: see --help."
)]
pub struct Cli {
    /// Settings given as flags.
    #[command(flatten)]
    pub settings: SettingFlags,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the partner API until told to stop (SIGTERM or Ctrl-C).
    Serve,
    /// Serve made-up companies from a fresh database, and print curl lines to try it with.
    Demo(DemoArguments),
    /// Store companies from a file, a company per line (NDJSON); `-` reads standard input.
    Import {
        /// The file.
        file: PathBuf,
    },
    /// Make and change partner applications.
    #[command(subcommand)]
    App(ApplicationCommand),
    /// Bring the database's schema up to this release; `serve` does so by itself.
    Migrate,
    /// Show every setting, with its value, where it comes from and what it does.
    Config,
    /// Print a new key, for PAYROLL_KEYS or a key file.
    Key,
}

/// How the demo is run.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Keep the database in this folder; starting again there makes a new secret.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// The port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 8080)]
    pub port: u16,
}

/// What can be done with applications. APP is an id, an API key or a name.
#[derive(Debug, Subcommand)]
pub enum ApplicationCommand {
    /// Make an application; prints its API key and its secret, this once.
    Create {
        /// Its name, which no other application has.
        name: String,
        /// Correlation ids must be unique in a pay period, not only in a request.
        #[arg(long)]
        correlation_per_pay_period: bool,
        /// Requests a minute, in place of the server's setting.
        #[arg(long, value_name = "REQUESTS", value_parser = clap::value_parser!(u32).range(1..))]
        rate_limit_per_minute: Option<u32>,
    },
    /// List all applications with their grants.
    List {
        /// As JSON, for programs.
        #[arg(long)]
        json: bool,
    },
    /// Make a new secret and print it, this once; the previous one stays valid beside it.
    Rotate {
        /// The application.
        app: String,
    },
    /// Stop an application: no tokens, and those it has are void.
    Disable {
        /// The application.
        app: String,
    },
    /// Let a stopped application go on.
    Enable {
        /// The application.
        app: String,
    },
    /// Grant scopes on a company, beside those that the application has there.
    Grant {
        /// The application.
        app: String,
        /// The company's id.
        company: String,
        /// Such as read:payroll. None: all but read:taxids.
        scopes: Vec<String>,
    },
    /// Take scopes on a company away. This stops the very next request.
    Revoke {
        /// The application.
        app: String,
        /// The company's id.
        company: String,
        /// Such as write:payroll. None: all of them.
        scopes: Vec<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_fits_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_setting_is_a_flag_before_and_behind_the_command() {
        for line in
            [["payroll-server", "--workers", "3", "serve"], ["payroll-server", "serve", "--workers", "3"]]
        {
            let cli = Cli::parse_from(line);
            assert_eq!(cli.settings.values, [("workers", "3".to_owned())]);
        }
    }

    #[test]
    fn a_secret_setting_is_no_flag() {
        assert!(Cli::try_parse_from(["payroll-server", "serve", "--keys", "a:b"]).is_err());
    }
}
