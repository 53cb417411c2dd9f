//! The result of completing a pay period, as operators see it (specification §11.23).

use std::sync::Arc;

use actix_web::web::Bytes;
use futures_util::stream::{self, StreamExt};
use payroll_domain::check::{EnteredTotals, PeriodTotals, Totals, ValidatedCheck, Warning, Warnings};
use payroll_domain::id::{CompanyId, PaycheckId, WorkerId};
use payroll_domain::money::Amount;
use payroll_domain::violation::Violation;
use payroll_ports::BoxError;
use payroll_ports::completion::CompletionPreview;
use payroll_ports::periods::{PayRun, PayRunTotals};
use serde::Serialize;

use crate::shared::wire::value::DisplayedText;
use crate::shared::wire::{Content, Link};

/// The maximum number of checks in one part of a streamed response, at about 250 bytes each. A response with
/// at most this many checks is sent in one piece.
const CHECKS_PER_CHUNK: usize = 300;

/// The totals of a pay period's checks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TotalsResource {
    checks: u64,
    workers: u64,
    gross_earnings: DisplayedText<Amount>,
    net_pay: DisplayedText<Amount>,
    employee_taxes: DisplayedText<Amount>,
    employer_taxes: DisplayedText<Amount>,
    deductions: DisplayedText<Amount>,
    employer_cost: DisplayedText<Amount>,
}

/// The totals of the checks of an unprocessed pay period, without taxes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EnteredTotalsResource {
    checks: u64,
    workers: u64,
    gross_earnings: DisplayedText<Amount>,
    deductions: DisplayedText<Amount>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum PeriodTotalsResource {
    Entered(EnteredTotalsResource),
    Processed(TotalsResource),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckPayResource<'a> {
    paycheck_id: DisplayedText<&'a PaycheckId>,
    worker_id: DisplayedText<&'a WorkerId>,
    gross_earnings: DisplayedText<Amount>,
    employee_taxes: DisplayedText<Amount>,
    deductions: DisplayedText<Amount>,
    net_pay: DisplayedText<Amount>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WarningResource<'a> {
    warning: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker_id: Option<DisplayedText<&'a WorkerId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paycheck_id: Option<DisplayedText<&'a PaycheckId>>,
    description: &'a str,
}

/// The members of a preview that come after the checks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PreviewMembersAfterChecks<'a> {
    faults: &'a [Violation],
    warnings: Vec<WarningResource<'a>>,
    warnings_left_out: u64,
}

impl From<Totals> for TotalsResource {
    fn from(totals: Totals) -> Self {
        Self {
            checks: totals.checks,
            workers: totals.workers,
            gross_earnings: DisplayedText(totals.gross_earnings),
            net_pay: DisplayedText(totals.net_pay),
            employee_taxes: DisplayedText(totals.employee_taxes),
            employer_taxes: DisplayedText(totals.employer_taxes),
            deductions: DisplayedText(totals.deductions),
            employer_cost: DisplayedText(totals.employer_cost),
        }
    }
}

impl From<PeriodTotals> for PeriodTotalsResource {
    fn from(totals: PeriodTotals) -> Self {
        match totals {
            PeriodTotals::Entered(EnteredTotals { checks, workers, pay }) => {
                Self::Entered(EnteredTotalsResource {
                    checks,
                    workers,
                    gross_earnings: DisplayedText(pay.gross_earnings),
                    deductions: DisplayedText(pay.deductions),
                })
            }
            PeriodTotals::Processed(totals) => Self::Processed(totals.into()),
        }
    }
}

impl<'a> CheckPayResource<'a> {
    /// Creates the resource of a check; `None` if the check has faults.
    fn from_check(check: &'a ValidatedCheck) -> Option<Self> {
        let pay = check.pay?;
        Some(Self {
            paycheck_id: DisplayedText(&check.paycheck_id),
            worker_id: DisplayedText(&check.worker_id),
            gross_earnings: DisplayedText(pay.gross_earnings),
            employee_taxes: DisplayedText(check.employee_taxes),
            deductions: DisplayedText(check.deductions),
            net_pay: DisplayedText(pay.net_pay),
        })
    }
}

impl<'a> WarningResource<'a> {
    fn new(warning: &'a Warning) -> Self {
        Self {
            warning: warning.kind.as_str(),
            worker_id: warning.worker_id.as_ref().map(DisplayedText),
            paycheck_id: warning.paycheck_id.as_ref().map(DisplayedText),
            description: &warning.description,
        }
    }
}

/// Serializes a preview in its envelope. The result is a stream if there are many checks.
///
/// # Errors
/// Serialization cannot fail, because a preview contains only strings and numbers.
pub(crate) fn preview_content(preview: CompletionPreview, own: Link<'static>) -> serde_json::Result<Content> {
    let mut head = br#"{"content":[{"totals":"#.to_vec();
    serde_json::to_writer(&mut head, &TotalsResource::from(preview.totals))?;
    head.extend_from_slice(br#","checks":["#);
    let tail = serialize_members_after_checks(&preview, &own)?;
    let mut checks = preview.checks;
    checks.retain(|check| check.pay.is_some());
    if checks.len() <= CHECKS_PER_CHUNK {
        head.extend(serialize_checks(&checks, 0)?);
        head.extend(tail);
        return Ok(Content::Complete(head));
    }
    let checks: Arc<[ValidatedCheck]> = checks.into();
    let parts =
        (0..checks.len()).step_by(CHECKS_PER_CHUNK).map(move |first| serialize_checks(&checks, first));
    let parts = std::iter::once(Ok(head)).chain(parts).chain(std::iter::once(Ok(tail)));
    let parts = parts.map(|part| part.map(Bytes::from).map_err(BoxError::from));
    Ok(Content::Stream(stream::iter(parts).boxed()))
}

/// Adds the totals to the document of a pay period, as the last member.
///
/// # Errors
/// Serialization cannot fail, because totals contain only strings and numbers.
pub(crate) fn add_totals_to_json(period: &str, totals: PeriodTotals) -> serde_json::Result<String> {
    let totals = serde_json::to_string(&PeriodTotalsResource::from(totals))?;
    let members = period.strip_suffix('}').unwrap_or(period);
    Ok(format!("{members},\"totals\":{totals}}}"))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PayRunCompanyResource<'a> {
    company_id: DisplayedText<&'a CompanyId>,
    display_id: &'a str,
    legal_name: &'a str,
}

/// Inserts the id and the name of the company at the beginning of the document of a pay period.
///
/// # Errors
/// Serialization cannot fail, because the members are strings.
pub(crate) fn pay_run_json(run: &PayRun, period: &str) -> serde_json::Result<String> {
    let PayRun { company_id, display_id, legal_name, .. } = run;
    let company = PayRunCompanyResource { company_id: DisplayedText(company_id), display_id, legal_name };
    let company = serde_json::to_string(&company)?;
    let (company, members) = (company.strip_suffix('}'), period.strip_prefix('{'));
    Ok(format!("{},{}", company.unwrap_or_default(), members.unwrap_or_default()))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PayRunTotalsResource {
    pay_runs: u64,
    checks: u64,
    gross_earnings: DisplayedText<Amount>,
    deductions: DisplayedText<Amount>,
}

/// Serializes the totals of pay runs.
///
/// # Errors
/// Serialization cannot fail, because totals contain only strings and numbers.
pub(crate) fn pay_run_totals(totals: PayRunTotals) -> serde_json::Result<Vec<u8>> {
    let PayRunTotals { pay_runs, checks, gross_earnings, deductions } = totals;
    let resource = PayRunTotalsResource {
        pay_runs,
        checks,
        gross_earnings: DisplayedText(gross_earnings),
        deductions: DisplayedText(deductions),
    };
    serde_json::to_vec(&resource)
}

/// Serializes the next checks, starting at index `first`.
fn serialize_checks(checks: &[ValidatedCheck], first: usize) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::new();
    let some = checks.iter().enumerate().skip(first).take(CHECKS_PER_CHUNK);
    for (at, check) in some.filter_map(|(at, check)| Some((at, CheckPayResource::from_check(check)?))) {
        if at > 0 {
            out.push(b',');
        }
        serde_json::to_writer(&mut out, &check)?;
    }
    Ok(out)
}

fn serialize_members_after_checks(
    preview: &CompletionPreview,
    own: &Link<'static>,
) -> serde_json::Result<Vec<u8>> {
    let Warnings { listed, omitted: left_out } = &preview.warnings;
    let rest = PreviewMembersAfterChecks {
        faults: preview.faults.as_ref().map_or(&[], |faults| faults.as_slice()),
        warnings: listed.iter().map(WarningResource::new).collect(),
        warnings_left_out: *left_out,
    };
    let rest = serde_json::to_vec(&rest)?;
    let mut out = b"],".to_vec();
    // The opening brace is skipped, because these members continue the object that already contains the
    // checks.
    out.extend(rest.into_iter().skip(1));
    out.extend_from_slice(br#"],"links":"#);
    serde_json::to_writer(&mut out, &[own])?;
    out.push(b'}');
    Ok(out)
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt;
    use payroll_domain::check::CheckAmounts;

    use super::*;
    use crate::shared::wire::Href;

    fn preview_with_checks(count: usize) -> CompletionPreview {
        let gross_earnings = Amount::parse("10").unwrap();
        let check = |number: usize| ValidatedCheck {
            paycheck_id: format!("p{number}").parse().unwrap(),
            worker_id: "w".parse().unwrap(),
            pay: Some(CheckAmounts { gross_earnings, net_pay: gross_earnings }),
            employee_taxes: Amount::ZERO,
            deductions: Amount::ZERO,
            is_reversal: false,
            check_number: None,
            repeated_tax: None,
        };
        let mut checks: Vec<_> = (0..count).map(check).collect();
        checks.insert(0, ValidatedCheck { pay: None, ..check(count) });
        CompletionPreview { totals: Totals::default(), checks, faults: None, warnings: Warnings::default() }
    }

    async fn serialized_preview(count: usize) -> (bool, serde_json::Value) {
        let own = Link::to_self(Href::Complete("https://example.org".to_owned()));
        match preview_content(preview_with_checks(count), own).unwrap() {
            Content::Complete(bytes) => (false, serde_json::from_slice(&bytes).unwrap()),
            Content::Stream(parts) => {
                let parts: Vec<Bytes> = parts.try_collect().await.unwrap();
                (true, serde_json::from_slice(&parts.concat()).unwrap())
            }
        }
    }

    #[test]
    fn totals_are_the_last_member_of_a_period() {
        let period = add_totals_to_json(r#"{"payPeriodId":"P"}"#, PeriodTotals::Processed(Totals::default()));
        let period = period.unwrap();
        assert!(period.starts_with(r#"{"payPeriodId":"P","totals":{"checks":0,"workers":0,"#), "{period}");
        assert!(serde_json::from_str::<serde_json::Value>(&period).is_ok(), "{period}");
    }

    #[actix_web::test]
    async fn a_streamed_preview_equals_the_complete_document() {
        for (count, is_streamed) in [
            (0, false),
            (1, false),
            (CHECKS_PER_CHUNK, false),
            (CHECKS_PER_CHUNK + 1, true),
            (2 * CHECKS_PER_CHUNK, true),
        ] {
            let (streamed, document) = serialized_preview(count).await;
            let checks = document["content"][0]["checks"].as_array().unwrap();
            let last = checks.last().map(|check| check["paycheckId"].clone());
            assert_eq!((streamed, checks.len()), (is_streamed, count));
            assert_eq!(last, count.checked_sub(1).map(|last| format!("p{last}").into()));
            assert_eq!(document["content"][0]["warningsLeftOut"], 0);
            assert_eq!(document["links"][0]["rel"], "self");
        }
    }
}
