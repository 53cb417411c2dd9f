//! The delivery options in the document of a hook. Options with their default values are not written.

use crate::hook::{DeliveryOption, DeliveryOptions, MAX_ATTEMPTS, MAX_DELIVERIES_PER_SECOND};
use crate::input::{Field, Members, Value, values};
use crate::object::values::count_reader;
use crate::object::writer::ObjectWriter;
use crate::report::Report;

const ORDERED_MEMBER: &str = "ordered";
const MAX_ATTEMPTS_MEMBER: &str = "maxAttempts";
const MAX_PER_SECOND_MEMBER: &str = "maxPerSecond";

/// Reads the options in the document. The value `null` restores the default.
pub(super) fn read_delivery_options(members: Members<'_>, report: &mut Report) -> Vec<DeliveryOption> {
    let mut options = Vec::new();
    let ordered = members.read_optional_non_empty(ORDERED_MEMBER, report, values::read_flag);
    options.extend(
        to_changed_option(members, ORDERED_MEMBER, ordered)
            .map(|it| DeliveryOption::Ordered(it == Some(true))),
    );
    let attempts = members.read_optional_non_empty(MAX_ATTEMPTS_MEMBER, report, count_reader(MAX_ATTEMPTS));
    options
        .extend(to_changed_option(members, MAX_ATTEMPTS_MEMBER, attempts).map(DeliveryOption::MaxAttempts));
    let per_second = members.read_optional_non_empty(
        MAX_PER_SECOND_MEMBER,
        report,
        count_reader(MAX_DELIVERIES_PER_SECOND),
    );
    options.extend(
        to_changed_option(members, MAX_PER_SECOND_MEMBER, per_second).map(DeliveryOption::MaxPerSecond),
    );
    options
}

/// Returns the new value of a member, or `Some(None)` if the member is `null`. Returns `None` if the member
/// is absent or has a fault.
fn to_changed_option<T>(members: Members<'_>, name: &str, field: Field<T>) -> Option<Option<T>> {
    let is_null = members.find_first_member(name).is_some_and(|node| node.value == Value::Null);
    match field.into_value() {
        Some(value) => Some(Some(value)),
        None => is_null.then_some(None),
    }
}

pub(super) fn write_delivery_options(object: &mut ObjectWriter<'_>, options: DeliveryOptions) {
    if options.ordered {
        object.write_flag(ORDERED_MEMBER, true);
    }
    object.write_unquoted(MAX_ATTEMPTS_MEMBER, options.max_attempts);
    object.write_unquoted(MAX_PER_SECOND_MEMBER, options.max_per_second);
}
