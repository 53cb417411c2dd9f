//! `period request` and `period approve`: two operators complete a pay period. At a terminal, both commands
//! show a preview first.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use futures_util::FutureExt;

use super::complete::{
    completion_request, needs_confirmation, read_preview, show_preview, show_result, show_totals,
};
use crate::commands::context::OperatorCommandContext;
use crate::commands::output::text_member;
use crate::commands::question::confirm;
use crate::commands::table::{
    CommandRow, CustomCommand, Invocation, TableColumn, read_file, with_true_member,
};
use crate::failure::Outcome;
use crate::operator::{Method, Request};
use crate::terminal::TextTone;

const PERIOD_PATH: &str = "companies/{company}/payperiods/{period}";
const COMPLETE_PATH: &str = "companies/{company}/payperiods/{period}/complete";
const REQUEST_PATH: &str = "companies/{company}/payperiods/{period}/completionrequest";
const APPROVE_PATH: &str = "companies/{company}/payperiods/{period}/completionrequest/approve";

/// The commands to request, show, approve and withdraw a completion.
pub(super) const TWO_OPERATOR_ROWS: &[CommandRow] = &[
    CommandRow::send(
        Method::Post,
        "request",
        "Request the completion of a pay period, which another operator then approves",
        REQUEST_PATH,
    )
    .with_custom_command(CustomCommand {
        arguments: CompletionRequestArguments::augment_args,
        run: |session, call| request_completion(session, call).boxed_local(),
    }),
    CommandRow::list(
        "requests",
        "List the pending requests to complete pay periods",
        "completionrequests",
        &[
            TableColumn::value("COMPANY", "/companyId"),
            TableColumn::value("PERIOD", "/payPeriodId").with_tone(TextTone::Head),
            TableColumn::value("REQUESTED BY", "/requestedBy/name"),
            TableColumn::value("REQUESTED", "/requestedDate"),
            TableColumn::value("CHECKS", "/totals/checks"),
            TableColumn::value("NET PAY", "/totals/netPay"),
            TableColumn::value("EMPLOYER COST", "/totals/employerCost"),
        ],
    ),
    CommandRow::get(
        "show-request",
        "Show the request to complete a pay period, with the operators who requested and approved it",
        REQUEST_PATH,
    ),
    CommandRow::send(
        Method::Post,
        "approve",
        "Approve the completion that another operator requested",
        APPROVE_PATH,
    )
    .with_custom_command(CustomCommand {
        arguments: ApproveArguments::augment_args,
        run: |session, call| approve_completion(session, call).boxed_local(),
    }),
    CommandRow::send(
        Method::Delete,
        "withdraw",
        "Withdraw the request to complete a pay period, even if another operator sent it",
        REQUEST_PATH,
    )
    .with_version_path(REQUEST_PATH)
    .with_sentence("The request to complete pay period {period} is withdrawn."),
];

/// The arguments of the command `period request`.
#[derive(Debug, Args)]
struct CompletionRequestArguments {
    /// A JSON file with taxes, deductions and numbers of checks. `-` is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// Request the completion although the pay period has no checks.
    #[arg(long)]
    allow_empty: bool,
    /// Request the completion without asking for confirmation.
    #[arg(long)]
    yes: bool,
}

/// The arguments of the command `period approve`.
#[derive(Debug, Args)]
struct ApproveArguments {
    /// Show a preview of the completion and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Approve without asking for confirmation.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

async fn request_completion(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let arguments: CompletionRequestArguments = call.read()?;
    let document = arguments.input.as_deref().map(read_file).transpose()?;
    let document =
        if arguments.allow_empty { Some(with_true_member(document, "allowEmpty")?) } else { document };
    let period = session.operator.send(Request::get(call.fill_path(PERIOD_PATH))).await?;
    let mut version = period.etag().map(str::to_owned);
    // If the period is not in processing, the command does not ask for confirmation, because the server will
    // reject the request.
    if needs_confirmation(session, arguments.yes)
        && text_member(&period.single_object()?, "status") == "PROCESSING"
    {
        let previewed = read_preview(session, call, COMPLETE_PATH, document.as_deref()).await?;
        version = previewed.etag().map(str::to_owned);
        show_result(session, &previewed)?;
        let period = call.required_text("period");
        confirm(
            &format!("Request the completion of pay period {period}?"),
            &format!("the completion of pay period {period} is not requested"),
        )?;
    }
    let request = completion_request(call.fill_path(REQUEST_PATH), document.as_deref(), version);
    let requested = session.operator.send(request).await?;
    let (company, period) = (call.required_text("company"), call.required_text("period"));
    let then = format!("another operator approves it: payroll-server period approve {company} {period}");
    session.output.print_result(
        &requested,
        format_args!("The completion of pay period {period} is requested; {then}"),
    )?;
    show_totals(session, &requested)
}

async fn approve_completion(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let how: ApproveArguments = call.read()?;
    if how.dry_run {
        let previewed = read_preview(session, call, APPROVE_PATH, None).await?;
        return show_preview(session, &previewed);
    }
    let seen = session.operator.send(Request::get(call.fill_path(REQUEST_PATH))).await?;
    let mut version = seen.etag().map(str::to_owned);
    let period = call.required_text("period");
    if needs_confirmation(session, how.yes) {
        let previewed = read_preview(session, call, APPROVE_PATH, None).await?;
        version = previewed.etag().map(str::to_owned);
        show_result(session, &previewed)?;
        let requested = seen.single_object()?;
        let requested_by = requested
            .pointer("/requestedBy")
            .map_or("", |requested_by| text_member(requested_by, "name"))
            .to_owned();
        confirm(
            &format!("Complete pay period {period}, as {requested_by} has requested?"),
            &format!("pay period {period} is not completed"),
        )?;
    }
    let approved =
        session.operator.send(completion_request(call.fill_path(APPROVE_PATH), None, version)).await?;
    session.output.print_result(&approved, format_args!("Pay period {period} is completed."))?;
    show_totals(session, &approved)
}
