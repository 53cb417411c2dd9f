//! The distribution of a worker's work over jobs and labor assignments (specification §6.25).

use crate::code::Reason;
use crate::description::described;
use crate::description::kinds::{Identifier, Percentage};
use crate::description::objects::{ListKind, Readable};
use crate::id::ReferenceId;
use crate::money::Rate;
use crate::object::reader::ObjectReader;

described! {
    /// The share of a worker's work for one job or labor assignment.
    pub struct AssignmentDistribution {
        /// The job to which this share is assigned.
        "jobId" job_id: optional ReferenceId as Identifier;
        /// The labor assignment to which this share is assigned.
        "laborAssignmentId" labor_assignment_id: optional ReferenceId as Identifier;
        /// The share in percent. The shares of a worker add up to 100.
        "value" value: required Rate as Percentage;
    }
}

/// Reads the list of a worker's distributions. Each distribution must have a job or a labor assignment.
pub(crate) struct DistributionListKind;

impl ListKind<AssignmentDistribution> for DistributionListKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<AssignmentDistribution>> {
        object.read_list(name, |object| {
            let distribution = AssignmentDistribution::read(object)?;
            if distribution.job_id.is_none() && distribution.labor_assignment_id.is_none() {
                object.report_fault(
                    Reason::FieldMissing,
                    "jobId",
                    "is missing: send it or laborAssignmentId",
                );
            }
            Some(distribution)
        })
    }
}
