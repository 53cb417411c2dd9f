//! Requests of operators to a sandbox: set the clock, and trigger notifications (specification §10.19).

use crate::code::Reason;
use crate::date::Timestamp;
use crate::event::{EventAction, EventDomain, FiredEvent};
use crate::id::{CompanyId, PayPeriodId, WorkerId};
use crate::input::Node;
use crate::input::values::read_text;
use crate::object::reader::{ObjectReader, read_object, read_struct};
use crate::object::values::{ReadResult, read_id, read_instant, read_named_value};
use crate::report::Fault;
use crate::violation::Violations;

const SECONDS_OF_A_MINUTE: i64 = 60;
const SECONDS_OF_AN_HOUR: i64 = 3_600;
const SECONDS_OF_A_DAY: i64 = 86_400;
const SECONDS_OF_A_WEEK: i64 = 604_800;
/// The maximum number of digits in each number of a duration. Ten digits are enough for a century in seconds.
const MAX_NUMBER_DIGITS: usize = 10;

/// A change of the clock of a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockChange {
    /// Sets the clock to the given instant.
    Now(Timestamp),
    /// Advances the clock by the given number of seconds.
    Advance(i64),
}

/// An event that is triggered in a sandbox without a change of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// The company about which the event is sent.
    pub company_id: CompanyId,
    /// The domain, action and subject of the event.
    pub event: FiredEvent,
    /// Whether each delivery of the event is sent a second time after the receiver accepted it, to test the
    /// receiver.
    pub duplicate: bool,
    /// Whether an older event of the same kind is sent after the triggered event, to test the receiver.
    pub out_of_order: bool,
}

/// Reads a change of the clock: exactly one of `now` and `advance`.
///
/// # Errors
/// Returns every fault, each with its pointer.
///
/// ```
/// use payroll_domain::document::{ClockChange, read_clock_change};
/// use payroll_domain::input;
/// let read = |json: &str| read_clock_change(&input::parse(json.as_bytes()).unwrap());
/// assert_eq!(read(r#"{"advance": "PT5M"}"#), Ok(ClockChange::Advance(300)));
/// assert_eq!(read(r#"{"advance": "P1DT1H30M5S"}"#), Ok(ClockChange::Advance(91_805)));
/// assert!(read(r#"{"advance": "5m"}"#).is_err() && read("{}").is_err());
/// assert!(read(r#"{"advance": "PT5M", "now": "2031-01-05"}"#).is_err());
/// ```
pub fn read_clock_change(node: &Node<'_>) -> Result<ClockChange, Violations> {
    read_object(node, |object| {
        let now = object.read_optional("now", read_instant);
        let advance = object.read_optional("advance", read_duration);
        match (now?, advance?) {
            (Some(now), None) => Some(ClockChange::Now(now)),
            (None, Some(seconds)) => Some(ClockChange::Advance(seconds)),
            (None, None) => {
                object.report_fault(
                    Reason::FieldMissing,
                    "advance",
                    "is missing: send either advance or now",
                );
                None
            }
            (Some(_), Some(_)) => {
                object.report_fault(Reason::FieldAmbiguous, "advance", "must not be sent together with now");
                None
            }
        }
    })
}

/// Reads the name of the database that is to be reset.
///
/// # Errors
/// Returns every fault, each with its pointer.
///
/// ```
/// use payroll_domain::{document, input};
/// let read = |json: &str| document::read_reset_database(&input::parse(json.as_bytes()).unwrap());
/// assert_eq!(read(r#"{"database": "payroll.db"}"#).unwrap(), "payroll.db");
/// assert!(read("{}").is_err());
/// ```
pub fn read_reset_database(node: &Node<'_>) -> Result<String, Violations> {
    read_object(node, |object| object.read_required("database", |node| read_text(node).map(str::to_owned)))
}

/// Reads an ISO 8601 duration in weeks, days, hours, minutes and seconds. Returns it in seconds.
fn read_duration(node: &Node<'_>) -> ReadResult<i64> {
    let rule = "must be a duration such as PT5M, PT36H or P1DT12H";
    parse_duration(read_text(node)?).ok_or_else(|| Fault::invalid(rule))
}

fn parse_duration(text: &str) -> Option<i64> {
    let rest = text.strip_prefix('P')?;
    let (days, time) = match rest.split_once('T') {
        Some((days, time)) if !time.is_empty() => (days, time),
        Some(_) => return None,
        None => (rest, ""),
    };
    let of_days = parse_duration_units(days, &[('W', SECONDS_OF_A_WEEK), ('D', SECONDS_OF_A_DAY)])?;
    let of_time =
        parse_duration_units(time, &[('H', SECONDS_OF_AN_HOUR), ('M', SECONDS_OF_A_MINUTE), ('S', 1)])?;
    of_days.checked_add(of_time).filter(|seconds| *seconds > 0)
}

/// Returns the sum in seconds of a text such as `1H30M`: numbers that are each followed by a unit. The units
/// must occur in the order of `units`. `None` if the text has another form.
fn parse_duration_units(mut text: &str, units: &[(char, i64)]) -> Option<i64> {
    let mut sum = 0_i64;
    for (unit, seconds) in units {
        let Some((digits, rest)) = text.split_once(*unit) else { continue };
        let is_number = (1..=MAX_NUMBER_DIGITS).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: i64 = is_number.then(|| digits.parse().ok())??;
        sum = sum.checked_add(number.checked_mul(*seconds)?)?;
        text = rest;
    }
    text.is_empty().then_some(sum)
}

/// Reads the event to trigger.
///
/// # Errors
/// Returns every fault, each with its pointer. Domains of workers require `workerId`, and CLT_PYRN requires
/// `payPeriodId`.
///
/// ```
/// use payroll_domain::{document, input};
/// let read = |json: &str| document::read_trigger(&input::parse(json.as_bytes()).unwrap());
/// let trigger = read(r#"{"companyId": "ACME", "domain": "CLT_DEM", "duplicate": true}"#).unwrap();
/// assert!(trigger.duplicate && trigger.event.worker_id.is_none());
/// let faults = read(r#"{"companyId": "ACME", "domain": "WRKR_DEM"}"#).unwrap_err();
/// assert_eq!(faults.as_slice()[0].to_string(), "API-46 workerId is missing (/workerId)");
/// ```
pub fn read_trigger(node: &Node<'_>) -> Result<Trigger, Violations> {
    read_object(node, |object| {
        let domain = object.read_required("domain", read_named_value::<EventDomain>);
        if domain == Some(EventDomain::CompanyAccess) {
            let rule = "must not be CLT_ACCESS: change a grant to cause this event";
            object.report_fault(Reason::FieldInvalid, "domain", rule);
        }
        let is_of_worker = domain.is_some_and(EventDomain::is_about_worker);
        let is_of_period = domain == Some(EventDomain::PayrunCompleted);
        read_struct!(Trigger {
            company_id: object.read_required("companyId", read_id),
            event: Some(FiredEvent {
                domain: domain?,
                action: read_action(object)?,
                worker_id: read_subject_id::<WorkerId>(object, "workerId", is_of_worker, read_id)?,
                pay_period_id: read_subject_id::<PayPeriodId>(object, "payPeriodId", is_of_period, read_id)?,
            }),
            duplicate: object.read_flag("duplicate"),
            out_of_order: object.read_flag("outOfOrder"),
        })
    })
}

fn read_action(object: &mut ObjectReader<'_>) -> Option<EventAction> {
    object.read_optional("action", read_named_value).map(|given| given.unwrap_or(EventAction::Update))
}

/// Reads the id of the worker or the pay period. The domain of the event either requires the id or does not
/// allow it.
fn read_subject_id<T>(
    object: &mut ObjectReader<'_>,
    name: &'static str,
    is_needed: bool,
    read: impl Fn(&Node<'_>) -> ReadResult<T>,
) -> Option<Option<T>> {
    if is_needed {
        return object.read_required(name, read).map(Some);
    }
    if object.has_member(name) {
        let rule = "must be absent: events of this domain do not have this member";
        object.report_fault(Reason::FieldAmbiguous, name, rule);
    }
    object.read_optional(name, read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_the_order_of_their_units() {
        for (text, expected) in [
            ("PT5M", Some(300)),
            ("PT1H0M1S", Some(3_601)),
            ("P2W", Some(1_209_600)),
            ("P1D", Some(86_400)),
            ("P1DT1S", Some(86_401)),
            ("PT0S", None),
            ("P", None),
            ("PT", None),
            ("P1DT", None),
            ("5M", None),
            ("PT5", None),
            ("PT5M1H", None),
            ("PT-5M", None),
            ("PT1.5S", None),
            ("P1Y", None),
            ("PT99999999999S", None),
            ("P9999999999W", Some(6_047_999_999_395_200)),
        ] {
            assert_eq!(parse_duration(text), expected, "{text}");
        }
    }
}
