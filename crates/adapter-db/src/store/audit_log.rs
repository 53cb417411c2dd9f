//! The additional rows that a change writes in its transaction: audit rows, events, and the deliveries of
//! events to hooks.

use std::collections::HashMap;

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::document::{self, TaxIdMasking};
use payroll_domain::event::{self, EventAction, EventDomain, FiredEvent};
use payroll_domain::resource::Resource;
use payroll_ports::write::AuditContext;

use super::{Conn, fan_out};
use crate::error::Outcome;
use crate::rows::audit_log::{NewAuditRow, NewEventRow};
use crate::seal::Sealer;

/// Collects the audit rows and events of one transaction while the transaction writes.
pub(super) struct AuditLog<'a> {
    context: &'a AuditContext,
    sealer: &'a Sealer,
    rows: Vec<NewAuditRow>,
    events: Vec<NewEventRow>,
    /// The index of each event in `events`. The key is the company, the domain, and three optional ids:
    /// worker, period and application.
    event_indexes: HashMap<(String, EventDomain, [Option<String>; 3]), usize>,
}

/// The object that an audit row is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct AuditedObject<'a> {
    /// The company of the object, if the object belongs to one.
    pub(super) company_id: Option<&'a str>,
    pub(super) kind: AuditedKind,
    pub(super) id: &'a str,
}

impl<'a> AuditLog<'a> {
    /// Creates an empty collection for a change by this actor.
    pub(super) fn new(context: &'a AuditContext, sealer: &'a Sealer) -> Self {
        Self { context, sealer, rows: Vec::new(), events: Vec::new(), event_indexes: HashMap::new() }
    }

    /// Records a change with the documents before and after it. Tax IDs are masked, and secrets are omitted.
    pub(super) fn record_change(
        &mut self,
        object: AuditedObject<'_>,
        before: Option<String>,
        after: Option<String>,
    ) {
        let action = match (&before, &after) {
            (None, _) => AuditAction::Create,
            (Some(_), Some(_)) => AuditAction::Update,
            (Some(_), None) => AuditAction::Delete,
        };
        self.add_audit_row(object, action, (before, after));
    }

    /// Records that a secret value, such as a tax ID, was shown in full.
    pub(super) fn record_disclosure(&mut self, object: AuditedObject<'_>, action: AuditAction) {
        self.add_audit_row(object, action, (None, None));
    }

    fn add_audit_row(
        &mut self,
        object: AuditedObject<'_>,
        action: AuditAction,
        (before, after): (Option<String>, Option<String>),
    ) {
        self.rows.push(NewAuditRow {
            at: self.context.now.as_micros(),
            actor_kind: self.context.actor.kind.as_str().to_owned(),
            actor_name: self.context.actor.name.clone(),
            company_id: object.company_id.map(str::to_owned),
            action: action.as_str().to_owned(),
            kind: object.kind.as_str().to_owned(),
            resource_id: object.id.to_owned(),
            before,
            after,
        });
    }

    /// Records that an object of a company was created, changed or deleted.
    pub(super) fn record_object_change(
        &mut self,
        company_id: &str,
        before: Option<&Resource>,
        after: Option<&Resource>,
    ) {
        let Some(object) = after.or(before) else { return };
        let about =
            AuditedObject { company_id: Some(company_id), kind: object.kind().into(), id: object.id() };
        let document = |object| document::write_resource(object, TaxIdMasking::Masked);
        self.record_change(about, before.map(document), after.map(document));
    }

    /// Records the events of an object's change. Several changes in a transaction cause only one event if
    /// their domain, worker and period are the same. If their actions differ, the event has the action
    /// `UPDATE`.
    pub(super) fn record_events(
        &mut self,
        company_id: &str,
        before: Option<&Resource>,
        after: Option<&Resource>,
    ) {
        for fired in event::find_events_of_change(before, after) {
            self.add_event(company_id, None, &fired);
        }
    }

    /// Records an event about a company. If an application is given, only that application receives it.
    pub(super) fn add_event(&mut self, company_id: &str, application_id: Option<&str>, fired: &FiredEvent) {
        let event = NewEventRow {
            event_id: self.sealer.new_uuid(),
            company_id: company_id.to_owned(),
            application_id: application_id.map(str::to_owned),
            worker_id: fired.worker_id.as_ref().map(ToString::to_string),
            pay_period_id: fired.pay_period_id.as_ref().map(ToString::to_string),
            domain: fired.domain.as_str().to_owned(),
            action: fired.action.as_str().to_owned(),
            as_of: self.context.now.as_micros(),
        };
        let about = [&event.worker_id, &event.pay_period_id, &event.application_id].map(Option::clone);
        let index = self.event_indexes.entry((event.company_id.clone(), fired.domain, about));
        let index = *index.or_insert(self.events.len());
        match self.events.get_mut(index) {
            None => self.events.push(event),
            Some(noted) if noted.action == event.action => {}
            Some(noted) => EventAction::Update.as_str().clone_into(&mut noted.action),
        }
    }

    /// Returns the id of the last recorded event. `None` if there are no events.
    pub(super) fn last_event_id(&self) -> Option<String> {
        self.events.last().map(|event| event.event_id.clone())
    }

    /// Stores the audit rows and events, and queues a delivery for each hook that an event concerns.
    pub(super) async fn store_records(self, conn: &Conn) -> Outcome<()> {
        if fan_out::insert_events(conn, &self.rows, &self.events).await? > 0 {
            conn.wake_sender_on_commit();
        }
        Ok(())
    }
}
