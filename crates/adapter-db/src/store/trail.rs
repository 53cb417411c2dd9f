//! What a change writes besides the state itself, in the same transaction: rows of the audit trail, events,
//! and their deliveries to hooks.

use std::collections::HashMap;

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::document::{self, TaxIds};
use payroll_domain::event::{self, EventAction, EventDomain, Fired};
use payroll_domain::resource::Resource;
use payroll_ports::write::By;

use super::{Conn, fan_out};
use crate::error::Outcome;
use crate::rows::trail::{NewAuditRow, NewEventRow};
use crate::seal::Sealer;

/// The trail of one transaction, gathered while it writes.
pub(super) struct Trail<'a> {
    by: &'a By,
    sealer: &'a Sealer,
    audit: Vec<NewAuditRow>,
    events: Vec<NewEventRow>,
    /// Where in `events` is what was fired: once for a company, domain, and worker, period and
    /// application.
    event_places: HashMap<(String, EventDomain, [Option<String>; 3]), usize>,
}

/// What an audit row is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Audited<'a> {
    /// The company that it concerns, if it concerns one.
    pub(super) company_id: Option<&'a str>,
    pub(super) kind: AuditedKind,
    pub(super) id: &'a str,
}

impl<'a> Trail<'a> {
    /// An empty trail of a change by this actor.
    pub(super) fn new(by: &'a By, sealer: &'a Sealer) -> Self {
        Self { by, sealer, audit: Vec::new(), events: Vec::new(), event_places: HashMap::new() }
    }

    /// Notes a change: the documents before and after, with tax identities masked and without
    /// secrets.
    pub(super) fn audit(&mut self, about: Audited<'_>, before: Option<String>, after: Option<String>) {
        let action = match (&before, &after) {
            (None, _) => AuditAction::Create,
            (Some(_), Some(_)) => AuditAction::Update,
            (Some(_), None) => AuditAction::Delete,
        };
        self.row(about, action, (before, after));
    }

    /// Notes that something was shown in full without a change.
    pub(super) fn shown(&mut self, about: Audited<'_>, action: AuditAction) {
        self.row(about, action, (None, None));
    }

    fn row(
        &mut self,
        about: Audited<'_>,
        action: AuditAction,
        (before, after): (Option<String>, Option<String>),
    ) {
        self.audit.push(NewAuditRow {
            at: self.by.now.as_micros(),
            actor_kind: self.by.actor.kind.as_str().to_owned(),
            actor_name: self.by.actor.name.clone(),
            company_id: about.company_id.map(str::to_owned),
            action: action.as_str().to_owned(),
            kind: about.kind.as_str().to_owned(),
            resource_id: about.id.to_owned(),
            before,
            after,
        });
    }

    /// Notes that an object of a company is new, is another now, or is gone.
    pub(super) fn object(&mut self, company_id: &str, before: Option<&Resource>, after: Option<&Resource>) {
        let Some(object) = after.or(before) else { return };
        let about = Audited { company_id: Some(company_id), kind: object.kind().into(), id: object.id() };
        let document = |object| document::write(object, TaxIds::Masked);
        self.audit(about, before.map(document), after.map(document));
    }

    /// Notes what the change of an object fires. What the same transaction has fired already under
    /// that domain, for the same worker or period, is stored once.
    pub(super) fn events(&mut self, company_id: &str, before: Option<&Resource>, after: Option<&Resource>) {
        for fired in event::fired(before, after) {
            self.event(company_id, None, &fired);
        }
    }

    /// Notes an event about a company; for one application only, if one is named.
    pub(super) fn event(&mut self, company_id: &str, application_id: Option<&str>, fired: &Fired) {
        let event = NewEventRow {
            event_id: self.sealer.new_uuid(),
            company_id: company_id.to_owned(),
            application_id: application_id.map(str::to_owned),
            worker_id: fired.worker_id.as_ref().map(ToString::to_string),
            pay_period_id: fired.pay_period_id.as_ref().map(ToString::to_string),
            domain: fired.domain.as_str().to_owned(),
            action: fired.action.as_str().to_owned(),
            as_of: self.by.now.as_micros(),
        };
        let about = [&event.worker_id, &event.pay_period_id, &event.application_id].map(Option::clone);
        let place = self.event_places.entry((event.company_id.clone(), fired.domain, about));
        let place = *place.or_insert(self.events.len());
        match self.events.get_mut(place) {
            None => self.events.push(event),
            Some(noted) if noted.action == event.action => {}
            Some(noted) => EventAction::Update.as_str().clone_into(&mut noted.action),
        }
    }

    /// The id of the event that was noted last.
    pub(super) fn last_event_id(&self) -> Option<String> {
        self.events.last().map(|event| event.event_id.clone())
    }

    /// Stores what was noted, and queues a delivery of each event for each hook that it concerns.
    pub(super) async fn write(self, conn: &Conn) -> Outcome<()> {
        if fan_out::tell(conn, &self.audit, &self.events).await? > 0 {
            conn.queued();
        }
        Ok(())
    }
}
