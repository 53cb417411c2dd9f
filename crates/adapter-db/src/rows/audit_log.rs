//! Rows of the audit log and of the event feed. The rows for inserting have no positions, which the database
//! assigns.

use payroll_domain::audit::{Actor, ActorKind, AuditAction, AuditRow, AuditedKind};
use payroll_domain::date::Timestamp;
use payroll_domain::event::{Event, EventAction, EventDomain, FiredEvent};

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::table::table;

table! {
    /// A row of the audit log that is not stored yet.
    struct NewAuditRow in "audit" key "position" {
        at: int,
        actor_kind: text,
        actor_name: text,
        company_id: text_or_null,
        action: text,
        kind: text,
        resource_id: text,
        before: text_or_null,
        after: text_or_null,
    }
}

table! {
    /// An event that is not stored yet.
    struct NewEventRow in "events" key "position" {
        event_id: text,
        company_id: text,
        application_id: text_or_null,
        worker_id: text_or_null,
        pay_period_id: text_or_null,
        domain: text,
        action: text,
        as_of: int,
    }
}

table! {
    /// A row of the audit log.
    struct StoredAuditRow in "audit" key "position" {
        position: int,
        at: int,
        actor_kind: text,
        actor_name: text,
        company_id: text_or_null,
        action: text,
        kind: text,
        resource_id: text,
        before: text_or_null,
        after: text_or_null,
    }
}

table! {
    /// The row of an event.
    struct EventRow in "events" key "position" {
        position: int,
        event_id: text,
        company_id: text,
        application_id: text_or_null,
        worker_id: text_or_null,
        pay_period_id: text_or_null,
        domain: text,
        action: text,
        as_of: int,
    }
}

impl StoredAuditRow {
    /// Converts the row to an entry of the audit log.
    pub(crate) fn into_audit_row(self) -> Outcome<AuditRow> {
        let key = self.position.to_string();
        let at = RowLocation { table: "audit", key: &key };
        Ok(AuditRow {
            position: self.position,
            at: Timestamp::from_micros(self.at),
            actor: Actor { kind: at.parse_text(&self.actor_kind, ActorKind::parse)?, name: self.actor_name },
            company_id: at.parse_optional_id(self.company_id.as_deref())?,
            action: at.parse_text(&self.action, AuditAction::parse)?,
            kind: at.parse_text(&self.kind, AuditedKind::parse)?,
            resource_id: self.resource_id,
            before: self.before,
            after: self.after,
        })
    }
}

impl EventRow {
    /// Converts the row to an event.
    pub(crate) fn into_event(self) -> Outcome<Event> {
        let key = self.position.to_string();
        let at = RowLocation { table: "events", key: &key };
        let fired = FiredEvent {
            domain: at.parse_text(&self.domain, EventDomain::parse)?,
            action: at.parse_text(&self.action, EventAction::parse)?,
            worker_id: at.parse_optional_id(self.worker_id.as_deref())?,
            pay_period_id: at.parse_optional_id(self.pay_period_id.as_deref())?,
        };
        Ok(Event {
            position: self.position,
            event_id: self.event_id,
            company_id: at.parse_id(&self.company_id)?,
            application_id: at.parse_optional_id(self.application_id.as_deref())?,
            fired,
            as_of: Timestamp::from_micros(self.as_of),
        })
    }
}
