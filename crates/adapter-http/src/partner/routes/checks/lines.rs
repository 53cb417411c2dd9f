//! Adds, changes and removes single lines of an unprocessed check (specification §7.14).

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Bytes;
use payroll_domain::check::{
    Batch, EnteredPay, Line, MAX_LINES_PER_CHECK, Section, StoredCheck, ValidationFacts,
    create_one_line_document, to_line_document, validate,
};
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::{CheckComponentId, PaycheckId};
use payroll_domain::input::{Node, Value};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::checks::{AnyCheck, CheckChange, CheckChangeOutcome, CheckKey};
use payroll_ports::idempotency::StoredResponse;

use super::rejected_checks_failure;
use super::removal::contention_failure;
use crate::partner::call::PartnerCall;
use crate::partner::writing::{self, with_etag};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::media_type::{JSON, MERGE_PATCH};
use crate::shared::precondition::IfMatch;
use crate::shared::response;
use crate::shared::wire::{CheckResource, Envelope, LineResource};

/// The maximum number of times that one request is validated. The validation is repeated after another
/// request has changed a check of the pay period. With 50 attempts, at least 50 clients can change lines of
/// a pay period at the same time.
const MAX_ATTEMPTS: u32 = 50;

/// Handles a request for `POST /checks/{checkId}/checkcomponents`.
pub(crate) async fn add_line(mut call: PartnerCall) -> HandlerResult {
    let partner = Arc::clone(&call.partner);
    let offers = [partner.media_types.check_component.as_str(), JSON];
    let (dry_run, media_type) = read_dry_run_and_media_type(&call, &offers, &offers).await?;
    let key = read_check_key(&call).await?;
    let body = call.read_body(Reason::BodyTooLarge).await?;
    let change = LineChange { call: &call, key, media_type, dry_run, if_match: IfMatch::Any };
    change.read_check().await?;
    writing::run_with_idempotency(&call, dry_run, &body, async |guard| {
        change.execute_edit(&LineEdit::Add(body.clone()), guard).await
    })
    .await
}

/// Handles a request for `PATCH /checks/{checkId}/checkcomponents/{checkComponentId}`.
pub(crate) async fn patch_line(mut call: PartnerCall) -> HandlerResult {
    let partner = Arc::clone(&call.partner);
    let offers = [partner.media_types.check_component.as_str(), JSON];
    let (dry_run, media_type) =
        read_dry_run_and_media_type(&call, &offers, &[offers[0], JSON, MERGE_PATCH]).await?;
    let (key, line) = (read_check_key(&call).await?, call.id("checkComponentId").await?);
    let body = call.read_body(Reason::BodyTooLarge).await;
    let if_match = IfMatch::read_optional(call.incoming.headers());
    let mut change = LineChange { call: &call, key, media_type, dry_run, if_match: IfMatch::Any };
    change.read_check().await?;
    change.if_match = if_match?;
    change
        .execute_edit(&LineEdit::Patch(line, body?), &idempotency::guard_without_record(&call.incoming))
        .await
}

/// Handles a request for `DELETE /checks/{checkId}/checkcomponents/{checkComponentId}`.
pub(crate) async fn delete_line(call: PartnerCall) -> HandlerResult {
    let partner = Arc::clone(&call.partner);
    let dry_run = writing::is_dry_run(&call).await?;
    let media_type = call.negotiate(&[&partner.media_types.check_component, JSON]).await?;
    let (key, line) = (read_check_key(&call).await?, call.id("checkComponentId").await?);
    let if_match = IfMatch::read_optional(call.incoming.headers());
    let mut change = LineChange { call: &call, key, media_type, dry_run, if_match: IfMatch::Any };
    change.read_check().await?;
    change.if_match = if_match?;
    change.execute_edit(&LineEdit::Remove(line), &idempotency::guard_without_record(&call.incoming)).await
}

async fn read_dry_run_and_media_type<'t>(
    call: &PartnerCall,
    offers: &[&'t str],
    accepted: &[&str],
) -> Result<(bool, &'t str), Failure> {
    let dry_run = writing::is_dry_run(call).await?;
    call.prefer_authentication_failure(call.incoming.check_content_type(accepted)).await?;
    Ok((dry_run, call.negotiate(offers).await?))
}

/// Returns the company id, the worker id and the check id of the check in the path.
async fn read_check_key(call: &PartnerCall) -> Result<CheckKey, Failure> {
    let company_id = call.company_id().await?;
    let paycheck_id: PaycheckId = call.id("checkId").await?;
    let owner = call.incoming.api.store.find_owner_of_check(&paycheck_id).await?;
    match owner.filter(|(company, _)| *company == company_id) {
        Some((_, worker_id)) => Ok(CheckKey { company_id, worker_id, paycheck_id }),
        // The check was removed between the look-up of its company and this look-up of its worker. The
        // check is therefore reported as unknown.
        None => call.prefer_authorization_failure(Err(Reason::UnknownResource)).await,
    }
}

/// The change that a request makes to one line of a check.
enum LineEdit {
    Add(Bytes),
    Patch(CheckComponentId, Bytes),
    Remove(CheckComponentId),
}

/// A request of a caller who may change the check.
struct LineChange<'a> {
    call: &'a PartnerCall,
    key: CheckKey,
    media_type: &'a str,
    dry_run: bool,
    if_match: IfMatch,
}

impl LineChange<'_> {
    /// Returns the stored check, with the version of its pay period.
    async fn read_check(&self) -> Result<(StoredCheck, i64), Failure> {
        let (_, found) =
            self.call.check_access(self.call.store().read_check(&self.call.caller, &self.key).await?)?;
        let found = found.ok_or(Reason::UnknownResource)?;
        match found.check {
            AnyCheck::Unprocessed(check) => Ok((check, found.version)),
            AnyCheck::Processed(_) => {
                let sentence = "the pay period of the check is processed, so its lines cannot be changed";
                Err(Violation::new(Reason::StateForbids, sentence).into())
            }
        }
    }

    /// Validates the line and stores the check. If another request changed the stored data between the two
    /// steps, both steps are repeated.
    async fn execute_edit(&self, edit: &LineEdit, guard: &Arc<InFlightGuard>) -> HandlerResult {
        for _ in 0..MAX_ATTEMPTS {
            let (before, version) = self.read_check().await?;
            self.if_match.required_version(version)?;
            if before.reversal.is_some() {
                let sentence = "the check reverses another one, so its lines cannot be changed";
                return Err(Violation::new(Reason::StateForbids, sentence).into());
            }
            let (after, line) = self.apply_edit(&before, edit).await?;
            let response = self.stored_response(&after, edit, line.as_ref())?;
            if self.dry_run {
                let is_patch = matches!(edit, LineEdit::Patch(..));
                return if is_patch {
                    with_etag(send_or_no_content(response)?, version)
                } else {
                    send_or_no_content(response)
                };
            }
            let api = &self.call.incoming.api;
            let change = CheckChange {
                company_id: self.key.company_id.clone(),
                application_id: self.call.caller.application_id.clone(),
                before,
                after,
                now: api.now(),
                response_record: response.as_ref().and_then(|response| guard.response_record(response)),
            };
            let store = Arc::clone(&api.store);
            match guard.commit(async move { store.change_check(&change).await }).await? {
                CheckChangeOutcome::Stored(version) if response.is_some() => {
                    return with_etag(send_or_no_content(response)?, version);
                }
                CheckChangeOutcome::Stored(_) => return send_or_no_content(response),
                CheckChangeOutcome::RecordLost => return Err(idempotency::superseded_failure()),
                CheckChangeOutcome::FactsChanged => {}
            }
        }
        Err(contention_failure())
    }

    /// Returns the changed check, and the id of the line if the line was patched.
    async fn apply_edit(
        &self,
        before: &StoredCheck,
        edit: &LineEdit,
    ) -> Result<(StoredCheck, Option<CheckComponentId>), Failure> {
        let mut after = before.clone();
        let at =
            |id| before.check_component_ids.iter().position(|own| own == id).ok_or(Reason::UnknownResource);
        let (patched, body, base) = match edit {
            LineEdit::Remove(id) => {
                let at = at(id)?;
                self.require_changeable(before).await?;
                if before.check.lines.len() == 1 {
                    let sentence = "a check has at least one line; delete the check instead";
                    return Err(Violation::new(Reason::NotDeletable, sentence).into());
                }
                after.check_component_ids.remove(at);
                after.check.lines.remove(at);
                return Ok((after, None));
            }
            LineEdit::Patch(id, body) => {
                let at = at(id)?;
                after.check_component_ids.remove(at);
                (Some((id.clone(), at)), body, Some(after.check.lines.remove(at)))
            }
            LineEdit::Add(body) => (None, body, None),
        };
        // The worker's assignment distributions may split a new line into several lines.
        for line in self.validate_merged_line(before, base, body).await? {
            let begin = after.check.lines.iter().filter(|other| other.section < line.section).count();
            let end = after.check.lines.iter().filter(|other| other.section <= line.section).count();
            // A changed line keeps its position in its section. A new line is the last one of its section.
            let (id, at) = match &patched {
                Some((id, at)) => (id.clone(), (*at).clamp(begin, end)),
                None => (self.call.new_ids().next_id(), end),
            };
            after.check.lines.insert(at, line);
            after.check_component_ids.insert(at, id);
        }
        if after.check.lines.len() > MAX_LINES_PER_CHECK {
            let sentence = format!("a check has at most {MAX_LINES_PER_CHECK} lines");
            return Err(Violation::new(Reason::FieldInvalid, sentence).into());
        }
        if EnteredPay::from_lines(&after.check.lines).is_none() {
            let sentence = "the sum of the check exceeds the maximum amount";
            return Err(Violation::new(Reason::FieldInvalid, sentence).into());
        }
        Ok((after, patched.map(|(id, _)| id)))
    }

    /// Validates the line in the body, merged with the stored line if there is one. Several lines are
    /// returned if the worker's assignment distributions split a new line.
    async fn validate_merged_line(
        &self,
        check: &StoredCheck,
        base: Option<Line>,
        body: &Bytes,
    ) -> Result<Vec<Line>, Failure> {
        let sections = base.as_ref().map_or(Section::Earnings, |line| line.section);
        let on_batch = LineValidation { check, base: base.as_ref(), body, call: self.call };
        // The section depends on the component of the line, so the component must be read first.
        let lookups = on_batch.validate_in_pool(sections, |batch| Ok(batch.required_lookups())).await?;
        let guarded = self.call.store();
        let now = self.call.incoming.api.now();
        let guarded = guarded
            .read_check_validation_data(&self.call.caller, &self.key.company_id, &lookups, now)
            .await?;
        let (_, mut facts) = self.call.check_access(guarded)?;
        facts.used_correlation_ids.clear();
        // A job id that is stored with the line remains valid. The company may have introduced its list of
        // jobs after the line was stored.
        if let Some(id) = base.as_ref().and_then(|line| line.job_id.as_ref()) {
            facts.jobs.add_id(id);
        }
        if let Some(id) = base.as_ref().and_then(|line| line.labor_assignment_id.as_ref()) {
            facts.labor_assignments.add_id(id);
        }
        let component = lookups.components.first().and_then(|id| facts.components.get(id));
        let section = component.map_or(sections, |component| Section::for_effect(component.effect_on_pay));
        on_batch.validate_in_pool(section, move |batch| validate_lines(batch, &facts, section)).await
    }

    /// Returns an error if the company is locked or the pay period is closed.
    async fn require_changeable(&self, check: &StoredCheck) -> Result<(), Failure> {
        let mut period = payroll_domain::check::RequiredLookups::default();
        period.pay_periods = vec![check.check.pay_period_id.clone()];
        let now = self.call.incoming.api.now();
        let facts = self
            .call
            .store()
            .read_check_validation_data(&self.call.caller, &self.key.company_id, &period, now)
            .await?;
        let (_, facts) = self.call.check_access(facts)?;
        payroll_domain::check::validate_check_removal(&check.check.pay_period_id, &facts)
            .map_err(|faults| rejected_checks_failure(faults, &facts))
    }

    /// Returns the response: the check for POST, the line for PATCH, and nothing for DELETE.
    fn stored_response(
        &self,
        after: &StoredCheck,
        edit: &LineEdit,
        line: Option<&CheckComponentId>,
    ) -> Result<Option<StoredResponse>, Failure> {
        let base = self.call.incoming.base_url();
        let body = match edit {
            LineEdit::Remove(_) => return Ok(None),
            LineEdit::Add(_) => {
                Envelope::without_links().serialize(std::slice::from_ref(after), |check, out| {
                    let shown = match self.dry_run {
                        true => CheckResource::from_preview(&check.check),
                        false => CheckResource::from_stored(check, Some(&base)),
                    };
                    serde_json::to_writer(out, &shown)
                })?
            }
            LineEdit::Patch(..) => {
                let numbered = after.check_component_ids.iter().zip(&after.check.lines);
                let lines: Vec<_> = numbered.filter(|(id, _)| Some(*id) == line).collect();
                Envelope::without_links().serialize(&lines, |(id, line), out| {
                    serde_json::to_writer(out, &LineResource::new(line, Some(id)))
                })?
            }
        };
        Ok(Some(StoredResponse { status: 200, content_type: self.media_type.to_owned(), body }))
    }
}

fn send_or_no_content(response: Option<StoredResponse>) -> HandlerResult {
    response.map_or_else(|| Ok(HttpResponse::NoContent().finish()), response::from_stored)
}

/// Validates a line as the only line of a check that otherwise equals the stored check.
struct LineValidation<'a> {
    check: &'a StoredCheck,
    base: Option<&'a Line>,
    body: &'a Bytes,
    call: &'a PartnerCall,
}

impl LineValidation<'_> {
    async fn validate_in_pool<T: Send + 'static>(
        &self,
        section: Section,
        work: impl FnOnce(&Batch<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (check, base) = (self.check.check.clone(), self.base.cloned());
        let read = move |sent: Node<'_>| {
            if matches!(&sent.value, Value::Object(members) if members.is_empty()) {
                return Err(Reason::EmptyRequest.into());
            }
            if !matches!(&sent.value, Value::Object(_)) {
                return Err(Violation::new(Reason::FieldInvalid, "the body must be a line of a check").into());
            }
            let line = match &base {
                Some(stored) => merge_patch(stored, sent),
                None => sent,
            };
            let document = create_one_line_document(&check, section, line, base.is_none());
            work(&Batch::read(&document)?)
        };
        self.call.incoming.read_document(self.body, read).await
    }
}

/// Merges a patch into the stored line. If the patch sets no pay rate, the stored pay rate is removed in two
/// cases: the patch refers to one of the worker's rates, or it removes both hours and units.
fn merge_patch<'n>(stored: &Line, patch: Node<'n>) -> Node<'n> {
    let names = |member: &str| patch.member(member).is_some();
    let (by_id, by_amount) = (names("payRateId"), names("payRate"));
    let mut line = document::merge_documents(to_line_document(stored), patch);
    let has = |member: &str| line.member(member).is_some_and(|value| !value.value.is_null_or_empty_text());
    let is_timed = has("payHours") || has("payUnits");
    if let (true, Value::Object(members)) = (!by_amount && (by_id || !is_timed), &mut line.value) {
        members.retain(|(name, _)| name != "payRate");
    }
    line
}

/// Validates the lines. The pointers of faults are relative to the request body, which contains a single
/// line.
fn validate_lines(
    batch: &Batch<'_>,
    facts: &ValidationFacts,
    section: Section,
) -> Result<Vec<Line>, Failure> {
    let owner = format!("/{section}/0");
    let checks = validate(batch, facts).map_err(|faults| {
        let in_body = |mut fault: Violation| {
            fault.pointer = fault.pointer.and_then(|pointer| pointer.strip_prefix(&owner).map(str::to_owned));
            fault.correlation_id = None;
            fault
        };
        let faults = Violations::from_faults(faults.iter().cloned().map(in_body).collect());
        rejected_checks_failure(faults.unwrap_or_else(|| Reason::Internal.into()), facts)
    })?;
    let lines: Vec<_> = checks.into_iter().flat_map(|check| check.lines).collect();
    if lines.is_empty() {
        return Err(Failure::Bug("a line that was validated is missing".into()));
    }
    Ok(lines)
}
