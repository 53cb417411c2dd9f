//! `company …`: what is stored of companies, who holds them, and when partners lose them.

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

use super::context::Session;
use super::output::{day, text};
use crate::cli::{CompanyCommand, Paging};
use crate::failure::Outcome;
use crate::operator::{Answer, MERGE_PATCH, Method, Path, Request, path};
use crate::terminal::{Cell, Tone, plain};

/// Locks that are asked for at the same time: enough to wait for the network once, and little for a server
/// that others use as well.
const LOCKS_AT_ONCE: usize = 8;

pub(super) async fn run(mut session: Session<'_>, command: CompanyCommand) -> Outcome {
    match command {
        CompanyCommand::List { displayid, paging } => list(&mut session, displayid, &paging).await,
        CompanyCommand::Show { company } => show(&mut session, &company).await,
        CompanyCommand::Lock { company, reason, until } => {
            lock(&mut session, &company, json!({"reason": reason, "expiresDate": until})).await
        }
        CompanyCommand::Unlock { company } => unlock(&mut session, &company).await,
        // What is cleared is null in a merge patch, and so is no date.
        CompanyCommand::EndDate { company, date, clear: _ } => {
            set_end_date(&mut session, &company, date).await
        }
    }
}

async fn list(session: &mut Session<'_>, displayid: Option<String>, paging: &Paging) -> Outcome {
    let companies = path(&["companies"]).with("displayid", displayid).page(paging);
    let answer = session.operator.send(Request::get(companies)).await?;
    let holders = if session.output.is_json() { Vec::new() } else { holders(session, &answer).await? };
    let head = ["COMPANY", "DISPLAY ID", "LEGAL NAME", "END DATE", "STATE", "HELD BY"];
    let mut holders = holders.into_iter();
    session.output.list(&answer, head, |company| {
        let converting = company.get("converting").and_then(Value::as_bool) == Some(true);
        [
            text(company, "companyId").into(),
            text(company, "displayId").into(),
            text(company, "legalName").into(),
            Cell::toned(day(company, "endDate"), Tone::Off),
            Cell::toned(if converting { "converting" } else { "" }, Tone::Warning),
            Cell::toned(holders.next().unwrap_or_default(), Tone::Warning),
        ]
    })
}

/// Who holds each of the listed companies; nothing where nobody does.
async fn holders(session: &Session<'_>, listed: &Answer) -> Outcome<Vec<String>> {
    let companies = listed.content()?;
    let holder = async |company: Value| -> Outcome<String> {
        let lock = session.operator.find(Request::get(lock_of(text(&company, "companyId")))).await?;
        lock.map_or(Ok(String::new()), |lock| Ok(holder(&lock.one()?)))
    };
    stream::iter(companies).map(holder).buffered(LOCKS_AT_ONCE).try_collect().await
}

/// Who holds a company, and why, in a cell of a table.
fn holder(lock: &Value) -> String {
    let period = text(lock, "payPeriodId");
    if !period.is_empty() {
        return format!("pay period {period}");
    }
    let why = lock.get("reason").map(|_| format!(": {}", text(lock, "reason"))).unwrap_or_default();
    format!("{}{why}", text(lock, "holder"))
}

async fn show(session: &mut Session<'_>, company: &str) -> Outcome {
    let answer = session.operator.send(Request::get(of(company))).await?;
    session.output.one(&answer)?;
    if session.output.is_json() {
        return Ok(());
    }
    match session.operator.find(Request::get(lock_of(company))).await? {
        Some(lock) => session.output.say(held(&lock.one()?)),
        None => session.output.say("Nobody holds it."),
    }
}

/// Who holds a company, in a sentence.
fn held(lock: &Value) -> String {
    let period = text(lock, "payPeriodId");
    if !period.is_empty() {
        return format!("It is held by pay period {}, which is in PROCESSING.", plain(period));
    }
    let [why, until] = [("reason", ": "), ("expiresDate", ", until ")].map(|(name, before)| {
        lock.get(name).map(|_| format!("{before}{}", text(lock, name))).unwrap_or_default()
    });
    plain(&format!("It is locked by {}{until}{why}.", text(lock, "holder")))
}

async fn lock(session: &mut Session<'_>, company: &str, lock: Value) -> Outcome {
    let request = Request::new(Method::Put, lock_of(company)).json(&lock);
    let answer = session.operator.send(request).await?;
    session.output.done(&answer, format_args!("Company {company} is locked."))
}

async fn unlock(session: &mut Session<'_>, company: &str) -> Outcome {
    let answer = session.operator.send(Request::new(Method::Delete, lock_of(company))).await?;
    session.output.done(&answer, format_args!("Company {company} is no longer locked."))
}

async fn set_end_date(session: &mut Session<'_>, company: &str, date: Option<String>) -> Outcome {
    let seen = session.operator.send(Request::get(of(company))).await?;
    let patch = json!({"endDate": date}).to_string().into_bytes();
    let request = Request::new(Method::Patch, of(company)).if_as_in(&seen).body(MERGE_PATCH, patch);
    let answer = session.operator.send(request).await?;
    let sentence = match date {
        Some(date) => format!("Partners reach company {company} up to {date}."),
        None => format!("Company {company} has no end date."),
    };
    session.output.done(&answer, sentence)
}

fn of(company: &str) -> Path {
    path(&["companies", company])
}

fn lock_of(company: &str) -> Path {
    path(&["companies", company, "lock"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_a_company_is_said_with_reason_and_end() {
        let lock = json!({"holder": "night shift", "reason": "audit", "expiresDate": "2026-12-01T00:00:00Z"});
        assert_eq!(held(&lock), "It is locked by night shift, until 2026-12-01T00:00:00Z: audit.");
        assert_eq!(held(&json!({"holder": "Ann"})), "It is locked by Ann.");
        assert!(held(&json!({"payPeriodId": "P-1"})).contains("P-1"));
        assert_eq!(holder(&lock), "night shift: audit");
        assert_eq!(holder(&json!({"holder": "Ann"})), "Ann");
        assert_eq!(holder(&json!({"payPeriodId": "P-1"})), "pay period P-1");
    }
}
