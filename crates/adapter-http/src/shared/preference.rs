//! The preferences of a client (RFC 7240): `stale` accepts a slightly outdated response, and `dry-run` only
//! validates a change.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, VARY};
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

static PREFER: HeaderName = HeaderName::from_static("prefer");
static PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const STALE_PREFERENCE: &str = "stale";
const DRY_RUN_PREFERENCE: &str = "dry-run";

/// Whether a request accepts a response that may be stale.
pub(crate) fn accepts_stale(headers: &HeaderMap) -> bool {
    is_preferred(headers, STALE_PREFERENCE)
}

/// Whether a change is a dry run: it is validated but not stored.
pub(crate) fn is_dry_run(headers: &HeaderMap) -> bool {
    is_preferred(headers, DRY_RUN_PREFERENCE)
}

/// Rejects the preference `dry-run` for an operation that ignores this preference, because the operation
/// would execute the change.
///
/// # Errors
/// [`Reason::InvalidParameter`].
pub(crate) fn reject_dry_run(headers: &HeaderMap, method: &str, advice: &str) -> Result<(), Violation> {
    if method == "GET" || !is_dry_run(headers) {
        return Ok(());
    }
    Err(Violation::new(Reason::InvalidParameter, format!("Prefer: dry-run is not supported here; {advice}")))
}

fn is_preferred(headers: &HeaderMap, preference: &str) -> bool {
    let preferences = headers.get_all(&PREFER).filter_map(|value| value.to_str().ok());
    let mut names =
        preferences.flat_map(|value| value.split(',')).filter_map(|it| it.split([';', '=']).next());
    names.any(|name| name.trim().eq_ignore_ascii_case(preference))
}

/// Adds `Preference-Applied: stale` and `Vary: Prefer` to a response.
pub(crate) fn add_preference_applied(headers: &mut HeaderMap) {
    headers.insert(PREFERENCE_APPLIED.clone(), HeaderValue::from_static(STALE_PREFERENCE));
    headers.append(VARY, HeaderValue::from_static("Prefer"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_found_among_other_preferences() {
        for (values, expected) in [
            (vec!["stale"], true),
            (vec!["respond-async, STALE"], true),
            (vec!["respond-async", "wait=10, stale; a=b"], true),
            (vec!["stale=yes"], true),
            (vec!["stale-if-error"], false),
            (vec!["wait=stale"], false),
            (vec![""], false),
            (vec![], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in &values {
                headers.append(PREFER.clone(), HeaderValue::from_str(value).unwrap());
            }
            assert_eq!(accepts_stale(&headers), expected, "{values:?}");
        }
    }
}
