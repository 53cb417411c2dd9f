//! `hook …`: webhooks of all applications, their deliveries, and replays.

use clap::Args;
use futures_util::FutureExt;
use serde_json::{Map, Value};

use crate::commands::context::OperatorCommandContext;
use crate::commands::output::text_member;
use crate::commands::table::{
    BEFORE_PARAMETER, CommandNoun, CommandRow, CustomCommand, Invocation, LIMIT_PARAMETER, OFFSET_PARAMETER,
    Parameter, TableColumn, column_heads, row_cells,
};
use crate::failure::Outcome;
use crate::operator::{Method, Request};
use crate::terminal::{Cell, TextTone};

const HOOK_PATH: &str = "applications/{app}/hooks/{hook}";
const DELIVERIES_PATH: &str = "applications/{app}/hooks/{hook}/deliveries";

pub(in crate::commands) const HOOK: CommandNoun = CommandNoun {
    name: "hook",
    about: "List, show, enable, disable and test webhooks, and resend their notifications",
    extra_help: "APP is an application's id, API key or name.",
    example: "hook replay 'Time clock' HOOK --failed --from 2026-11-01",
    rows: &[&[
        CommandRow::list(
            "list",
            "List the hooks of all applications with the number of their queued notifications",
            "hooks",
            HOOK_COLUMNS,
        )
        .with_parameters(&[
            Parameter::query("app", "APP", "applicationid", "Show only hooks of this application"),
            OFFSET_PARAMETER,
            LIMIT_PARAMETER,
        ]),
        CommandRow::get(
            "summary",
            "Show the numbers of queued notifications and failing hooks",
            "hooks/summary",
        ),
        CommandRow::get("show", "Show a hook and its state", HOOK_PATH),
        CommandRow::send(
            Method::Post,
            "enable",
            "Enable a disabled hook, and send its queued notifications now",
            "applications/{app}/hooks/{hook}/enable",
        )
        .with_sentence("{hook} is enabled. Its queued notifications are sent now."),
        CommandRow::send(
            Method::Post,
            "disable",
            "Disable a hook. Its notifications are queued until you enable it",
            "applications/{app}/hooks/{hook}/disable",
        )
        .with_sentence("{hook} is disabled. Its notifications are queued until it is enabled."),
        CommandRow::send(
            Method::Post,
            "test",
            "Send a test notification",
            "applications/{app}/hooks/{hook}/test",
        )
        .with_sentence("A test is queued as delivery {/deliveryId}.")
        .with_step_after_response(|session, call, _| warn_if_hook_disabled(session, call).boxed_local()),
        DELIVERIES_ROW,
        CommandRow::send(
            Method::Post,
            "replay",
            "Resend notifications of a hook with their original ids",
            HOOK_PATH,
        )
        .with_custom_command(CustomCommand {
            arguments: |command| ReplayArguments::augment_args(command).override_usage(REPLAY_USAGE),
            run: |session, call| replay_deliveries(session, call).boxed_local(),
        }),
    ]],
};

const REPLAY_USAGE: &str = "payroll-server hook replay [OPTIONS] <APP> <HOOK> <DELIVERY>\n       \
     payroll-server hook replay [OPTIONS] <APP> <HOOK> [--failed] [--from <INSTANT>] [--to <INSTANT>]";

const HOOK_COLUMNS: &[TableColumn] = &[
    TableColumn::value("APPLICATION", "/applicationId"),
    TableColumn::value("HOOK", "/hookId"),
    TableColumn::computed("STATE", state_cell),
    TableColumn::value("WAITING", "/queue/waiting"),
    TableColumn::value("OLDEST", "/queue/oldestWaiting"),
    TableColumn::value("FAILING SINCE", "/queue/failingSince"),
    TableColumn::value("ADDRESS", "/uri"),
    TableColumn::value("DOMAINS", "/domains"),
];

const DELIVERIES_ROW: CommandRow = CommandRow::list(
    "deliveries",
    "List the deliveries of a hook, newest first, or show one delivery with its attempts",
    DELIVERIES_PATH,
    DELIVERY_COLUMNS,
)
.with_parameters(&[
    Parameter::query(
        "state",
        "STATE",
        "state",
        "Show only deliveries in this state: WAITING, RETRYING, DELIVERED, CANCELLED or EXPIRED",
    ),
    Parameter::query(
        "domain",
        "DOMAIN",
        "domain",
        "Show only deliveries of this event domain, such as WRKR_DEM",
    ),
    Parameter::query(
        "from",
        "INSTANT",
        "from",
        "Show only deliveries that were queued at this time or later, as yyyy-MM-ddTHH:mm:ssZ",
    ),
    Parameter::query("to", "INSTANT", "to", "Show only deliveries that were queued before this time"),
    BEFORE_PARAMETER.with_help("Show the next page, which has the deliveries before this cursor"),
    LIMIT_PARAMETER.with_help("The maximum number of rows"),
])
.with_custom_command(CustomCommand {
    arguments: DeliveryArguments::augment_args,
    run: |session, call| show_deliveries(session, call).boxed_local(),
});

const DELIVERY_COLUMNS: &[TableColumn] = &[
    TableColumn::value("QUEUED", "/queuedDate"),
    TableColumn::value("DELIVERY", "/deliveryId"),
    TableColumn::computed("STATE", delivery_state_cell),
    TableColumn::value("DOMAIN", "/domain"),
    TableColumn::value("ACTION", "/action"),
    TableColumn::value("COMPANY", "/companyId"),
    TableColumn::value("ATTEMPTS", "/attemptCount"),
    TableColumn::computed("LAST", |delivery| {
        list_attempts(delivery).last().map(attempt_outcome).unwrap_or_default().into()
    }),
    TableColumn::computed("MARKS", |delivery| delivery_flags(delivery).into()),
];

/// The argument that selects a single delivery of the log instead of a page.
#[derive(Debug, Args)]
struct DeliveryArguments {
    /// Show only this delivery, with each of its attempts.
    #[arg(conflicts_with_all = ["state", "domain", "from", "to", "before", "limit"])]
    delivery: Option<String>,
}

/// The arguments of the command `hook replay`.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct ReplayArguments {
    /// Resend only this delivery, with the id that `hook deliveries` shows.
    #[arg(conflicts_with_all = ["failed", "from", "to"])]
    delivery: Option<String>,
    /// Resend only deliveries that have not arrived.
    #[arg(long)]
    failed: bool,
    /// Resend only deliveries that were queued at this instant or later.
    #[arg(long, value_name = "INSTANT")]
    from: Option<String>,
    /// Resend only deliveries that were queued before this instant.
    #[arg(long, value_name = "INSTANT")]
    to: Option<String>,
}

/// Prints a hint if a test call or a replay was queued for a disabled hook, because the server sends such
/// deliveries only after the hook is enabled. Prints nothing with `--json`.
async fn warn_if_hook_disabled(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    if session.output.is_json() {
        return Ok(());
    }
    let hook = session.operator.send(Request::get(call.fill_path(HOOK_PATH))).await?.single_object()?;
    match is_active(&hook) {
        true => Ok(()),
        false => {
            let hook = call.required_text("hook");
            session
                .print_message(format_args!("{hook} is disabled. The delivery is sent after `hook enable`."))
        }
    }
}

/// Returns the table cell with the state of a hook: active, failing or disabled.
fn state_cell(hook: &Value) -> Cell {
    let fails = hook.get("queue").is_some_and(|queue| !text_member(queue, "failingSince").is_empty());
    match (is_active(hook), fails) {
        (true, false) => Cell::with_tone("active", TextTone::Good),
        (true, true) => Cell::with_tone("failing", TextTone::Warning),
        (false, _) => Cell::with_tone("disabled", TextTone::Off),
    }
}

fn is_active(hook: &Value) -> bool {
    hook.get("active").and_then(Value::as_bool) == Some(true)
}

async fn show_deliveries(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let DeliveryArguments { delivery } = call.read()?;
    if let Some(delivery) = delivery {
        let one = call.fill_path(DELIVERIES_PATH).join(&delivery);
        let response = session.operator.send(Request::get(one)).await?;
        return session.output.print_object(&response);
    }
    let response = session.operator.send(Request::get(DELIVERIES_ROW.request_path(call))).await?;
    session.output.print_list(&response, &column_heads(DELIVERY_COLUMNS), |delivery| {
        row_cells(DELIVERY_COLUMNS, delivery)
    })?;
    session.print_older_page_hint(&response)
}

fn delivery_state_cell(delivery: &Value) -> Cell {
    let state = text_member(delivery, "state");
    let tone = match state {
        "DELIVERED" => TextTone::Good,
        "RETRYING" => TextTone::Warning,
        "CANCELLED" | "EXPIRED" => TextTone::Off,
        _ => TextTone::Plain,
    };
    Cell::with_tone(state, tone)
}

fn list_attempts(delivery: &Value) -> impl DoubleEndedIterator<Item = &Value> {
    delivery.get("attempts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter()
}

/// Returns the result of an attempt: the HTTP status, the error, or both.
fn attempt_outcome(attempt: &Value) -> String {
    let status = attempt.get("status").filter(|status| status.is_number()).map(Value::to_string);
    let parts = [status.unwrap_or_default(), text_member(attempt, "error").to_owned()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the words `test` and `replayed`, each only if it applies to the delivery.
fn delivery_flags(delivery: &Value) -> String {
    let is = |member: &&str| delivery.get(*member).and_then(Value::as_bool) == Some(true);
    ["test", "replayed"].into_iter().filter(|member| is(member)).collect::<Vec<_>>().join(" ")
}

async fn replay_deliveries(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let which: ReplayArguments = call.read()?;
    if let Some(delivery) = &which.delivery {
        let one = call.fill_path(DELIVERIES_PATH).join(delivery).join("replay");
        let response = session.operator.send(Request::new(Method::Post, one)).await?;
        session.output.print_result(&response, format_args!("Delivery {delivery} is queued again."))?;
        return warn_if_hook_disabled(session, call).await;
    }
    // The server stops each request after some seconds and returns a cursor, with which the next request
    // continues. With `--json`, each response is printed as a separate document.
    let mut document = which.document();
    let mut replayed = 0;
    loop {
        let request = Request::new(Method::Post, call.fill_path(HOOK_PATH).join("replay"));
        let response = session.operator.send(request.json(&document.clone().into())).await?;
        if session.output.is_json() {
            session.output.print_document(response.body())?;
        }
        let reported = response.single_object()?;
        replayed += reported.get("replayed").and_then(Value::as_u64).unwrap_or_default();
        match text_member(&reported, "next") {
            "" => break,
            next => document.insert("after".to_owned(), next.into()),
        };
    }
    if session.output.is_json() {
        return Ok(());
    }
    session.output.print_line(format_args!("Queued again: {replayed}."))?;
    if replayed > 0 { warn_if_hook_disabled(session, call).await } else { Ok(()) }
}

impl ReplayArguments {
    /// Returns the given arguments as the document of a request.
    fn document(&self) -> Map<String, Value> {
        let mut members = Map::new();
        if self.failed {
            members.insert("failed".to_owned(), true.into());
        }
        for (name, instant) in [("from", &self.from), ("to", &self.to)] {
            members.extend(instant.as_ref().map(|instant| (name.to_owned(), instant.as_str().into())));
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shows_the_status_and_the_error_of_an_attempt() {
        assert_eq!(attempt_outcome(&json!({"status": 204})), "204");
        assert_eq!(attempt_outcome(&json!({"status": 500, "error": "STATUS"})), "500 STATUS");
        assert_eq!(attempt_outcome(&json!({"error": "DNS"})), "DNS");
    }

    #[test]
    fn test_and_replayed_deliveries_are_marked() {
        assert_eq!(delivery_flags(&json!({"test": true, "replayed": true})), "test replayed");
        assert_eq!(delivery_flags(&json!({"test": false, "replayed": false})), "");
    }

    #[test]
    fn shows_an_inactive_hook_as_disabled() {
        let hook = |active, failing: Option<&str>| json!({"active": active, "queue": {"waiting": 1, "failingSince": failing}});
        let shown = |hook: Value| state_cell(&hook);
        assert_eq!(shown(hook(true, None)), Cell::with_tone("active", TextTone::Good));
        assert_eq!(shown(hook(true, Some("2026"))), Cell::with_tone("failing", TextTone::Warning));
        assert_eq!(shown(hook(false, Some("2026"))), Cell::with_tone("disabled", TextTone::Off));
    }
}
