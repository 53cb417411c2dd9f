//! Where the elements of a request are in a worker's list: faults of the worker's document and refusals of the store are
//! reported at their places in the body.

use payroll_domain::document::Misfit;
use payroll_domain::violation::Violation;
use payroll_ports::resources::{Missing, Refusal, Written};

use super::Part;
use super::side::Rules;

/// Where the elements of the request are in the worker's list.
pub(super) struct Places {
    pub(super) part: Part,
    /// For each element of the request, its index in the worker's list.
    pub(super) indexes: Vec<usize>,
    /// The body is a list of elements, not one element.
    pub(super) is_list: bool,
}

impl Places {
    /// A fault of the worker's document, as the side reports it for the body.
    pub(super) fn fault_of_document(&self, rules: &impl Rules, mut fault: Violation) -> Violation {
        let found = fault.pointer.as_deref().and_then(|pointer| self.element(pointer));
        let at = found.as_ref().map(|(at, _)| *at);
        fault.pointer = found.map(|(_, rest)| rest);
        let fault = rules.fault(fault);
        match at {
            Some(at) => self.of_element(at, fault),
            None => fault,
        }
    }

    /// A fault whose pointer is into the body already, as the side reports it.
    pub(super) fn fault_of_request(&self, rules: &impl Rules, mut fault: Violation) -> Violation {
        let place = fault.pointer.as_deref().filter(|_| self.is_list).map(|pointer| {
            let element = pointer.strip_prefix('/').unwrap_or_default();
            element.find('/').map_or((element, ""), |slash| element.split_at(slash))
        });
        let Some((at, rest)) = place.and_then(|(at, rest)| Some((at.parse().ok()?, rest.to_owned()))) else {
            return rules.fault(fault);
        };
        fault.pointer = Some(rest);
        self.of_element(at, rules.fault(fault))
    }

    /// A fault of an element, with its place in the body.
    pub(super) fn of_element(&self, at: usize, mut fault: Violation) -> Violation {
        if self.is_list {
            fault.pointer = Some(format!("/{at}{}", fault.pointer.unwrap_or_default()));
        }
        fault
    }

    /// The result of a write, with the places of missing references and misfits in the body that was sent.
    pub(super) fn in_the_request(&self, written: Written) -> Written {
        let moved = |pointer: &str| match self.element(pointer) {
            Some((at, rest)) if self.is_list => format!("/{at}{rest}"),
            Some((_, rest)) => rest,
            None => String::new(),
        };
        match written {
            Written::Refused(Refusal::Missing(missing)) => {
                let missing = missing.into_iter().map(|it| Missing { pointer: moved(&it.pointer), ..it });
                Written::Refused(Refusal::Missing(missing.collect()))
            }
            Written::Refused(Refusal::Unfit(misfits)) => {
                let misfits = misfits.into_iter().map(|it| Misfit { pointer: moved(&it.pointer), ..it });
                Written::Refused(Refusal::Unfit(misfits.collect()))
            }
            Written::Stored(_) | Written::Refused(_) => written,
        }
    }

    /// The element of the request that a place in the worker's document belongs to, and the place within it.
    fn element(&self, pointer: &str) -> Option<(usize, String)> {
        let list = format!("/{}/", self.part.member);
        let place = pointer.strip_prefix(&list)?;
        let (index, rest) = place.find('/').map_or((place, ""), |slash| place.split_at(slash));
        let index: usize = index.parse().ok()?;
        let at = self.indexes.iter().position(|own| *own == index)?;
        Some((at, rest.to_owned()))
    }
}
