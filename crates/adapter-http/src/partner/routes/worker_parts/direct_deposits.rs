//! The partners' rules for direct deposits of a worker (specification §6.27). GET requires a separate scope
//! and therefore returns unmasked account numbers. Responses to changes contain masked account numbers,
//! because these responses are stored for the idempotency key.

mod revision;
mod rules;

use actix_web::http::Method;
use payroll_domain::access::Scope;
use payroll_domain::check::RequiredLookups;
use payroll_domain::code::Reason;
use payroll_domain::company::PAYROLL_PRODUCT;
use payroll_domain::date::{Date, parse_date};
use payroll_domain::input::Node;
use payroll_domain::violation::{Violation, Violations};
use payroll_domain::worker::{DepositStatus, DirectDeposit, StatusType};
use payroll_ports::Listing;
use payroll_ports::workers::{WorkerKey, WorkerListKind};

use self::revision::DepositRevision;
use crate::partner::call::PartnerCall;
use crate::partner::collection::{AuthorizedListing, ElementContext};
use crate::partner::parts::{ElementRevision, PartnerListElement};
use crate::partner::routes::workers;
use crate::shared::error::Failure;
use crate::shared::feed::{collect_fault, parse_parameter};
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::{JSON, VendorTypes};
use crate::shared::objects::account;
use crate::shared::objects::side::ElementChange;
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;
use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::{Href, Link};

/// The alternative name of the parameter `asof`.
const EFFECTIVE_DATE_PARAMETER: &str = "effectivitydate";
/// The query parameters of the list of direct deposits.
pub(crate) const LIST_PARAMETERS: &[&str] =
    &[filters::AS_OF_PARAMETER, EFFECTIVE_DATE_PARAMETER, "offset", "limit"];
/// The query parameters of requests that change a direct deposit.
pub(crate) const CHANGE_PARAMETERS: &[&str] = &["dryrun", EFFECTIVE_DATE_PARAMETER];

/// The application that changes deposits, and the rules that depend on the application's permissions.
#[derive(Debug, Clone, Default)]
pub(crate) struct DepositRequester {
    application_id: String,
    needs_approval: bool,
    /// Whether the application can read complete account numbers.
    may_read_account_numbers: bool,
    /// The faults that prevent a new direct deposit for the worker.
    creation_faults: Vec<Violation>,
}

impl PartnerListElement for DirectDeposit {
    const STARTS_TODAY_BY_DEFAULT: bool = true;
    const PARAMETERS: &'static [&'static str] = &[filters::AS_OF_PARAMETER, EFFECTIVE_DATE_PARAMETER];
    const REASONS: &'static [(&'static str, Reason)] = &[
        ("paymentType", Reason::DepositTypeInvalid),
        ("accountType", Reason::DepositTypeInvalid),
        ("value", Reason::RateAmountInvalid),
        ("startDate", Reason::IdOrDateInvalid),
    ];

    type Facts = DepositRequester;

    async fn read_facts(call: &PartnerCall) -> Result<DepositRequester, Failure> {
        Ok(DepositRequester {
            application_id: call.caller.application_id.to_string(),
            needs_approval: call.partner.approves_accounts,
            may_read_account_numbers: call.incoming.method() == Method::PATCH
                && call.authorize().await?.effective_scopes(&call.caller).contains(Scope::ReadDeposits),
            creation_faults: if call.incoming.method() == Method::POST {
                read_creation_faults(call).await?
            } else {
                Vec::new()
            },
        })
    }

    fn convert_to_stored_form<'n>(
        sent: &mut Node<'n>,
        stored: Option<&Node<'n>>,
        facts: &DepositRequester,
    ) -> Vec<Violation> {
        let Some(stored) = stored else { return facts.creation_faults.clone() };
        revision::prepare_patch(sent, stored);
        if facts.may_read_account_numbers {
            return Vec::new();
        }
        let is_removed = account::remove_complete_account_number(stored, sent);
        if is_removed { vec![rules::complete_account_number_fault()] } else { Vec::new() }
    }

    fn added_members(&self, _: &DepositRequester) -> Vec<(&'static str, serde_json::Value)> {
        vec![("directDepositType", "Net Pay".into())]
    }

    fn is_effective_on(&self, day: Date) -> bool {
        self.start_date <= day && self.status != DepositStatus::Refused
    }

    fn read_as_of(query: &Query) -> Result<Option<Date>, Violations> {
        let mut faults = Vec::new();
        let day = effective_date_of_query(query, &mut faults);
        Violations::from_faults(faults).map_or(Ok(day), Err)
    }

    fn check_change_parameters(query: &Query, today: Date) -> Result<(), Violation> {
        match read_effective_date(query)? {
            Some(day) if day != today => {
                let sentence = format!(
                    "{EFFECTIVE_DATE_PARAMETER} must be today, because the change takes effect immediately"
                );
                Err(Violation::new(Reason::InvalidParameter, sentence))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn media_types(types: &VendorTypes) -> [&str; 2] {
        [&types.direct_deposits, &types.direct_deposit]
    }

    /// Whether a deposit awaits approval. This function searches the JSON text for the members of a pending
    /// deposit. The members of a deposit contain no free text, so the searched texts cannot occur inside a
    /// value.
    fn awaits_approval(deposit_json: &str) -> bool {
        deposit_json.contains(r#""status":"PENDING""#) || deposit_json.contains(r#""pendingChange":{"#)
    }

    fn complete_for_storage<'n>(
        revision: ElementRevision<'_, 'n>,
        facts: &DepositRequester,
        today: Date,
    ) -> Node<'n> {
        let DepositRequester { application_id, needs_approval, .. } = facts;
        DepositRevision { application_id, needs_approval: *needs_approval, today }.apply_revision(revision)
    }

    fn find_change_faults(change: ElementChange<'_, '_>, today: Date) -> Vec<Violation> {
        rules::find_change_faults(change, today)
    }
}

/// Returns the faults that prevent a new direct deposit: one if the company does not use direct deposits, and
/// one if the worker is terminated.
async fn read_creation_faults(call: &PartnerCall) -> Result<Vec<Violation>, Failure> {
    let worker = workers::worker_key(call).await?;
    let (now, today) = (call.incoming.api.now(), call.incoming.api.today());
    let nothing = RequiredLookups::default();
    let facts =
        call.store().read_check_validation_data(&call.caller, &worker.company_id, &nothing, now).await?;
    let (_, facts) = call.check_access(facts)?;
    let found = call.store().worker_with_list(&call.caller, &worker, None).await?;
    let worker = call.check_access(found)?.1.map(|found| found.value);
    let status = worker.and_then(|worker| worker.current_status).map(|status| status.status_type);
    let mut obstacles = Vec::new();
    if !facts.has_product(PAYROLL_PRODUCT, today) {
        let sentence = "the company has no active PAYROLL product today";
        obstacles.push(Violation::new(Reason::DepositsNotSetUp, sentence));
    }
    if status == Some(StatusType::Terminated) {
        let sentence = "a worker who is TERMINATED gets no new direct deposit";
        obstacles.push(Violation::new(Reason::StateForbids, sentence));
    }
    Ok(obstacles)
}

fn read_effective_date(query: &Query) -> Result<Option<Date>, Violation> {
    parse_parameter(query, EFFECTIVE_DATE_PARAMETER, "a date, such as 2026-05-04", |text| {
        parse_date(text).ok()
    })
}

/// Returns the date on which deposits must be effective. The query may use either name of the parameter.
fn effective_date_of_query(query: &Query, faults: &mut Vec<Violation>) -> Option<Date> {
    let (as_of, effective) =
        (filters::read_as_of(query, faults), collect_fault(read_effective_date(query), faults).flatten());
    if as_of.zip(effective).is_some_and(|(one, other)| one != other) {
        let sentence = format!(
            "{EFFECTIVE_DATE_PARAMETER} and {} must be the same day; send only one of them",
            filters::AS_OF_PARAMETER
        );
        faults.push(Violation::new(Reason::InvalidParameter, sentence));
    }
    as_of.or(effective)
}

/// Handles `GET /workers/{workerId}/directdeposits`: lists the deposits that have started by a date, by
/// default today.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let today = call.incoming.api.today();
    let (page, day) = call
        .read_query(|query| {
            let mut faults = Vec::new();
            let day = effective_date_of_query(query, &mut faults).unwrap_or(today);
            RequestedPage::read_with_faults(query, faults).map(|page| (page, day))
        })
        .await?;
    let offers: [&str; 2] = [&call.partner.media_types.direct_deposits, JSON];
    let read = async |worker: &WorkerKey, window| {
        let list = Some(WorkerListKind::DirectDeposits);
        let found = call.store().worker_with_list(&call.caller, worker, list).await?;
        let (access, found) = call.check_access(found)?;
        let rows = found.map(|found| {
            let deposits = found.value.direct_deposits.into_iter().filter(|row| row.start_date <= day);
            Listing::from_all(deposits.collect(), found.version, window)
        });
        Ok(AuthorizedListing::from((access, rows)).with_day_dependency(day))
    };
    call.list_response((page, &offers), workers::worker_key, read, write_deposit).await
}

fn write_deposit(
    row: &DirectDeposit,
    context: ElementContext<'_, WorkerKey>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let ElementContext { base, owner, .. } = context;
    let own = format!("{base}/workers/{}/directdeposits/{}", owner.worker_id, row.direct_deposit_id);
    let shown =
        DescribedResource::with_links(row, vec![Link::to_self(Href::Complete(own))]).with_account_numbers();
    serde_json::to_writer(out, &shown.with_members(row.added_members(&DepositRequester::default())))
}
