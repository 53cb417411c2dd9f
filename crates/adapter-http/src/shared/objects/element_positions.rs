//! Maps indexes in a worker's list to indexes in the request. Faults are found in the worker's document, but
//! the response reports them with pointers into the body.

use payroll_domain::document::DefinitionMismatch;
use payroll_domain::violation::Violation;
use payroll_domain::worker::WorkerList;
use payroll_ports::resources::{MissingReference, WriteOutcome, WriteRefusal};

use super::side::ElementRules;

/// The positions of the request's elements in the worker's list.
pub(super) struct ElementPositions {
    pub(super) part: WorkerList,
    /// The index in the worker's list for each element of the request.
    pub(super) indexes: Vec<usize>,
    /// Whether the body is a list of elements. Otherwise the body is one element.
    pub(super) is_list: bool,
}

impl ElementPositions {
    /// Converts a fault of the worker's document to a fault of the body.
    pub(super) fn relocate_document_fault(
        &self,
        rules: &impl ElementRules,
        mut fault: Violation,
    ) -> Violation {
        let found = fault.pointer.as_deref().and_then(|pointer| self.element_at(pointer));
        let at = found.as_ref().map(|(at, _)| *at);
        fault.pointer = found.map(|(_, rest)| rest);
        let fault = rules.map_fault(fault);
        match at {
            Some(at) => self.with_element_position(at, fault),
            None => fault,
        }
    }

    /// Converts a fault that already points into the body. The converted fault has the error code that this
    /// API uses.
    pub(super) fn convert_request_fault(&self, rules: &impl ElementRules, mut fault: Violation) -> Violation {
        let place = fault.pointer.as_deref().filter(|_| self.is_list).map(|pointer| {
            let element = pointer.strip_prefix('/').unwrap_or_default();
            element.find('/').map_or((element, ""), |slash| element.split_at(slash))
        });
        let Some((at, rest)) = place.and_then(|(at, rest)| Some((at.parse().ok()?, rest.to_owned()))) else {
            return rules.map_fault(fault);
        };
        fault.pointer = Some(rest);
        self.with_element_position(at, rules.map_fault(fault))
    }

    /// Adds the position of an element to the pointer of its fault.
    pub(super) fn with_element_position(&self, at: usize, mut fault: Violation) -> Violation {
        if self.is_list {
            fault.pointer = Some(format!("/{at}{}", fault.pointer.unwrap_or_default()));
        }
        fault
    }

    /// Converts the pointers in the result of a write, so that they point into the body.
    pub(super) fn with_request_pointers(&self, written: WriteOutcome) -> WriteOutcome {
        let moved = |pointer: &str| match self.element_at(pointer) {
            Some((at, rest)) if self.is_list => format!("/{at}{rest}"),
            Some((_, rest)) => rest,
            None => String::new(),
        };
        match written {
            WriteOutcome::Refused(WriteRefusal::Missing(missing)) => {
                let missing =
                    missing.into_iter().map(|it| MissingReference { pointer: moved(&it.pointer), ..it });
                WriteOutcome::Refused(WriteRefusal::Missing(missing.collect()))
            }
            WriteOutcome::Refused(WriteRefusal::Unfit(mismatches)) => {
                let mismatches =
                    mismatches.into_iter().map(|it| DefinitionMismatch { pointer: moved(&it.pointer), ..it });
                WriteOutcome::Refused(WriteRefusal::Unfit(mismatches.collect()))
            }
            WriteOutcome::Stored(_) | WriteOutcome::Refused(_) => written,
        }
    }

    /// Returns the index of the request's element that a pointer refers to, and the rest of the pointer.
    /// `None` means that the pointer refers to no element of the request.
    fn element_at(&self, pointer: &str) -> Option<(usize, String)> {
        let list = format!("/{}/", self.part.member);
        let place = pointer.strip_prefix(&list)?;
        let (index, rest) = place.find('/').map_or((place, ""), |slash| place.split_at(slash));
        let index: usize = index.parse().ok()?;
        let at = self.indexes.iter().position(|own| *own == index)?;
        Some((at, rest.to_owned()))
    }
}
