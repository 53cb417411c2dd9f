//! Changes workers and grants with the ports.

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::applications::GrantChange;
use payroll_ports::contract::world::grant_update;
use payroll_ports::resources::{ObjectWrite, WriteOutcome, WriteRefusal};

use super::super::state::{Access, Outcome};
use super::super::transition::{RecordRef, RequestVersion};
use super::periods::lock_holder;
use super::{System, timestamp_at};

impl System {
    pub(super) async fn add_worker(
        &self,
        operator: usize,
        (company, number): (usize, usize),
        record: Option<RecordRef>,
        now: i64,
    ) -> Outcome {
        let worker = Resource::Worker(Box::new(self.worker(company, number, 0)));
        let audit = self.audit_context(operator, record, now);
        let create = ObjectWrite::Create(worker);
        let result =
            self.ports.store.write_resource(&self.company_id(company), &create, &audit).await.unwrap();
        if let WriteOutcome::Stored(version) = result {
            assert_eq!(
                version,
                timestamp_at(now).as_micros(),
                "the first version is the instant of the creation"
            );
            self.memory.borrow_mut().first_versions.insert((company, number), version);
        }
        write_outcome(result, timestamp_at(now).as_micros())
    }

    pub(super) async fn rename_worker(
        &self,
        operator: usize,
        (company, number): (usize, usize),
        (name, version): (usize, RequestVersion),
        now: i64,
    ) -> Outcome {
        let (company_id, store) = (self.company_id(company), &self.ports.store);
        let worker_id = self.worker_id(company, number);
        let stored = store.resource(&company_id, ResourceKind::Worker, worker_id.as_str()).await.unwrap();
        let current = stored.map_or(0, |stored| stored.version);
        let first = *self.memory.borrow_mut().first_versions.entry((company, number)).or_insert(current);
        let version = match version {
            RequestVersion::Any => None,
            RequestVersion::Current => Some(current),
            RequestVersion::Stale => Some(current - 1),
        };
        let worker = Resource::Worker(Box::new(self.worker(company, number, name)));
        let replace = ObjectWrite::Replace(worker, version);
        write_outcome(
            store
                .write_resource(&company_id, &replace, &self.audit_context(operator, None, now))
                .await
                .unwrap(),
            first,
        )
    }

    pub(super) async fn set_grant(
        &self,
        operator: usize,
        (company, application): (usize, usize),
        access: Access,
        now: i64,
    ) -> Outcome {
        let scopes = match access {
            Access::None => Scopes::NONE,
            Access::Workers => [Scope::ReadWorkers].into_iter().collect(),
            Access::Payroll => [Scope::ReadPayroll].into_iter().collect(),
            Access::All => Scopes::all(),
        };
        let company_id = self.company_id(company);
        let call = grant_update(&self.callers[application], company_id.as_str(), GrantChange::Set(scopes));
        self.ports
            .store
            .update_grant(&call, &self.audit_context(operator, None, now))
            .await
            .unwrap()
            .unwrap();
        Outcome::Done
    }
}

/// Converts the result of a write to the result type of the model. `first` is the first version of the
/// object.
fn write_outcome(written: WriteOutcome, first: i64) -> Outcome {
    match written {
        WriteOutcome::Stored(version) => Outcome::Stored(version - first),
        WriteOutcome::Refused(WriteRefusal::Locked(lock)) => Outcome::Locked(lock_holder(&lock)),
        WriteOutcome::Refused(WriteRefusal::Stale) => Outcome::Stale,
        WriteOutcome::Refused(WriteRefusal::Taken(_)) => Outcome::Taken,
        WriteOutcome::Refused(WriteRefusal::Unknown) => Outcome::Unknown,
        WriteOutcome::Refused(WriteRefusal::RecordLost) => Outcome::RecordLost,
        WriteOutcome::Refused(other) => panic!("{other:?}"),
    }
}
