//! `app …`.

use clap::{Args, Subcommand, ValueEnum};

use super::Paging;

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
        requests_per_minute: Option<u32>,
        /// What it may do with its webhooks.
        #[arg(long, value_enum, value_name = "ACCESS", default_value_t)]
        webhooks: WebhookAccess,
    },
    /// List all applications.
    List {
        /// Which part of the list.
        #[command(flatten)]
        paging: Paging,
    },
    /// Show an application with its secrets, without their values, and its grants.
    Show {
        /// The application.
        app: String,
    },
    /// Give an application another name.
    Rename {
        /// The application.
        app: String,
        /// Its new name, which no other application has.
        name: String,
    },
    /// Change what is set on an application; what is not named stays.
    Set {
        /// The application.
        app: String,
        /// What is set.
        #[command(flatten)]
        changes: ApplicationChanges,
    },
    /// Delete an application with its secrets and grants. This stops the very next request.
    Delete {
        /// The application.
        app: String,
    },
    /// Show what an application has asked of late.
    Requests {
        /// The application.
        app: String,
        /// Only those that were answered with this status, such as 404, or with this class, such as 4xx.
        #[arg(long)]
        status: Option<String>,
        /// The most to show.
        #[arg(long)]
        limit: Option<u32>,
    },
    /// Drop a secret, and all tokens that were made with it. This stops the very next request.
    DropSecret {
        /// The application.
        app: String,
        /// The secret's id, as `app show` shows it. Without it: the older one of two.
        secret: Option<String>,
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

/// What can be set on an application beside its name.
#[derive(Debug, Clone, Copy, Args)]
#[group(required = true, multiple = true)]
pub struct ApplicationChanges {
    /// Correlation ids must be unique in a pay period (true) or only in a request (false).
    #[arg(long, value_name = "BOOLEAN")]
    pub correlation_per_pay_period: Option<bool>,
    /// Requests a minute; 0 goes by the server's setting.
    #[arg(long, value_name = "REQUESTS")]
    pub requests_per_minute: Option<u32>,
    /// What it may do with its webhooks.
    #[arg(long, value_enum, value_name = "ACCESS")]
    pub webhooks: Option<WebhookAccess>,
}

/// What an application may do with its own webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum WebhookAccess {
    /// Nothing.
    #[default]
    None,
    /// See them.
    Read,
    /// See and change them.
    Write,
}
