//! The definition of the command line. The module `commands` implements the commands.

mod backup;
mod completions;
mod copy;
mod doctor;
mod export;
mod import;
mod listen;
mod mcp;
mod operator;
mod port;
mod restore;

use port::parse_port;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args, Parser, Subcommand};
use payroll_adapter_db::MAX_PARTITIONS;

pub use backup::BackupArguments;
pub use completions::CompletionShell;
pub use copy::{CopiedAmounts, CopyArguments};
pub use doctor::DoctorArguments;
pub use export::ExportArguments;
pub use import::{CsvKind, ImportArguments};
pub use listen::{ListenArguments, RegistrationArguments};
pub use mcp::McpArguments;
pub use operator::OperatorOptions;
pub use restore::RestoreArguments;

use crate::commands::OperatorCommand;
use crate::config::SettingFlags;
use crate::demo_data::{MAX_COMPANIES, MAX_WORKERS};

/// The text of `--version` after the name: the release, and the schema version that the release needs.
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
    // Without this template, each option takes three lines and the commands do not fit on a screen.
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\nCommands:\n{subcommands}\n\n\
        Options: --config <FILE>, settings in TOML [also: PAYROLL_CONFIG]; -h, --help; -V, --version{after-help}",
    after_help = "Exit codes: 0 success; 1 something was rejected; 2 the command could not run.\n\
        Each setting is a flag, an environment variable and a line of the settings file: payroll-server \
        help settings"
)]
pub struct Cli {
    /// Settings given as flags.
    #[command(flatten)]
    pub settings: SettingFlags,
    /// The command and its arguments.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands of this program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server for partners and operators until SIGTERM or Ctrl-C.
    #[command(
        after_help = "Every setting is also a flag of this command. `payroll-server help settings` lists them."
    )]
    Serve(ServeArguments),
    /// Run a sandbox with fictional companies, and print curl commands to try it.
    Demo(DemoArguments),
    /// Receive, verify and print notifications on this machine, to develop a webhook receiver.
    Listen(ListenArguments),
    /// Offer the operations of a running server as tools to AI agents, by the Model Context Protocol on
    /// standard input and output.
    Mcp(McpArguments),
    /// Store companies from an NDJSON file, or workers, pay rates or checks from a CSV file.
    Import(ImportArguments),
    /// Write complete companies to a file that `import` reads. The file is the last argument, `-` is standard
    /// output.
    Export(ExportArguments),
    /// The operator commands, which `commands/table.rs` declares.
    #[command(flatten)]
    Operator(OperatorCommand),
    /// The commands for the database and the settings.
    #[command(flatten)]
    Upkeep(UpkeepCommand),
    /// Print completions of this command line for a shell.
    Completions {
        /// The shell to complete for.
        shell: CompletionShell,
    },
    /// Write the manual pages of all commands and of the settings into a folder.
    Man {
        /// The folder for the manual pages. It is created if it does not exist.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

impl Command {
    /// Returns the options of an operator command. `None` for other commands.
    pub(crate) const fn operator_options(&self) -> Option<&OperatorOptions> {
        match self {
            Self::Operator(command) => Some(&command.options),
            Self::Import(arguments) => Some(&arguments.how),
            Self::Export(arguments) => Some(&arguments.how),
            Self::Serve(_)
            | Self::Demo(_)
            | Self::Listen(_)
            | Self::Mcp(_)
            | Self::Upkeep(_)
            | Self::Completions { .. }
            | Self::Man { .. } => None,
        }
    }
}

/// The commands for the database and the settings.
#[derive(Debug, Subcommand)]
pub enum UpkeepCommand {
    /// Back up the embedded (SQLite) database to a file, even while a server uses it.
    Backup(BackupArguments),
    /// Replace the embedded database with a backup. Stop its server first.
    Restore(RestoreArguments),
    /// Copy an embedded database to an empty PostgreSQL database, or create an anonymised copy of any
    /// database for tests.
    Copy(CopyArguments),
    /// Check the settings, storage, keys and network, and change nothing.
    Doctor(DoctorArguments),
    /// Check whether the server with these settings is ready, for the health check of a container. Exit code
    /// 0 if the server is ready, otherwise 1.
    Health,
    /// Migrate the database's schema to this release. `serve` does this automatically.
    Migrate(MigrateArguments),
    /// Distribute the tables of a PostgreSQL database over the nodes of its Citus cluster, by company. Stop
    /// all servers of the database first.
    Distribute(DistributeArguments),
    /// Divide the table of checks in a PostgreSQL database into partitions, by company. Requests about
    /// checks wait until the command ends.
    Partition(PartitionArguments),
    /// Show every setting with its value, its source and its description.
    #[command(visible_alias = "settings", after_long_help = crate::config::settings_help())]
    Config,
    /// Print a new key for PAYROLL_KEYS or a key file, or rotate or revoke keys.
    Key {
        /// The subcommand. If it is absent, the command prints a new key and changes nothing.
        #[command(subcommand)]
        command: Option<KeyCommand>,
    },
}

/// The subcommands for keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Create a key, make it the active key, and encrypt all data again with it. The server can run
    /// meanwhile.
    Rotate,
    /// Re-encrypt the data of older keys with the first key, or continue an interrupted rotation.
    Reseal,
    /// Revoke a key immediately, for example after a leak. Tokens signed with the key are rejected, and
    /// its data is re-encrypted with another key.
    Revoke {
        /// The id of the key, which is the part of the key before the colon.
        key_id: String,
    },
}

/// The arguments of the command `serve`.
#[derive(Debug, Clone, Copy, Args)]
pub struct ServeArguments {
    /// Create a new embedded database if the database is missing but its key file exists. The new database
    /// uses these keys.
    #[arg(long)]
    pub create: bool,
}

/// The arguments of the command `migrate`.
#[derive(Debug, Clone, Copy, Args)]
pub struct MigrateArguments {
    /// Create the embedded database and its keys if there is no database.
    #[arg(long)]
    pub create: bool,
}

/// The arguments of the command `distribute`.
#[derive(Debug, Clone, Copy, Args)]
pub struct DistributeArguments {
    /// The number of shards of each table, which cannot be changed later. Choose several times the number
    /// of nodes that you will ever use.
    /// Default: the setting of Citus, 32.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SHARDS)))]
    pub shards: Option<u32>,
}

/// The arguments of the command `partition`.
#[derive(Debug, Clone, Copy, Args)]
pub struct PartitionArguments {
    /// The number of partitions. Choose several times the number of processor cores of the database's
    /// machine. 1 restores a single table.
    #[arg(value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PARTITIONS)))]
    pub count: u32,
}

/// The maximum number of shards. Each distributed table has one database table for each shard, so this
/// maximum means about twenty thousand database tables.
const MAX_SHARDS: u32 = 1_024;

/// The arguments of the command `demo`.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Keep the database in this folder for the next start. Each start creates a new client secret.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// The port of the partner listener on 127.0.0.1. 0 selects a free port.
    #[arg(long, default_value_t = 8080, value_parser = parse_port)]
    pub port: u16,
    /// The port of the operator listener on 127.0.0.1. Default: the next port if it is free, otherwise any
    /// free port.
    #[arg(long, value_name = "PORT", value_parser = parse_port)]
    pub operator_port: Option<u16>,
    /// The seed for additional companies. The same seed creates the same companies.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "companies")]
    pub seed: u64,
    /// Create this number of additional companies.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_COMPANIES)))]
    pub companies: Option<u32>,
    /// The number of workers in each additional company.
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_WORKERS_PER_COMPANY, requires = "companies",
        value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_WORKERS)))]
    pub workers_per_company: u32,
}

/// The default number of workers of a generated company, as in a small business.
const DEFAULT_WORKERS_PER_COMPANY: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The number of lines of a terminal window on a small screen.
    const SCREEN_LINES: usize = 64;

    #[test]
    fn help_fits_a_screen_and_refers_to_the_settings_help() {
        for help in [Cli::command().render_help(), Cli::command().render_long_help()] {
            let help = help.to_string();
            assert!(help.lines().count() <= SCREEN_LINES, "{help}");
            assert!(
                help.contains("payroll-server help settings") && !help.contains("--database-url"),
                "{help}"
            );
        }
        let import = Cli::try_parse_from(["payroll-server", "import", "--help"]).unwrap_err().to_string();
        assert!(import.lines().count() <= SCREEN_LINES && import.contains("--template"), "{import}");
        let settings = Cli::try_parse_from(["payroll-server", "help", "settings"]).unwrap_err().to_string();
        for row in crate::config::ROWS {
            let (variable, flag) = (row.name.to_uppercase(), row.name.replace('_', "-"));
            assert!(settings.contains(&format!("PAYROLL_{variable}, {} [", row.name)), "{variable}");
            assert_eq!(settings.contains(&format!("--{flag}, ")), !row.secret, "{flag}");
        }
    }

    #[test]
    fn every_command_has_a_distinct_help_text() {
        fn command_words(command: &clap::Command) -> Vec<String> {
            let own = command.get_about().map(ToString::to_string).unwrap_or_default();
            command.get_subcommands().flat_map(command_words).chain([own]).collect()
        }
        let mut all = command_words(&Cli::command());
        let count = all.len();
        all.sort();
        all.dedup();
        assert!(all.len() == count && count > 90 && !all.contains(&String::new()), "{all:#?}");
    }

    #[test]
    fn every_command_example_is_valid() {
        for noun in Cli::command().get_subcommands_mut() {
            let help = noun.render_help().to_string();
            let Some((_, example)) = help.split_once("Example:\n") else { continue };
            // The example is split as in a shell: at blanks outside of quotation marks. The quotation marks
            // are then removed.
            let mut quoted = false;
            let words = example.trim().split(|letter| {
                quoted ^= letter == '\'';
                letter == ' ' && !quoted
            });
            let words = words.map(|word| word.replace('\'', ""));
            assert!(Cli::try_parse_from(words).is_ok(), "{example}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Returns the names of all arguments of a command and its subcommands, without the inherited settings.
    fn own_argument_ids(command: &clap::Command) -> Vec<String> {
        let own = command.get_arguments().map(|argument| argument.get_id().to_string());
        own.chain(command.get_subcommands().flat_map(own_argument_ids)).collect()
    }

    /// If a command had an argument with the id of a setting, one would replace the other, with a value of
    /// another type.
    #[test]
    fn no_command_argument_is_named_like_a_setting() {
        let command = Cli::command();
        let own: Vec<_> = command.get_subcommands().flat_map(own_argument_ids).collect();
        assert!(own.len() > 50, "{own:?}");
        for row in crate::config::ROWS {
            assert!(!own.iter().any(|name| name == row.name), "{}", row.name);
        }
    }

    #[test]
    fn accepts_options_before_and_after_the_verb() {
        for line in ["company --url http://x --json list", "company list --url http://x --json"] {
            let cli = Cli::parse_from(["payroll-server"].into_iter().chain(line.split(' ')));
            let how = cli.command.operator_options().unwrap();
            assert_eq!((how.url.as_deref(), how.json), (Some("http://x"), true), "{line}");
        }
    }

    #[test]
    fn rejects_invalid_combinations_of_arguments() {
        for line in [
            "company end-date A",
            "company end-date A 2027-01-31 --clear",
            "app set A",
            "app create A --requests-per-minute 0",
            "company list --operator-key opk_secret",
            "completions tcsh",
            "hook replay A H",
            "hook replay A H D --failed",
            "hook deliveries A H D --state RETRYING",
            "serve --url http://x",
            "worker create A",
            "worker list A W",
            "worker change A W",
            "rate show A W",
        ] {
            assert!(
                Cli::try_parse_from(["payroll-server"].into_iter().chain(line.split(' '))).is_err(),
                "{line}"
            );
        }
    }

    #[test]
    fn accepts_a_setting_before_and_after_the_command() {
        for line in
            [["payroll-server", "--workers", "3", "serve"], ["payroll-server", "serve", "--workers", "3"]]
        {
            let cli = Cli::parse_from(line);
            assert_eq!(cli.settings.values, [("workers", "3".to_owned())]);
        }
    }

    #[test]
    fn a_secret_setting_has_no_flag() {
        assert!(Cli::try_parse_from(["payroll-server", "serve", "--keys", "a:b"]).is_err());
    }
}
