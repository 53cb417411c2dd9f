//! `company …` and `organization …`: companies, their locks, their end dates, and their organizations.

use clap::Args;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

use crate::commands::context::Session;
use crate::commands::output::text;
use crate::commands::table::{
    Body, Column, CustomCommand, Invocation, LIMIT, Noun, OFFSET, Objects, PAGING, Parameter, Row, cells,
    heads,
};
use crate::failure::Outcome;
use crate::operator::{ApiPath, MERGE_PATCH, Method, OperatorResponse, Request, path};
use crate::terminal::{Cell, Tone, printable};

/// The number of locks that are requested concurrently. Concurrent requests hide the network latency, and
/// eight of them are a small load for the server.
const LOCKS_AT_ONCE: usize = 8;

const ONE: &str = "companies/{company}";
const LOCK: &str = "companies/{company}/lock";

pub(in crate::commands) const COMPANY: Noun = Noun {
    name: "company",
    about: "Manage companies, and lock, unlock and end-date them",
    extra_help: "",
    example: "company lock EXAMPLE-1 --reason audit --until 2026-12-01T00:00:00Z",
    rows: &[&[
        LIST,
        Row::get("show", "Show a company, its products and its lock", ONE)
            .then(|session, call, _| show_lock(session, call).boxed_local()),
        USUAL[2],
        USUAL[3],
        USUAL[4],
        Row::send(
            Method::Put,
            "lock",
            "Lock a company. Partners cannot add checks, and other operators cannot change its workers, pay \
             components and periods",
            LOCK,
        )
        .takes(&[
            Parameter::member("reason", "TEXT", "reason", "The reason, shown with rejected requests"),
            Parameter::member(
                "until",
                "INSTANT",
                "expiresDate",
                "The instant at which the lock expires, as yyyy-MM-ddTHH:mm:ssZ",
            ),
        ])
        .body(Body::Members)
        .says("Company {company} is locked."),
        Row::send(
            Method::Delete,
            "unlock",
            "Release the lock of a company, including the lock of another operator",
            LOCK,
        )
        .says("Company {company} is no longer locked."),
        Row::get("end-date", "Set the last day on which partners have access to a company", ONE).own(
            CustomCommand {
                arguments: EndDate::augment_args,
                run: |session, call| set_end_date(session, call).boxed_local(),
            },
        ),
    ]],
};

/// The rows that most objects have. Listing and showing companies is described separately.
const USUAL: [Row; 5] = Objects {
    about: ["", "", "Create a company", "Change fields of a company", "Delete a company"],
    list: "companies",
    object_path: ONE,
    filters: PAGING,
    columns: COLUMNS,
    messages: [
        "Company {/companyId} is created.",
        "Company {company} is changed.",
        "Company {company} is deleted.",
    ],
}
.rows();

const LIST: Row = Row::list("list", "List companies", "companies", COLUMNS)
    .takes(&[
        Parameter::query("name", "PART", "name", "Only companies with this text in their legal name"),
        Parameter::queries(
            "state",
            "STATE",
            "state",
            "Only companies in this state: ACTIVE, CONVERTING or ENDED. Can be repeated",
        ),
        Parameter::query(
            "displayid",
            "DISPLAY-ID",
            "displayid",
            "Only companies with this display id. Only its last 8 characters are compared",
        ),
        OFFSET,
        LIMIT,
    ])
    .own(CustomCommand {
        arguments: |command| command,
        run: |session, call| list(session, call).boxed_local(),
    });

const COLUMNS: &[Column] = &[
    Column::value("COMPANY", "/companyId"),
    Column::value("DISPLAY ID", "/displayId"),
    Column::value("LEGAL NAME", "/legalName"),
    Column::day("END DATE", "/endDate").with_tone(Tone::Off),
    Column::computed("STATE", state),
];

pub(in crate::commands) const ORGANIZATION: Noun = Noun {
    name: "organization",
    about: "Manage the organizational units of a company",
    extra_help: "",
    example: "organization list EXAMPLE-1 --json",
    rows: &[&Objects {
        about: [
            "List the organizational units of a company",
            "Show an organizational unit",
            "Create an organizational unit",
            "Change fields of an organizational unit",
            "Delete an organizational unit",
        ],
        list: "companies/{company}/organizations",
        object_path: "companies/{company}/organizations/{organization}",
        filters: PAGING,
        columns: &[
            Column::value("ORGANIZATION", "/organizationId"),
            Column::value("NAME", "/name"),
            Column::value("NUMBER", "/number"),
            Column::value("LEVEL", "/level"),
            Column::value("PARENT", "/parentOrganizationId"),
        ],
        messages: [
            "Organization {/organizationId} is created.",
            "Organization {organization} is changed.",
            "Organization {organization} is deleted.",
        ],
    }
    .rows()],
};

fn state(company: &Value) -> Cell {
    let converting = company.get("converting").and_then(Value::as_bool) == Some(true);
    Cell::with_tone(if converting { "converting" } else { "" }, Tone::Warning)
}

async fn list(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    let response = session.operator.send(Request::get(LIST.address(call))).await?;
    let holders = if session.output.is_json() { Vec::new() } else { holders(session, &response).await? };
    let head = [&heads(COLUMNS)[..], &["HELD BY"]].concat();
    let mut holders = holders.into_iter();
    session.output.list(&response, &head, |company| {
        let mut row = cells(COLUMNS, company);
        row.push(Cell::with_tone(holders.next().unwrap_or_default(), Tone::Warning));
        row
    })
}

/// Returns the holder of each listed company's lock. The text is empty if the company is not locked.
async fn holders(session: &Session<'_>, listed: &OperatorResponse) -> Outcome<Vec<String>> {
    let companies = listed.content()?;
    let holder = async |company: Value| -> Outcome<String> {
        let lock = session.operator.find(Request::get(lock_path(text(&company, "companyId")))).await?;
        lock.map_or(Ok(String::new()), |lock| Ok(holder(&lock.single_object()?)))
    };
    stream::iter(companies).map(holder).buffered(LOCKS_AT_ONCE).try_collect().await
}

/// Returns the holder of a lock and the reason, for a table cell.
fn holder(lock: &Value) -> String {
    let period = text(lock, "payPeriodId");
    if !period.is_empty() {
        return format!("pay period {period}");
    }
    let why = lock.get("reason").map(|_| format!(": {}", text(lock, "reason"))).unwrap_or_default();
    format!("{}{why}", text(lock, "holder"))
}

async fn show_lock(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    if session.output.is_json() {
        return Ok(());
    }
    match session.operator.find(Request::get(call.path(LOCK))).await? {
        Some(lock) => session.output.print_line(lock_description(&lock.single_object()?)),
        None => session.output.print_line("Nobody holds it."),
    }
}

/// Returns a sentence about the holder of a lock.
fn lock_description(lock: &Value) -> String {
    let period = text(lock, "payPeriodId");
    if !period.is_empty() {
        return format!("It is locked by pay period {}, which is in PROCESSING.", printable(period));
    }
    let [why, until] = [("reason", ": "), ("expiresDate", ", until ")].map(|(name, before)| {
        lock.get(name).map(|_| format!("{before}{}", text(lock, name))).unwrap_or_default()
    });
    printable(&format!("It is locked by {}{until}{why}.", text(lock, "holder")))
}

/// The arguments of the command `end-date`.
#[derive(Debug, Args)]
struct EndDate {
    /// The day, as yyyy-MM-dd.
    #[arg(required_unless_present = "clear")]
    date: Option<String>,
    /// Remove the end date.
    #[arg(long, conflicts_with = "date")]
    clear: bool,
}

async fn set_end_date(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    // With `--clear`, the date is missing and becomes null, which removes the member in a merge patch.
    let EndDate { date, clear: _ } = call.read()?;
    let seen = session.operator.send(Request::get(call.path(ONE))).await?;
    let patch = json!({"endDate": date}).to_string().into_bytes();
    let request =
        Request::new(Method::Patch, call.path(ONE)).if_unchanged_since(&seen).body(MERGE_PATCH, patch);
    let response = session.operator.send(request).await?;
    let company = call.required_text("company");
    let sentence = match date {
        Some(date) => format!("Partners have access to company {company} until {date}."),
        None => format!("Company {company} has no end date."),
    };
    session.output.print_result(&response, sentence)
}

fn lock_path(company: &str) -> ApiPath {
    path(&["companies", company, "lock"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_holder_of_a_lock_with_reason_and_expiry() {
        let lock = json!({"holder": "night shift", "reason": "audit", "expiresDate": "2026-12-01T00:00:00Z"});
        assert_eq!(
            lock_description(&lock),
            "It is locked by night shift, until 2026-12-01T00:00:00Z: audit."
        );
        assert_eq!(lock_description(&json!({"holder": "Ann"})), "It is locked by Ann.");
        assert!(lock_description(&json!({"payPeriodId": "P-1"})).contains("P-1"));
        assert_eq!(holder(&lock), "night shift: audit");
        assert_eq!(holder(&json!({"holder": "Ann"})), "Ann");
        assert_eq!(holder(&json!({"payPeriodId": "P-1"})), "pay period P-1");
    }
}
