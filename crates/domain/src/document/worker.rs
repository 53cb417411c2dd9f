//! Reads a worker from a document, including rules across several members.

use crate::code::Reason;
use crate::description::objects::{ObjectKind, Readable};
use crate::object::reader::ObjectReader;
use crate::object::values::read_subdivision;
use crate::worker::taxes::{TaxSettings, TaxSettingsKind};
use crate::worker::{MAX_LIST_ELEMENTS, Worker, history, parts};

/// Reads a worker with all data that belongs to the worker.
///
/// The work state is a member of the worker and also of the tax settings. A document may contain the work
/// state in one of these members, or in both with the same value. Empty tax settings are treated as absent.
pub(super) fn read_worker(object: &mut ObjectReader<'_>) -> Option<Worker> {
    let mut worker = Worker::read(object);
    let of_taxes = object.read_without_reporting(read_work_state_of_taxes);
    if of_taxes.is_some() {
        let own = object
            .read_without_reporting(|object| object.read_optional("workState", read_subdivision))
            .flatten();
        if own.is_some() && own != of_taxes {
            object.report_fault(
                Reason::FieldAmbiguous,
                "workState",
                "must be equal to the workState in the taxes",
            );
            return None;
        }
    }
    for list in parts::find_too_long_lists(worker.as_ref()?) {
        let rule = format!("has more than {MAX_LIST_ELEMENTS} elements");
        object.report_fault(Reason::FieldInvalid, list.member, &rule);
    }
    history::normalize_and_check_statuses(worker.as_mut()?, object);
    let Worker { work_state, taxes, .. } = worker.as_mut()?;
    *work_state = work_state.take().or(of_taxes);
    taxes.take_if(|taxes| *taxes == TaxSettings::default());
    worker
}

/// Returns the work state that the tax settings contain. Returns `None` if the tax settings have a fault.
fn read_work_state_of_taxes(object: &mut ObjectReader<'_>) -> Option<String> {
    let state = object.read_optional_object("taxes", |taxes| {
        let state =
            taxes.read_without_reporting(|taxes| taxes.read_optional("workState", read_subdivision))??;
        TaxSettingsKind::read(taxes).map(|_| state)
    });
    state.flatten()
}
