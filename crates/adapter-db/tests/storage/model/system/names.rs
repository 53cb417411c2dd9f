//! The ids and names of the objects that the model knows by their index.

use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::hook::HookKey;
use payroll_domain::id::{CompanyId, PayPeriodId, PaycheckId, WorkerId};
use payroll_domain::money::Amount;
use payroll_ports::contract::world::id;
use payroll_ports::write::AuditContext;

use super::super::state::{self, AuditSubject, application_of};
use super::super::transition::RecordRef;
use super::{System, timestamp_at};

impl System {
    pub(in super::super) fn company_id(&self, company: usize) -> CompanyId {
        id(&format!("s{}-{company}", self.sequence))
    }

    pub(in super::super) fn worker_id(&self, company: usize, worker: usize) -> WorkerId {
        id(&format!("s{}-{company}-w{worker}", self.sequence))
    }

    pub(in super::super) fn paycheck_id(&self, company: usize, check: usize) -> PaycheckId {
        id(&format!("s{}-{company}-c{check}", self.sequence))
    }

    pub(in super::super) fn hook_key(&self, hook: usize) -> HookKey {
        let application_id = id(&format!("app{}", application_of(hook)));
        HookKey { application_id, hook_id: id(&format!("s{}-h{hook}", self.sequence)) }
    }

    pub(super) fn idempotency_key(&self, key: usize) -> String {
        format!("s{}-k{key}", self.sequence)
    }

    /// Returns the id of the object that an audit row is about.
    pub(in super::super) fn subject_id(&self, company: usize, subject: AuditSubject) -> String {
        match subject {
            AuditSubject::Company => self.company_id(company).to_string(),
            AuditSubject::Period(period) => period_id(period).to_string(),
            AuditSubject::Worker(worker) => self.worker_id(company, worker).to_string(),
            AuditSubject::Application(application) => format!("app{application}"),
            AuditSubject::Hook(hook) => {
                let key = self.hook_key(hook);
                format!("{}/{}", key.application_id, key.hook_id)
            }
        }
    }

    /// Returns the context of a change by an operator.
    pub(super) fn audit_context(&self, operator: usize, record: Option<RecordRef>, now: i64) -> AuditContext {
        AuditContext::new(
            actor(state::Actor::Operator(operator)),
            timestamp_at(now),
            record.map(|record| self.response_record(record, now)),
        )
    }
}

pub(in super::super) fn period_id(period: usize) -> PayPeriodId {
    id(&format!("p{period}"))
}

pub(in super::super) fn operator_name(operator: usize) -> String {
    format!("operator{operator}")
}

pub(in super::super) fn actor(actor: state::Actor) -> Actor {
    match actor {
        state::Actor::Application(number) => {
            Actor { kind: ActorKind::Application, name: format!("app{number}") }
        }
        state::Actor::Operator(number) => Actor { kind: ActorKind::Operator, name: operator_name(number) },
        state::Actor::Housekeeping => Actor { kind: ActorKind::Server, name: "housekeeping".to_owned() },
    }
}

pub(in super::super) fn amount(cents: u64) -> Amount {
    Amount::parse(&format!("{}.{:02}", cents / 100, cents % 100)).unwrap()
}
