//! Merges the faults of an API's own rules with the faults of the document's parser.

use payroll_domain::resource::Resource;
use payroll_domain::violation::{Violation, Violations};

use crate::shared::error::Failure;

/// Returns the result of the parser (`read`) if the rules of the API found no fault. Otherwise returns the
/// faults of the rules (`faults`) together with those of the parser. If both report a fault at the same
/// pointer, only the fault of the rules is reported, because its code is more specific. Parser faults without
/// a pointer are then omitted: they concern elements outside the request, and the fault in the request caused
/// them.
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
