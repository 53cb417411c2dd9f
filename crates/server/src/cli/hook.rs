//! `hook …`.

use clap::{Args, Subcommand};

use super::Paging;

/// What can be done with webhooks. APP is an application's id, API key or name.
#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// List the hooks of all applications, with what waits at each.
    List {
        /// Only those of this application.
        #[arg(long, value_name = "APP")]
        app: Option<String>,
        /// Which part of the list.
        #[command(flatten)]
        paging: Paging,
    },
    /// Show what waits at all hooks together, and how many fail.
    Summary,
    /// Show a hook, and how it is doing.
    Show(HookName),
    /// Have a hook send again; what waits is due at once.
    Enable(HookName),
    /// Have a hook only collect, until it is enabled.
    Disable(HookName),
    /// Send a test notification.
    Test(HookName),
    /// Show what was sent to a hook, newest first; or one delivery with each of its attempts.
    Deliveries {
        /// The hook.
        #[command(flatten)]
        hook: HookName,
        /// One delivery, with each of its attempts.
        #[arg(conflicts_with = "DeliveriesArguments")]
        delivery: Option<String>,
        /// Which deliveries.
        #[command(flatten)]
        arguments: DeliveriesArguments,
    },
    /// Send again what was sent before; notifications keep their ids.
    #[command(override_usage = "payroll-server hook replay [OPTIONS] <APP> <HOOK> <DELIVERY>\n       \
                          payroll-server hook replay [OPTIONS] <APP> <HOOK> [--failed] [--from <INSTANT>] \
                          [--to <INSTANT>]")]
    Replay {
        /// The hook.
        #[command(flatten)]
        hook: HookName,
        /// Which deliveries.
        #[command(flatten)]
        which: ReplayArguments,
    },
}

/// Which hook is meant.
#[derive(Debug, Clone, Args)]
pub struct HookName {
    /// The application.
    pub app: String,
    /// The hook's id, as `hook list` shows it.
    pub hook: String,
}

/// Which deliveries are shown.
#[derive(Debug, Args)]
pub struct DeliveriesArguments {
    /// Only those of this state: WAITING, RETRYING, DELIVERED, CANCELLED or EXPIRED.
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// Only those of this domain, such as WRKR_DEM.
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
    /// Queued at this instant or later.
    #[arg(long, value_name = "INSTANT")]
    pub from: Option<String>,
    /// Queued before this instant.
    #[arg(long, value_name = "INSTANT")]
    pub to: Option<String>,
    /// Go on behind a page that was shown: deliveries before this cursor.
    #[arg(long, value_name = "CURSOR")]
    pub before: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<u32>,
}

/// Which deliveries are sent again.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct ReplayArguments {
    /// This one, as `hook deliveries` shows it.
    #[arg(conflicts_with_all = ["failed", "from", "to"])]
    pub delivery: Option<String>,
    /// Those that have not arrived.
    #[arg(long)]
    pub failed: bool,
    /// Those that were queued at this instant or later.
    #[arg(long, value_name = "INSTANT")]
    pub from: Option<String>,
    /// Those that were queued before this instant.
    #[arg(long, value_name = "INSTANT")]
    pub to: Option<String>,
}
