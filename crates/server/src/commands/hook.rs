//! `hook …`: webhooks of all applications, what was sent to them, and sending it again.

use std::fmt::Display;

use serde_json::{Map, Value};

use super::application;
use super::context::Session;
use super::output::text;
use crate::cli::{DeliveriesArguments, HookCommand, HookName, Paging, ReplayArguments};
use crate::failure::Outcome;
use crate::operator::{Answer, Method, Path, Request, path};
use crate::terminal::{Cell, Tone};

pub(super) async fn run(mut session: Session<'_>, command: HookCommand) -> Outcome {
    let session = &mut session;
    match command {
        HookCommand::List { app, paging } => list(session, app.as_deref(), &paging).await,
        HookCommand::Summary => {
            let answer = session.operator.send(Request::get(path(&["hooks", "summary"]))).await?;
            session.output.one(&answer)
        }
        HookCommand::Show(name) => {
            let hook = Hook::find(session, name).await?;
            let answer = session.operator.send(Request::get(hook.path(&[]))).await?;
            session.output.one(&answer)
        }
        HookCommand::Enable(name) => {
            let done = format!("{} sends again; what waits at it is due now.", name.hook);
            Hook::find(session, name).await?.post(session, &["enable"], done).await
        }
        HookCommand::Disable(name) => {
            let done = format!("{} sends nothing until it is enabled; it goes on collecting.", name.hook);
            Hook::find(session, name).await?.post(session, &["disable"], done).await
        }
        HookCommand::Test(name) => test(session, name).await,
        HookCommand::Deliveries { hook, delivery, arguments } => {
            let hook = Hook::find(session, hook).await?;
            match delivery {
                Some(delivery) => one_delivery(session, &hook, &delivery).await,
                None => deliveries(session, &hook, arguments).await,
            }
        }
        HookCommand::Replay { hook, which } => {
            let hook = Hook::find(session, hook).await?;
            replay(session, &hook, which).await
        }
    }
}

/// A hook of an application that was found.
struct Hook {
    application: Value,
    id: String,
}

impl Hook {
    /// # Errors
    /// There is no such application. Whether there is the hook is left to the request.
    async fn find(session: &Session<'_>, name: HookName) -> Outcome<Self> {
        let application = application::find(&session.operator, &name.app).await?;
        Ok(Self { application, id: name.hook })
    }

    fn path(&self, below: &[&str]) -> Path {
        let hook = ["applications", text(&self.application, "applicationId"), "hooks", self.id.as_str()];
        path(&[&hook, below].concat())
    }

    /// Tells a person who has something sent that nothing is sent at the moment.
    async fn tell_when_held(&self, session: &Session<'_>) -> Outcome {
        if session.output.is_json() {
            return Ok(());
        }
        let hook = session.operator.send(Request::get(self.path(&[]))).await?.one()?;
        match is_active(&hook) {
            true => Ok(()),
            false => session.message(format_args!("{} is disabled: it waits until `hook enable`.", self.id)),
        }
    }

    async fn post(&self, session: &mut Session<'_>, below: &[&str], done: impl Display) -> Outcome {
        let answer = session.operator.send(Request::new(Method::Post, self.path(below))).await?;
        session.output.done(&answer, done)
    }
}

async fn list(session: &mut Session<'_>, app: Option<&str>, paging: &Paging) -> Outcome {
    let application = match app {
        Some(app) => Some(application::find(&session.operator, app).await?),
        None => None,
    };
    let of = application.as_ref().map(|application| text(application, "applicationId"));
    let hooks = path(&["hooks"]).with("applicationid", of).page(paging);
    let answer = session.operator.send(Request::get(hooks)).await?;
    let head = ["APPLICATION", "HOOK", "STATE", "WAITING", "OLDEST", "FAILING SINCE", "ADDRESS", "DOMAINS"];
    session.output.list(&answer, head, |hook| {
        [
            text(hook, "applicationId").into(),
            text(hook, "hookId").into(),
            state(hook),
            queue(hook).map(|queue| number(queue, "waiting")).unwrap_or_default().into(),
            queue(hook).map_or("", |queue| text(queue, "oldestWaiting")).into(),
            queue(hook).map_or("", |queue| text(queue, "failingSince")).into(),
            text(hook, "uri").into(),
            words(hook, "domains").into(),
        ]
    })
}

/// Whether a hook sends, and whether it gets anything there.
fn state(hook: &Value) -> Cell {
    let fails = queue(hook).is_some_and(|queue| !text(queue, "failingSince").is_empty());
    match (is_active(hook), fails) {
        (true, false) => Cell::toned("active", Tone::Good),
        (true, true) => Cell::toned("failing", Tone::Warning),
        (false, _) => Cell::toned("disabled", Tone::Off),
    }
}

fn is_active(hook: &Value) -> bool {
    hook.get("active").and_then(Value::as_bool) == Some(true)
}

fn queue(hook: &Value) -> Option<&Value> {
    hook.get("queue")
}

/// A number member of an object; empty where there is none.
fn number(object: &Value, member: &str) -> String {
    object.get(member).filter(|value| value.is_number()).map(Value::to_string).unwrap_or_default()
}

/// The words of a list, side by side.
fn words(object: &Value, member: &str) -> String {
    let words = object.get(member).and_then(Value::as_array).into_iter().flatten();
    words.filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

async fn test(session: &mut Session<'_>, name: HookName) -> Outcome {
    let hook = Hook::find(session, name).await?;
    let answer = session.operator.send(Request::new(Method::Post, hook.path(&["test"]))).await?;
    let delivery = answer.one()?;
    let done = format!("A test is queued as delivery {}.", text(&delivery, "deliveryId"));
    session.output.done(&answer, done)?;
    hook.tell_when_held(session).await
}

async fn deliveries(session: &mut Session<'_>, hook: &Hook, asked: DeliveriesArguments) -> Outcome {
    let log = hook
        .path(&["deliveries"])
        .with("state", asked.state)
        .with("domain", asked.domain)
        .with("from", asked.from)
        .with("to", asked.to)
        .with("before", asked.before)
        .with("limit", asked.limit);
    let answer = session.operator.send(Request::get(log)).await?;
    let head = ["QUEUED", "DELIVERY", "STATE", "DOMAIN", "ACTION", "COMPANY", "ATTEMPTS", "LAST", "MARKS"];
    session.output.list(&answer, head, |delivery| {
        [
            text(delivery, "queuedDate").into(),
            text(delivery, "deliveryId").into(),
            delivery_state(delivery),
            text(delivery, "domain").into(),
            text(delivery, "action").into(),
            text(delivery, "companyId").into(),
            number(delivery, "attemptCount").into(),
            attempts(delivery).last().map(outcome).unwrap_or_default().into(),
            marks(delivery).into(),
        ]
    })?;
    tell_older(session, &answer)
}

fn tell_older(session: &Session<'_>, answer: &Answer) -> Outcome {
    match answer.link_parameter("next", "before")? {
        Some(before) if !session.output.is_json() => {
            session.message(format_args!("Older ones: --before {before}"))
        }
        Some(_) | None => Ok(()),
    }
}

fn delivery_state(delivery: &Value) -> Cell {
    let state = text(delivery, "state");
    let tone = match state {
        "DELIVERED" => Tone::Good,
        "RETRYING" => Tone::Warning,
        "CANCELLED" | "EXPIRED" => Tone::Off,
        _ => Tone::Plain,
    };
    Cell::toned(state, tone)
}

fn attempts(delivery: &Value) -> impl DoubleEndedIterator<Item = &Value> {
    delivery.get("attempts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default().iter()
}

/// What an attempt came to: the status, what was wrong, or both.
fn outcome(attempt: &Value) -> String {
    let parts = [number(attempt, "status"), text(attempt, "error").to_owned()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What is particular about a delivery.
fn marks(delivery: &Value) -> String {
    let is = |member: &&str| delivery.get(*member).and_then(Value::as_bool) == Some(true);
    ["test", "replayed"].into_iter().filter(|member| is(member)).collect::<Vec<_>>().join(" ")
}

async fn one_delivery(session: &mut Session<'_>, hook: &Hook, delivery: &str) -> Outcome {
    let answer = session.operator.send(Request::get(hook.path(&["deliveries", delivery]))).await?;
    session.output.one(&answer)
}

async fn replay(session: &mut Session<'_>, hook: &Hook, which: ReplayArguments) -> Outcome {
    if let Some(delivery) = &which.delivery {
        let done = format!("Delivery {delivery} is queued again.");
        hook.post(session, &["deliveries", delivery, "replay"], done).await?;
        return hook.tell_when_held(session).await;
    }
    // The server answers within seconds and says where to go on; each answer is a document.
    let mut document = which.document();
    let mut replayed = 0;
    loop {
        let request = Request::new(Method::Post, hook.path(&["replay"])).json(&document.clone().into());
        let answer = session.operator.send(request).await?;
        if session.output.is_json() {
            session.output.document(answer.body())?;
        }
        let told = answer.one()?;
        replayed += told.get("replayed").and_then(Value::as_u64).unwrap_or_default();
        match text(&told, "next") {
            "" => break,
            next => document.insert("after".to_owned(), next.into()),
        };
    }
    if session.output.is_json() {
        return Ok(());
    }
    session.output.say(format_args!("Queued again: {replayed}."))?;
    if replayed > 0 { hook.tell_when_held(session).await } else { Ok(()) }
}

impl ReplayArguments {
    /// What was named, as a document.
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
    fn the_outcome_of_an_attempt_is_its_status_and_what_was_wrong() {
        assert_eq!(outcome(&json!({"status": 204})), "204");
        assert_eq!(outcome(&json!({"status": 500, "error": "STATUS"})), "500 STATUS");
        assert_eq!(outcome(&json!({"error": "DNS"})), "DNS");
    }

    #[test]
    fn tests_and_replays_are_marked() {
        assert_eq!(marks(&json!({"test": true, "replayed": true})), "test replayed");
        assert_eq!(marks(&json!({"test": false, "replayed": false})), "");
    }

    #[test]
    fn a_hook_that_is_not_active_is_disabled_whether_or_not_it_failed() {
        let hook = |active, failing: Option<&str>| json!({"active": active, "queue": {"waiting": 1, "failingSince": failing}});
        let shown = |hook: Value| state(&hook);
        assert_eq!(shown(hook(true, None)), Cell::toned("active", Tone::Good));
        assert_eq!(shown(hook(true, Some("2026"))), Cell::toned("failing", Tone::Warning));
        assert_eq!(shown(hook(false, Some("2026"))), Cell::toned("disabled", Tone::Off));
    }
}
