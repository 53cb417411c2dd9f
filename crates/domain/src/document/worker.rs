//! A worker in a document: what several members say together.

use crate::code::Reason;
use crate::description::objects::{ObjectKind, Readable};
use crate::object::reader::ObjectReader;
use crate::object::values::subdivision;
use crate::worker::taxes::{TaxSettings, Taxes};
use crate::worker::{Worker, history};

/// A worker with everything that belongs to them.
///
/// The state in which they work is a member of the worker and a tax setting as well; it may be written at
/// either place. Tax settings that say nothing are none.
pub(super) fn worker(object: &mut ObjectReader<'_>) -> Option<Worker> {
    let mut worker = Worker::read(object);
    let of_taxes = object.quietly(work_state_of_taxes);
    if of_taxes.is_some() {
        let own = object.quietly(|object| object.optional("workState", subdivision)).flatten();
        if own.is_some() && own != of_taxes {
            object.fault(Reason::FieldAmbiguous, "workState", "differs from that of the taxes");
            return None;
        }
    }
    history::complete(worker.as_mut()?, object);
    let Worker { work_state, taxes, .. } = worker.as_mut()?;
    *work_state = work_state.take().or(of_taxes);
    taxes.take_if(|taxes| *taxes == TaxSettings::default());
    worker
}

/// The state of work that tax settings name in which nothing is wrong.
fn work_state_of_taxes(object: &mut ObjectReader<'_>) -> Option<String> {
    let state = object.optional_object("taxes", |taxes| {
        let state = taxes.quietly(|taxes| taxes.optional("workState", subdivision))??;
        Taxes::read(taxes).map(|_| state)
    });
    state.flatten()
}
