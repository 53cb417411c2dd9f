//! `company …` and `organization …`: companies, their locks, their end dates, and their organizations.

use clap::Args;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

use crate::commands::context::OperatorCommandContext;
use crate::commands::output::text_member;
use crate::commands::table::{
    BodyKind, CommandNoun, CommandRow, CustomCommand, Invocation, LIMIT_PARAMETER, OFFSET_PARAMETER,
    ObjectCommands, PAGING_PARAMETERS, Parameter, TableColumn, column_heads, row_cells,
};
use crate::failure::Outcome;
use crate::operator::{ApiPath, MERGE_PATCH, Method, OperatorResponse, Request, path};
use crate::terminal::{Cell, TextTone, replace_control_characters};

/// The number of concurrent requests that read the locks of companies. Concurrent requests hide the network
/// latency. Eight requests cause little load on the server.
const MAX_CONCURRENT_LOCK_REQUESTS: usize = 8;

const COMPANY_PATH: &str = "companies/{company}";
const LOCK_PATH: &str = "companies/{company}/lock";

pub(in crate::commands) const COMPANY: CommandNoun = CommandNoun {
    name: "company",
    about: "Manage companies, and lock, unlock and end-date them",
    extra_help: "",
    example: "company lock EXAMPLE-1 --reason audit --until 2026-12-01T00:00:00Z",
    rows: &[&[
        LIST_ROW,
        CommandRow::get("show", "Show a company, its products and its lock", COMPANY_PATH)
            .with_step_after_response(|session, call, _| show_lock(session, call).boxed_local()),
        OBJECT_ROWS[2],
        OBJECT_ROWS[3],
        OBJECT_ROWS[4],
        CommandRow::send(
            Method::Put,
            "lock",
            "Lock a company. Partners cannot add checks, and other operators cannot change its workers, pay \
             components and periods",
            LOCK_PATH,
        )
        .with_parameters(&[
            Parameter::member(
                "reason",
                "TEXT",
                "reason",
                "The reason for the lock, which the errors of rejected requests show",
            ),
            Parameter::member(
                "until",
                "INSTANT",
                "expiresDate",
                "The time at which the lock expires, as yyyy-MM-ddTHH:mm:ssZ in UTC. Default: never",
            ),
        ])
        .with_body(BodyKind::Members)
        .with_sentence("Company {company} is locked."),
        CommandRow::send(
            Method::Delete,
            "unlock",
            "Release the lock of a company, even if another operator set it",
            LOCK_PATH,
        )
        .with_sentence("Company {company} is no longer locked."),
        CommandRow::get(
            "end-date",
            "Set the last day on which partners have access to a company",
            COMPANY_PATH,
        )
        .with_custom_command(CustomCommand {
            arguments: EndDateArguments::augment_args,
            run: |session, call| set_end_date(session, call).boxed_local(),
        }),
    ]],
};

/// The rows of the commands that list, show, create, change and delete companies. Only the last three rows
/// are used. The rows to list and show companies are defined separately.
const OBJECT_ROWS: [CommandRow; 5] = ObjectCommands {
    about: ["", "", "Create a company", "Change fields of a company", "Delete a company"],
    list: "companies",
    object_path: COMPANY_PATH,
    filters: PAGING_PARAMETERS,
    columns: COMPANY_COLUMNS,
    messages: [
        "Company {/companyId} was created.",
        "Company {company} was changed.",
        "Company {company} was deleted.",
    ],
}
.rows();

const LIST_ROW: CommandRow = CommandRow::list("list", "List companies", "companies", COMPANY_COLUMNS)
    .with_parameters(&[
        Parameter::query("name", "PART", "name", "Show only companies with this text in their legal name"),
        Parameter::queries(
            "state",
            "STATE",
            "state",
            "Show only companies in this state: ACTIVE, CONVERTING or ENDED. You can repeat this option",
        ),
        Parameter::query(
            "displayid",
            "DISPLAY-ID",
            "displayid",
            "Show only companies with this account number. Only its last 8 characters are compared",
        ),
        OFFSET_PARAMETER,
        LIMIT_PARAMETER,
    ])
    .with_custom_command(CustomCommand {
        arguments: |command| command,
        run: |session, call| list_companies(session, call).boxed_local(),
    });

const COMPANY_COLUMNS: &[TableColumn] = &[
    TableColumn::value("COMPANY", "/companyId"),
    TableColumn::value("DISPLAY ID", "/displayId"),
    TableColumn::value("LEGAL NAME", "/legalName"),
    TableColumn::day("END DATE", "/endDate").with_tone(TextTone::Off),
    TableColumn::computed("STATE", state_cell),
];

pub(in crate::commands) const ORGANIZATION: CommandNoun = CommandNoun {
    name: "organization",
    about: "Manage the organizational units of a company",
    extra_help: "",
    example: "organization list EXAMPLE-1 --json",
    rows: &[&ObjectCommands {
        about: [
            "List the organizational units of a company",
            "Show an organizational unit",
            "Create an organizational unit",
            "Change fields of an organizational unit",
            "Delete an organizational unit",
        ],
        list: "companies/{company}/organizations",
        object_path: "companies/{company}/organizations/{organization}",
        filters: PAGING_PARAMETERS,
        columns: &[
            TableColumn::value("ORGANIZATION", "/organizationId"),
            TableColumn::value("NAME", "/name"),
            TableColumn::value("NUMBER", "/number"),
            TableColumn::value("LEVEL", "/level"),
            TableColumn::value("PARENT", "/parentOrganizationId"),
        ],
        messages: [
            "Organization {/organizationId} was created.",
            "Organization {organization} was changed.",
            "Organization {organization} was deleted.",
        ],
    }
    .rows()],
};

fn state_cell(company: &Value) -> Cell {
    let converting = company.get("converting").and_then(Value::as_bool) == Some(true);
    Cell::with_tone(if converting { "converting" } else { "" }, TextTone::Warning)
}

async fn list_companies(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let response = session.operator.send(Request::get(LIST_ROW.request_path(call))).await?;
    let holders =
        if session.output.is_json() { Vec::new() } else { read_lock_holders(session, &response).await? };
    let head = [&column_heads(COMPANY_COLUMNS)[..], &["HELD BY"]].concat();
    let mut holders = holders.into_iter();
    session.output.print_list(&response, &head, |company| {
        let mut row = row_cells(COMPANY_COLUMNS, company);
        row.push(Cell::with_tone(holders.next().unwrap_or_default(), TextTone::Warning));
        row
    })
}

/// Returns the holder of each listed company's lock. The text is empty if the company is not locked.
async fn read_lock_holders(
    session: &OperatorCommandContext<'_>,
    listed: &OperatorResponse,
) -> Outcome<Vec<String>> {
    let companies = listed.content()?;
    let holder = async |company: Value| -> Outcome<String> {
        let lock = session.operator.find(Request::get(lock_path(text_member(&company, "companyId")))).await?;
        lock.map_or(Ok(String::new()), |lock| Ok(lock_holder(&lock.single_object()?)))
    };
    stream::iter(companies).map(holder).buffered(MAX_CONCURRENT_LOCK_REQUESTS).try_collect().await
}

/// Returns the holder of a lock and the reason, for a table cell.
fn lock_holder(lock: &Value) -> String {
    let period = text_member(lock, "payPeriodId");
    if !period.is_empty() {
        return format!("pay period {period}");
    }
    let why = lock.get("reason").map(|_| format!(": {}", text_member(lock, "reason"))).unwrap_or_default();
    format!("{}{why}", text_member(lock, "holder"))
}

async fn show_lock(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    if session.output.is_json() {
        return Ok(());
    }
    match session.operator.find(Request::get(call.fill_path(LOCK_PATH))).await? {
        Some(lock) => session.output.print_line(lock_description(&lock.single_object()?)),
        None => session.output.print_line("The company is not locked."),
    }
}

/// Returns a sentence about the holder of a lock.
fn lock_description(lock: &Value) -> String {
    let period = text_member(lock, "payPeriodId");
    if !period.is_empty() {
        return format!(
            "The company is locked while its pay period {} is in PROCESSING.",
            replace_control_characters(period)
        );
    }
    let [why, until] = [("reason", ": "), ("expiresDate", ", until ")].map(|(name, before)| {
        lock.get(name).map(|_| format!("{before}{}", text_member(lock, name))).unwrap_or_default()
    });
    replace_control_characters(&format!(
        "The company is locked by {}{until}{why}.",
        text_member(lock, "holder")
    ))
}

/// The arguments of the command `end-date`.
#[derive(Debug, Args)]
struct EndDateArguments {
    /// The last day on which partners have access, as yyyy-MM-dd.
    #[arg(required_unless_present = "clear")]
    date: Option<String>,
    /// Remove the end date of the company.
    #[arg(long, conflicts_with = "date")]
    clear: bool,
}

async fn set_end_date(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    // With `--clear`, `date` is `None` and becomes null in the merge patch, which removes the end date.
    let EndDateArguments { date, clear: _ } = call.read()?;
    let seen = session.operator.send(Request::get(call.fill_path(COMPANY_PATH))).await?;
    let patch = json!({"endDate": date}).to_string().into_bytes();
    let request = Request::new(Method::Patch, call.fill_path(COMPANY_PATH))
        .if_unchanged_since(&seen)
        .body(MERGE_PATCH, patch);
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
            "The company is locked by night shift, until 2026-12-01T00:00:00Z: audit."
        );
        assert_eq!(lock_description(&json!({"holder": "Ann"})), "The company is locked by Ann.");
        assert!(lock_description(&json!({"payPeriodId": "P-1"})).contains("P-1"));
        assert_eq!(lock_holder(&lock), "night shift: audit");
        assert_eq!(lock_holder(&json!({"holder": "Ann"})), "Ann");
        assert_eq!(lock_holder(&json!({"payPeriodId": "P-1"})), "pay period P-1");
    }
}
