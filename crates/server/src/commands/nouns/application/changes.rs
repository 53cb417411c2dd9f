//! Converts the command-line arguments for an application's settings to documents of the operator API.

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use serde_json::{Map, Value};

use crate::failure::{Failure, Outcome};

/// The arguments of the command `app create`.
#[derive(Debug, Args)]
pub(super) struct CreateArguments {
    /// The name of the application, which must be unique.
    name: String,
    /// Require correlation ids that are unique in a pay period, not only in a request.
    #[arg(long)]
    correlation_per_pay_period: bool,
    /// The maximum number of requests per minute, in place of the server's setting.
    #[arg(long, value_name = "REQUESTS", value_parser = clap::value_parser!(u32).range(1..))]
    requests_per_minute: Option<u32>,
    /// The permissions of the application for its own webhooks.
    #[arg(long, value_enum, value_name = "ACCESS", default_value_t)]
    webhooks: WebhookAccess,
}

/// The settings of an application other than its name.
#[derive(Debug, Clone, Copy, Args)]
#[group(required = true, multiple = true)]
pub(super) struct ApplicationArguments {
    /// Correlation ids must be unique in a pay period (true) or only in a request (false).
    #[arg(long, value_name = "BOOLEAN")]
    correlation_per_pay_period: Option<bool>,
    /// The maximum number of requests per minute. 0 restores the server's setting.
    #[arg(long, value_name = "REQUESTS")]
    requests_per_minute: Option<u32>,
    /// The permissions of the application for its own webhooks.
    #[arg(long, value_enum, value_name = "ACCESS")]
    webhooks: Option<WebhookAccess>,
}

/// The permissions of an application for its own webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum WebhookAccess {
    /// The application has no access to its webhooks.
    #[default]
    None,
    /// The application can see its webhooks without changing them.
    Read,
    /// The application can see and change its webhooks.
    Write,
}

/// Returns the document that creates an application.
pub(super) fn creation_document(arguments: &ArgMatches) -> Outcome<Value> {
    let CreateArguments { name, correlation_per_pay_period, requests_per_minute, webhooks } =
        read_arguments(arguments)?;
    let changes = ApplicationArguments {
        correlation_per_pay_period: Some(correlation_per_pay_period),
        requests_per_minute,
        webhooks: Some(webhooks),
    };
    let mut application = changes.members();
    application.insert("name".to_owned(), name.into());
    Ok(application.into())
}

/// Returns the merge patch that changes an application.
pub(super) fn changes_document(arguments: &ArgMatches) -> Outcome<Value> {
    Ok(read_arguments::<ApplicationArguments>(arguments)?.members().into())
}

fn read_arguments<A: FromArgMatches>(arguments: &ArgMatches) -> Outcome<A> {
    A::from_arg_matches(arguments).map_err(|error| Failure::new(error.to_string()))
}

impl ApplicationArguments {
    /// Returns the given arguments as members of an application document. A rate limit of 0 becomes null,
    /// which restores the server's setting.
    fn members(self) -> Map<String, Value> {
        let mut members = Map::new();
        if let Some(lasts) = self.correlation_per_pay_period {
            let scope = if lasts { "payPeriod" } else { "request" };
            members.insert("correlationScope".to_owned(), scope.into());
        }
        if let Some(limit) = self.requests_per_minute {
            let limit = Some(limit).filter(|limit| *limit > 0);
            members.insert("rateLimitPerMinute".to_owned(), limit.into());
        }
        if let Some(webhooks) = self.webhooks {
            members.insert("webhookScopes".to_owned(), webhooks.scopes().into());
        }
        members
    }
}

impl WebhookAccess {
    /// Returns the scopes that this level of access to webhooks grants.
    fn scopes(self) -> Vec<&'static str> {
        match self {
            Self::None => Vec::new(),
            Self::Read => vec!["read:webhooks"],
            Self::Write => vec!["read:webhooks", "write:webhooks"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn changes_only_given_members_and_removes_the_limit_with_0() {
        let changes = ApplicationArguments {
            correlation_per_pay_period: None,
            requests_per_minute: Some(0),
            webhooks: None,
        };
        assert_eq!(Value::from(changes.members()), json!({"rateLimitPerMinute": null}));
    }
}
