//! Merges the faults of an API's own rules with the faults of the document's parser.

use payroll_domain::resource::Resource;
use payroll_domain::violation::{Violation, Violations};

use crate::shared::error::Failure;

/// Returns the object if the rules of the API found no fault. The parser of the document may find other
/// faults. If the rules and the parser report a fault at the same pointer, only the fault of the rules is
/// reported, because its code is more specific. Parser faults without a pointer concern elements outside the
/// request and are omitted, because the fault in the request caused them.
///
/// # Errors
/// The faults of the API's rules and of the parser.
pub(crate) fn merge_faults(
    faults: Vec<Violation>,
    read: Result<Resource, Failure>,
) -> Result<Resource, Failure> {
    let Some(own) = Violations::from_faults(faults.clone()) else { return read };
    let mut all = match read {
        Ok(_) => Vec::new(),
        Err(failure) => failure.into_faults()?,
    };
    all.retain(|fault| fault.pointer.is_some() && faults.iter().all(|own| own.pointer != fault.pointer));
    all.extend(faults);
    Err(Violations::from_faults(all).unwrap_or(own).into())
}
