//! `events`: the feed, once or as it comes.

use std::time::Duration;

use serde_json::Value;

use super::context::Session;
use super::output::text;
use crate::cli::EventsArguments;
use crate::failure::Outcome;
use crate::operator::{Answer, Request, path};
use crate::terminal::{Cell, Table, Tone};

/// How long `--follow` waits before it asks again: soon for a person, and little for the server.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) async fn run(mut session: Session<'_>, mut arguments: EventsArguments) -> Outcome {
    if arguments.follow {
        let ended = tokio::select! {
            ended = follow(&mut session, &mut arguments) => ended,
            _ = tokio::signal::ctrl_c() => Ok(()),
        };
        // Also when the server went away: whoever starts again misses nothing.
        tell_cursor(&session, arguments.after.as_deref())?;
        return ended;
    }
    let answer = ask(&session, &arguments).await?;
    if session.output.is_json() {
        return session.output.document(answer.body());
    }
    let events = answer.content()?;
    if events.is_empty() {
        session.output.say("There are none.")?;
    } else {
        session.output.table(&table(&events, true))?;
    }
    tell_cursor(&session, cursor(&answer)?.as_deref())
}

async fn follow(session: &mut Session<'_>, arguments: &mut EventsArguments) -> Outcome {
    let mut first = true;
    loop {
        let answer = ask(session, arguments).await?;
        let events = answer.content()?;
        if session.output.is_json() {
            events.iter().try_for_each(|event| session.output.document(event.to_string().as_bytes()))?;
        } else if !events.is_empty() {
            session.output.table(&table(&events, first))?;
            first = false;
        }
        arguments.after = cursor(&answer)?.or_else(|| arguments.after.take());
        if events.is_empty() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn ask(session: &Session<'_>, arguments: &EventsArguments) -> Outcome<Answer> {
    let feed = path(&["events"])
        .with("after", arguments.after.as_deref())
        .with("companyid", arguments.company.as_deref())
        .with("domain", arguments.domain.as_deref())
        .with("limit", arguments.limit);
    session.operator.send(Request::get(feed)).await
}

fn tell_cursor(session: &Session<'_>, cursor: Option<&str>) -> Outcome {
    match cursor {
        Some(cursor) => session.message(format_args!("What comes next: --after {cursor}")),
        None => Ok(()),
    }
}

/// Behind what the feed goes on.
fn cursor(answer: &Answer) -> Outcome<Option<String>> {
    answer.link_parameter("next", "after")
}

fn table(events: &[Value], with_head: bool) -> Table {
    let head = ["TIME", "DOMAIN", "ACTION", "COMPANY", "WORKER", "PERIOD"];
    let mut table = if with_head { Table::new(&head) } else { Table::default() };
    for event in events {
        table.row([
            text(event, "asOfDate").into(),
            Cell::toned(text(event, "domain"), Tone::Head),
            text(event, "action").into(),
            text(event, "companyId").into(),
            text(event, "workerId").into(),
            text(event, "payperiodId").into(),
        ]);
    }
    table
}
