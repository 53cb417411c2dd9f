//! The statuses of a worker: past, present and future (specification §6.29). The current status is an entry
//! of the history. The entries after the current status are future statuses.

use std::collections::HashSet;

use crate::code::Reason;
use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{Day, Enumeration, Identifier, OpenEnumeration, StatusPosition};
use crate::description::objects::{ListKind, Readable};
use crate::id::WorkerStatusId;
use crate::object::reader::ObjectReader;
use crate::status_type::StatusType;

/// The maximum number of statuses of one worker, which allows five changes a year for forty years. A response
/// with this many statuses is still small.
pub const MAX_STATUSES: usize = 200;

described! {
    /// A status in the history of a worker.
    pub struct StatusEntry {
        /// The id of the status.
        "workerStatusId" worker_status_id: optional WorkerStatusId as Identifier;
        /// The state of the employment, such as active or terminated.
        "statusType" status_type: required StatusType as Enumeration;
        /// The reason for the status, such as HIRED or RESIGNED.
        "statusReason" status_reason: optional String as OpenEnumeration;
        /// The first day on which the worker has the status.
        "effectiveDate" effective_date: required Date as Day;
        /// The position among the statuses that start on the same day. The highest position applies.
        "order" order: flag u32 as StatusPosition, in "status_order";
    }
}

/// Reads the list of a worker's statuses. Statuses of the same day must have distinct positions.
pub(crate) struct StatusListKind;

impl ListKind<StatusEntry> for StatusListKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<StatusEntry>> {
        let mut positions = HashSet::new();
        let entries = object.read_list(name, |object| {
            let entry = StatusEntry::read(object)?;
            if !positions.insert((entry.effective_date, entry.order)) {
                let rule = "must differ from that of the other statuses with this effectiveDate";
                object.report_fault(Reason::FieldInvalid, "order", rule);
            }
            Some(entry)
        })?;
        if entries.len() > MAX_STATUSES {
            let rule = format!("has {} entries, and must have at most {MAX_STATUSES}", entries.len());
            object.report_fault(Reason::FieldInvalid, name, &rule);
        }
        Some(entries)
    }
}
