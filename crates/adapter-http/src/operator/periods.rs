//! Pay periods as an operator reads them, with what their checks come to; and the life of a period
//! (specification §10.14): it is processed, opened again, previewed and completed.

use std::num::NonZeroU32;
use std::sync::Arc;

use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::Bytes;
use payroll_domain::check::PeriodTotals;
use payroll_domain::code::Reason;
use payroll_domain::company::Lock;
use payroll_domain::document::{self, Completion, TaxIds};
use payroll_domain::id::{CompanyId, ComponentId, PayPeriodId};
use payroll_domain::input;
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::checks::CheckRows;
use payroll_ports::completion::Completing;
use payroll_ports::filters::ResourceFilter;
use payroll_ports::periods::{Moved, PeriodMove, PeriodSummary, PeriodView};
use payroll_ports::resources::{CompanyLock, Versioned};
use payroll_ports::{Listing, Window};

use super::call::OperatorCall;
use super::lists::read_periods;
use super::precondition::IfMatch;
use super::{answer, resources, wire};
use crate::shared::error::{Failure, unknown_company};
use crate::shared::handled::Handled;
use crate::shared::idempotency::{self, Lease};
use crate::shared::limits::MAX_JUDGEMENTS;
use crate::shared::media_type::{CSV, JSON};
use crate::shared::refusal;
use crate::shared::wire::{CheckResource, ProcessedCheckResource};

/// An odd number with its bits all over: one version does not make up for another.
const SPREAD: i64 = 0x1E37_79B9_7F4A_7C15;

/// The parameters of a completion.
pub(super) const COMPLETE_PARAMETERS: &[&str] = &["dryrun"];

/// GET …/payperiods.
pub(super) async fn list(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let company_id = call.company_id()?;
    let read = read_periods(&call.incoming.query()).map_err(Failure::from);
    let (page, filter) = call.after_company(&company_id, read).await?;
    let window = page.window(call.incoming.is_head());
    let listing = call.store().period_summaries(&company_id, &filter, window).await?;
    let listing = listing.ok_or(Reason::UnknownResource)?;
    answer::collection(&call, page, listing, |row: &Versioned<PeriodSummary>| {
        // Only strings and numbers: writing them cannot fail.
        summary(&row.value).unwrap_or_default()
    })
}

/// GET …/payperiods/{payPeriodId}.
pub(super) async fn one(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let Period { company_id, pay_period_id } = Period::of(&call)?;
    let found = call.store().period_summary(&company_id, &pay_period_id).await?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let content = summary(&found.value).map_err(|error| Failure::Bug(error.into()))?;
    answer::one(&call, found.version, content)
}

/// The document of a period with what its checks come to.
fn summary(summary: &PeriodSummary) -> serde_json::Result<String> {
    let period = Resource::PayPeriod(Box::new(summary.period.clone()));
    wire::with_totals(&document::write(&period, TaxIds::Masked), summary.totals)
}

/// POST …/payperiods/{payPeriodId}/process.
pub(super) async fn process(call: OperatorCall) -> Handled {
    carry_out(call, Step::Process).await
}

/// POST …/payperiods/{payPeriodId}/reopen.
pub(super) async fn reopen(call: OperatorCall) -> Handled {
    carry_out(call, Step::Reopen).await
}

/// POST …/payperiods/{payPeriodId}/complete.
pub(super) async fn complete(call: OperatorCall) -> Handled {
    carry_out(call, Step::Complete).await
}

/// GET …/payperiods/{payPeriodId}/checks.
pub(super) async fn checks(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let period = Period::of(&call)?;
    let page = period.after_finding(&call, call.page()).await?;
    let window = page.window(call.incoming.is_head());
    let found = call.store().checks_of_period(&period.company_id, &period.pay_period_id, window).await?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let (total, version, base) = (found.total, found.version, call.incoming.base_url());
    // Only strings and numbers: writing them cannot fail.
    match found.rows {
        CheckRows::Unprocessed(rows) => {
            answer::collection(&call, page, Listing { total, version, rows }, move |check| {
                serde_json::to_string(&CheckResource::stored(check, &base)).unwrap_or_default()
            })
        }
        CheckRows::Processed(rows) => {
            answer::collection(&call, page, Listing { total, version, rows }, move |check| {
                serde_json::to_string(&ProcessedCheckResource::new(check, &base)).unwrap_or_default()
            })
        }
    }
}

/// GET …/payperiods/{payPeriodId}/register.
pub(super) async fn register(call: OperatorCall) -> Handled {
    let media_type = call.incoming.negotiate(&[JSON, CSV])?;
    let period = Period::of(&call)?;
    let page = period.after_finding(&call, call.page()).await?;
    let window = page.window(call.incoming.is_head());
    // Read before the rows: where a worker changes in between, the next tag is another one.
    let one = Window { offset: 0, limit: Some(NonZeroU32::MIN) };
    let workers =
        call.store().resources(&period.company_id, &ResourceFilter::All(ResourceKind::Worker), one).await?;
    let found = call.store().register(&period.company_id, &period.pay_period_id, window).await?;
    let mut listing = found.ok_or(Reason::UnknownResource)?;
    // The rows name workers, so their changes are changes of the register.
    let of_workers = workers.map_or(0, |workers| workers.version);
    listing.version = listing.version.wrapping_mul(SPREAD).wrapping_add(of_workers);
    if media_type == CSV {
        return answer::csv(&call, listing, wire::register_csv);
    }
    // Only strings and numbers: writing them cannot fail.
    answer::collection(&call, page, listing, |check| wire::register_check(check).unwrap_or_default())
}

/// What can be done with a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Process,
    Reopen,
    Complete,
}

impl Step {
    /// The state that it leads to.
    const fn leads_to(self) -> PeriodStatus {
        match self {
            Self::Process => PeriodStatus::Processing,
            Self::Reopen => PeriodStatus::Entry,
            Self::Complete => PeriodStatus::Completed,
        }
    }

    const fn may_begin_at(self, status: PeriodStatus) -> bool {
        match self {
            Self::Process => status.is_open(),
            Self::Reopen | Self::Complete => matches!(status, PeriodStatus::Processing),
        }
    }

    /// 409 API-409: the period is in another state.
    fn not_from(self, status: PeriodStatus) -> Failure {
        let rule = match self {
            Self::Process => "only one that is INITIAL or ENTRY can be processed",
            Self::Reopen => "only one that is PROCESSING can be opened again",
            Self::Complete => "only one that is PROCESSING can be completed",
        };
        refusal::conflict(format!("the pay period is {status}; {rule}"))
    }

    /// What is handed in. Only a completion takes anything.
    fn read(self, body: &[u8]) -> Result<Completion, Violations> {
        if body.is_empty() {
            return Ok(Completion::default());
        }
        let node = input::parse(body).map_err(Violation::from)?;
        match self {
            Self::Process | Self::Reopen => document::read_nothing(&node).map(|()| Completion::default()),
            Self::Complete => document::read_completion(&node),
        }
    }
}

/// Does it once, whatever the idempotency key.
async fn carry_out(mut call: OperatorCall, step: Step) -> Handled {
    let has_type = call.incoming.headers().contains_key(CONTENT_TYPE);
    if has_type {
        call.takes(&[JSON])?
    } else {
        call.answers_json()?
    }
    let period = Period::of(&call)?;
    let dry_run = call.incoming.query().boolean("dryrun").map_err(Failure::from);
    let dry_run = period.after_finding(&call, dry_run).await? == Some(true);
    let body = body(&mut call).await;
    let body = period.after_finding(&call, body).await?;
    if dry_run {
        return preview(&call, &period, &body).await;
    }
    call.once(&body, async |lease| {
        let moving = Moving { call: &call, period: &period, step, lease };
        moving.carry_out(&body).await
    })
    .await
}

/// Answers what completing would do; stores nothing.
async fn preview(call: &OperatorCall, period: &Period, body: &Bytes) -> Handled {
    period.after_finding(call, idempotency::unused_key(&call.incoming).map_err(Failure::from)).await?;
    let read = call.incoming.work_on(body, |body| Ok(Step::Complete.read(body))).await?;
    let components = read.as_ref().map(Completion::components).unwrap_or_default();
    let if_match = IfMatch::sent(call.incoming.headers())?;
    let view = period.view(call, &components).await?;
    if !if_match.admits(view.version) {
        return Err(Reason::PreconditionFailed.into());
    }
    let (status, check_date) = (view.period.status, view.period.check_date);
    if status.is_processed() {
        let rule = "only one that is INITIAL, ENTRY or PROCESSING can be previewed";
        return Err(refusal::conflict(format!("the pay period is {status}; {rule}")));
    }
    let moved = period.moved(Some(view.version), view.period);
    let completing = Completing { moved, completion: Arc::new(read?), components: view.components };
    let preview = completing.preview(call.store(), check_date).await?;
    let content = wire::preview(preview, answer::own(call)).map_err(|error| Failure::Bug(error.into()))?;
    answer::tagged(answer::content(call, content)?, view.version)
}

/// The body, which may be absent.
async fn body(call: &mut OperatorCall) -> Result<Bytes, Failure> {
    let body = call.body().await?;
    if !body.is_empty() {
        call.incoming.check_content_type(&[JSON])?;
    }
    Ok(body)
}

/// The period in the path.
pub(super) struct Period {
    pub(super) company_id: CompanyId,
    pub(super) pay_period_id: PayPeriodId,
}

impl Period {
    /// # Errors
    /// 404 API-7 for texts that can be the ids of nothing.
    pub(super) fn of(call: &OperatorCall) -> Result<Self, Failure> {
        Ok(Self { company_id: call.company_id()?, pay_period_id: call.id("payPeriodId")? })
    }

    /// The period as it is stored.
    ///
    /// # Errors
    /// 404 API-7.
    pub(super) async fn view(
        &self,
        call: &OperatorCall,
        components: &[ComponentId],
    ) -> Result<PeriodView, Failure> {
        let now = call.incoming.api.now();
        let view = call.store().period(&self.company_id, &self.pay_period_id, components, now).await?;
        view.ok_or_else(|| Reason::UnknownResource.into())
    }

    /// Its move from what was seen.
    fn moved(&self, version: Option<i64>, seen: PayPeriod) -> PeriodMove {
        PeriodMove {
            company_id: self.company_id.clone(),
            pay_period_id: self.pay_period_id.clone(),
            version,
            seen: Some(seen),
        }
    }

    /// Lets a fault speak only where the period exists.
    ///
    /// # Errors
    /// 404 API-7, else the fault.
    pub(super) async fn after_finding<T>(
        &self,
        call: &OperatorCall,
        judged: Result<T, Failure>,
    ) -> Result<T, Failure> {
        if judged.is_err() {
            self.view(call, &[]).await?;
        }
        judged
    }
}

/// A move on its way.
struct Moving<'a> {
    call: &'a OperatorCall,
    period: &'a Period,
    step: Step,
    lease: &'a Arc<Lease>,
}

impl Moving<'_> {
    /// Judges and moves, again where the period has changed in between.
    async fn carry_out(&self, body: &Bytes) -> Handled {
        let step = self.step;
        let read = self.call.incoming.work_on(body, move |body| Ok(step.read(body)));
        let completion = read.await?.map(Arc::new);
        let components = completion.as_ref().map(|it| it.components()).unwrap_or_default();
        let if_match = IfMatch::sent(self.call.incoming.headers())?;
        for _ in 0..MAX_JUDGEMENTS {
            let view = self.period.view(self.call, &components).await?;
            if !if_match.admits(view.version) {
                return Err(Reason::PreconditionFailed.into());
            }
            if !self.step.may_begin_at(view.period.status) {
                return Err(self.step.not_from(view.period.status));
            }
            let completion = completion.clone()?;
            self.is_free(&view)?;
            match self.move_it(&if_match, view, completion).await? {
                (Moved::Done(version), content) => return answer::changed(self.call, version, &content),
                // Whoever takes any version takes the next one too.
                (Moved::Stale, _) if if_match == IfMatch::Any => {}
                (refused, _) => return Err(self.failure(refused)),
            }
        }
        Err(resources::crowded())
    }

    /// 423 API-10 while another operator holds the company.
    fn is_free(&self, view: &PeriodView) -> Result<(), Failure> {
        let others = |lock: &&Lock| lock.holder != self.call.caller.actor.name;
        match view.lock.as_ref().filter(others) {
            Some(lock) => Err(self.locked(&CompanyLock::Operator(lock.clone()))),
            None => Ok(()),
        }
    }

    fn locked(&self, lock: &CompanyLock) -> Failure {
        refusal::locked(lock, self.call.incoming.api.now())
    }

    /// The period as it will be.
    fn content(&self, view: &PeriodView) -> String {
        let period = PayPeriod { status: self.step.leads_to(), ..view.period.clone() };
        document::write(&Resource::PayPeriod(Box::new(period)), TaxIds::Masked)
    }

    /// What became of the move, and what is answered if it is done.
    async fn move_it(
        &self,
        if_match: &IfMatch,
        view: PeriodView,
        completion: Arc<Completion>,
    ) -> Result<(Moved, String), Failure> {
        // An open period gets checks all the time, which change nothing that the answer shows; one in
        // processing stands still.
        let any = self.step == Step::Process && *if_match == IfMatch::Any;
        let mut content = self.content(&view);
        let moved = self.period.moved((!any).then_some(view.version), view.period);
        let completing = Completing { moved, completion, components: view.components };
        if self.step == Step::Complete {
            let totals = completing.judge(self.call.store()).await??;
            let totals = PeriodTotals::Processed(totals);
            content = wire::with_totals(&content, totals).map_err(|error| Failure::Bug(error.into()))?;
        }
        let kept = answer::whole(200, &content, vec![answer::own(self.call)])?;
        let by = self.call.by(self.lease.kept(&kept));
        let mut ids = self.call.new_ids();
        let (step, store) = (self.step, Arc::clone(&self.call.incoming.api.store));
        let change = async move {
            match step {
                Step::Process => store.process(&completing.moved, &by).await,
                Step::Reopen => store.reopen(&completing.moved, &by).await,
                Step::Complete => completing.carry_out(store.as_ref(), &mut ids, &by, &|_| ()).await,
            }
        };
        Ok((self.lease.commit(change).await?, content))
    }

    fn failure(&self, refused: Moved) -> Failure {
        match refused {
            Moved::UnknownCompany => unknown_company().into(),
            Moved::UnknownPeriod => Reason::UnknownResource.into(),
            Moved::Stale => Reason::PreconditionFailed.into(),
            Moved::NotFrom(status) => self.step.not_from(status),
            Moved::Locked(lock) => self.locked(&lock),
            Moved::Overtaken => {
                refusal::conflict("another completion of the pay period has overtaken this one")
            }
            Moved::MarkLost => idempotency::overtaken(),
            Moved::Done(_) => Failure::Bug("what is done is no refusal".into()),
        }
    }
}
