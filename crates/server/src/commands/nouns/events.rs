//! `events`: prints the event feed once, or continuously with `--follow`.

use std::time::Duration;

use clap::Args;
use futures_util::FutureExt;
use serde_json::Value;

use crate::commands::context::OperatorCommandContext;
use crate::commands::table::{
    CommandNoun, CommandRow, CustomCommand, Invocation, TableColumn, column_heads, row_cells,
};
use crate::failure::Outcome;
use crate::operator::{OperatorResponse, Request, path};
use crate::terminal::{Table, TextTone};

/// The pause of `--follow` between two requests. This pause is short for a person, and causes little load on
/// the server.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

pub(in crate::commands) const EVENTS: CommandNoun = CommandNoun {
    name: "events",
    about: "Show the events, which are the records of changes, the oldest first",
    extra_help: "",
    example: "events --company EXAMPLE-1 --follow",
    rows: &[&[CommandRow::list("", "", "events", EVENT_COLUMNS).with_parameters(&[]).with_custom_command(
        CustomCommand {
            arguments: EventsArguments::augment_args,
            run: |session, call| list_events(session, call).boxed_local(),
        },
    )]],
};

const EVENT_COLUMNS: &[TableColumn] = &[
    TableColumn::value("TIME", "/asOfDate"),
    TableColumn::value("DOMAIN", "/domain").with_tone(TextTone::Head),
    TableColumn::value("ACTION", "/action"),
    TableColumn::value("COMPANY", "/companyId"),
    TableColumn::value("WORKER", "/workerId"),
    TableColumn::value("PERIOD", "/payperiodId"),
];

/// The arguments of the command `events`.
#[derive(Debug, Args)]
struct EventsArguments {
    /// Show only events after this cursor, which the previous call printed as `Next page`. Default: from the
    /// oldest event.
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// Continue with new events until Ctrl-C. With --json, print one event per line.
    #[arg(long)]
    follow: bool,
    /// Show only events about this company.
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Show only events of this event domain, such as WRKR_DEM.
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    /// The maximum number of events that the command shows in one call.
    #[arg(long, value_name = "COUNT")]
    limit: Option<u32>,
}

async fn list_events(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let mut arguments: EventsArguments = call.read()?;
    if arguments.follow {
        let ended = tokio::select! {
            ended = follow_events(session, &mut arguments) => ended,
            _ = tokio::signal::ctrl_c() => Ok(()),
        };
        // The cursor is printed even after an error. The user can then continue from this cursor without
        // missing an event.
        print_cursor(session, arguments.after.as_deref())?;
        return ended;
    }
    let response = fetch_page(session, &arguments).await?;
    if session.output.is_json() {
        return session.output.print_document(response.body());
    }
    let events = response.content()?;
    if events.is_empty() {
        session.output.print_line("Nothing was found.")?;
    } else {
        session.output.print_table(&event_table(&events, true))?;
    }
    print_cursor(session, next_cursor(&response)?.as_deref())
}

async fn follow_events(session: &mut OperatorCommandContext<'_>, arguments: &mut EventsArguments) -> Outcome {
    let mut first = true;
    loop {
        let response = fetch_page(session, arguments).await?;
        let events = response.content()?;
        if session.output.is_json() {
            events
                .iter()
                .try_for_each(|event| session.output.print_document(event.to_string().as_bytes()))?;
        } else if !events.is_empty() {
            session.output.print_table(&event_table(&events, first))?;
            first = false;
        }
        arguments.after = next_cursor(&response)?.or_else(|| arguments.after.take());
        if events.is_empty() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

async fn fetch_page(
    session: &OperatorCommandContext<'_>,
    arguments: &EventsArguments,
) -> Outcome<OperatorResponse> {
    let feed = path(&["events"])
        .with_query("after", arguments.after.as_deref())
        .with_query("companyid", arguments.company.as_deref())
        .with_query("domain", arguments.domain.as_deref())
        .with_query("limit", arguments.limit);
    session.operator.send(Request::get(feed)).await
}

fn print_cursor(session: &OperatorCommandContext<'_>, cursor: Option<&str>) -> Outcome {
    match cursor {
        Some(cursor) => session.print_message(format_args!("Next page: --after {cursor}")),
        None => Ok(()),
    }
}

/// Returns the cursor after which the feed continues.
fn next_cursor(response: &OperatorResponse) -> Outcome<Option<String>> {
    response.link_parameter("next", "after")
}

fn event_table(events: &[Value], with_head: bool) -> Table {
    let mut table = if with_head { Table::new(&column_heads(EVENT_COLUMNS)) } else { Table::default() };
    events.iter().for_each(|event| table.add_row(row_cells(EVENT_COLUMNS, event)));
    table
}
