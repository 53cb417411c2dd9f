//! `period request` and `period approve`: two operators complete a pay period. At a terminal, both commands
//! show a preview first.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use futures_util::FutureExt;

use super::complete::{needs_confirmation, read_preview, request, show, show_preview, show_totals};
use crate::commands::context::Session;
use crate::commands::output::text;
use crate::commands::question::confirm;
use crate::commands::table::{Column, CustomCommand, Invocation, Row, read_file, with_true};
use crate::failure::Outcome;
use crate::operator::{Method, Request};
use crate::terminal::Tone;

const PERIOD: &str = "companies/{company}/payperiods/{period}";
const COMPLETE: &str = "companies/{company}/payperiods/{period}/complete";
const REQUEST: &str = "companies/{company}/payperiods/{period}/completionrequest";
const APPROVE: &str = "companies/{company}/payperiods/{period}/completionrequest/approve";

/// The commands to request, show, approve and withdraw a completion.
pub(super) const ROWS: &[Row] = &[
    Row::send(
        Method::Post,
        "request",
        "Request the completion of a period, which another operator approves",
        REQUEST,
    )
    .own(CustomCommand {
        arguments: RequestArguments::augment_args,
        run: |session, call| request_completion(session, call).boxed_local(),
    }),
    Row::list(
        "requests",
        "List the pending requests to complete periods",
        "completionrequests",
        &[
            Column::value("COMPANY", "/companyId"),
            Column::value("PERIOD", "/payPeriodId").with_tone(Tone::Head),
            Column::value("REQUESTED BY", "/requestedBy/name"),
            Column::value("REQUESTED", "/requestedDate"),
            Column::value("CHECKS", "/totals/checks"),
            Column::value("NET PAY", "/totals/netPay"),
            Column::value("EMPLOYER COST", "/totals/employerCost"),
        ],
    ),
    Row::get("show-request", "Show who requested the completion of a period, and who approved it", REQUEST),
    Row::send(Method::Post, "approve", "Approve the completion that another operator requested", APPROVE)
        .own(CustomCommand {
            arguments: ApproveArguments::augment_args,
            run: |session, call| approve(session, call).boxed_local(),
        }),
    Row::send(
        Method::Delete,
        "withdraw",
        "Withdraw the request to complete a period, including one of another operator",
        REQUEST,
    )
    .reads_version_at(REQUEST)
    .says("The request to complete pay period {period} is withdrawn."),
];

/// The arguments of the command `period request`.
#[derive(Debug, Args)]
struct RequestArguments {
    /// A JSON file with taxes, deductions and numbers of checks. `-` is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// Request the completion although the period has no checks.
    #[arg(long)]
    allow_empty: bool,
    /// Request the completion without asking for confirmation.
    #[arg(long)]
    yes: bool,
}

/// The arguments of the command `period approve`.
#[derive(Debug, Args)]
struct ApproveArguments {
    /// Show a preview and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Approve without asking for confirmation.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

async fn request_completion(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    let wanted: RequestArguments = call.read()?;
    let document = wanted.input.as_deref().map(read_file).transpose()?;
    let document = if wanted.allow_empty { Some(with_true(document, "allowEmpty")?) } else { document };
    let period = session.operator.send(Request::get(call.path(PERIOD))).await?;
    let mut version = period.etag().map(str::to_owned);
    // No question is asked about a period that cannot be completed. The server rejects the request.
    if needs_confirmation(session, wanted.yes) && text(&period.single_object()?, "status") == "PROCESSING" {
        let previewed = read_preview(session, call, COMPLETE, document.as_deref()).await?;
        version = previewed.etag().map(str::to_owned);
        show(session, &previewed)?;
        let period = call.required_text("period");
        confirm(
            &format!("Request the completion of pay period {period}?"),
            &format!("the completion of pay period {period} is not requested"),
        )?;
    }
    let request = request(call.path(REQUEST), document.as_deref(), version);
    let requested = session.operator.send(request).await?;
    let (company, period) = (call.required_text("company"), call.required_text("period"));
    let then = format!("another operator approves it: payroll-server period approve {company} {period}");
    session.output.print_result(
        &requested,
        format_args!("The completion of pay period {period} is requested; {then}"),
    )?;
    show_totals(session, &requested)
}

async fn approve(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    let how: ApproveArguments = call.read()?;
    if how.dry_run {
        let previewed = read_preview(session, call, APPROVE, None).await?;
        return show_preview(session, &previewed);
    }
    let seen = session.operator.send(Request::get(call.path(REQUEST))).await?;
    let mut version = seen.etag().map(str::to_owned);
    let period = call.required_text("period");
    if needs_confirmation(session, how.yes) {
        let previewed = read_preview(session, call, APPROVE, None).await?;
        version = previewed.etag().map(str::to_owned);
        show(session, &previewed)?;
        let requested = seen.single_object()?;
        let requested_by = requested
            .pointer("/requestedBy")
            .map_or("", |requested_by| text(requested_by, "name"))
            .to_owned();
        confirm(
            &format!("Complete pay period {period}, as {requested_by} has requested?"),
            &format!("pay period {period} is not completed"),
        )?;
    }
    let approved = session.operator.send(request(call.path(APPROVE), None, version)).await?;
    session.output.print_result(&approved, format_args!("Pay period {period} is completed."))?;
    show_totals(session, &approved)
}
