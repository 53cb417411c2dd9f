//! Maps rejected writes to errors, for operators and partners (specification §10.4).

use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::document::DefinitionMismatch;
use payroll_domain::violation::{DocumentPosition, Violation, Violations};
use payroll_ports::applications::ApplicationRefusal;
use payroll_ports::resources::{CompanyLock, MissingReference, WriteRefusal};

use crate::shared::error::{Failure, unknown_company_fault};
use crate::shared::idempotency;
use crate::shared::limits::{MAX_LOCK_RETRY_AFTER_SECONDS, RETRY_AFTER_SECONDS};

/// Returns the error for a write that the storage rejected. `now` determines `Retry-After`.
pub(crate) fn write_failure(refusal: WriteRefusal, now: Timestamp) -> Failure {
    match refusal {
        WriteRefusal::UnknownCompany => unknown_company_fault().into(),
        WriteRefusal::Unknown => Reason::UnknownResource.into(),
        WriteRefusal::Stale => Reason::PreconditionFailed.into(),
        WriteRefusal::Locked(lock) => locked_failure(&lock, now),
        WriteRefusal::Taken(sentence) | WriteRefusal::NotAllowed(sentence) => conflict_failure(sentence),
        WriteRefusal::Missing(missing) => {
            combine_faults(missing.into_iter().map(missing_reference_violation))
        }
        WriteRefusal::Unfit(mismatches) => combine_faults(mismatches.into_iter().map(mismatch_violation)),
        WriteRefusal::Referenced(sentences) => {
            combine_faults(sentences.into_iter().map(|sentence| Violation::new(Reason::Conflict, sentence)))
        }
        WriteRefusal::Several(_) => {
            Failure::Bug("the creation of several objects did not report the rejected object".into())
        }
        WriteRefusal::NotGranted => Reason::NotAuthorized.into(),
        WriteRefusal::RecordLost => idempotency::superseded_failure(),
        WriteRefusal::Declined => Failure::Bug("a declined edit has no reason".into()),
    }
}

/// Returns the error for a rejected change of an application, its secrets or its grants.
pub(crate) fn application_failure(refusal: ApplicationRefusal) -> Failure {
    match refusal {
        ApplicationRefusal::UnknownApplication
        | ApplicationRefusal::UnknownCompany
        | ApplicationRefusal::UnknownSecret
        | ApplicationRefusal::UnknownGrant => Reason::UnknownResource.into(),
        ApplicationRefusal::Taken => conflict_failure("another application already has this name or id"),
        ApplicationRefusal::Stale => Reason::PreconditionFailed.into(),
        ApplicationRefusal::RecordLost => idempotency::superseded_failure(),
    }
}

/// Returns 409 API-409 with this description.
pub(crate) fn conflict_failure(sentence: impl Into<String>) -> Failure {
    Violation::new(Reason::Conflict, sentence).into()
}

/// Returns 410 API-410: the checks of the pay period are archived, and only operators can read them.
pub(crate) fn checks_archived_failure() -> Failure {
    let problem = "the checks of the pay period were archived and can no longer be read here; the pay period \
                   and its totals are unchanged";
    Violation::new(Reason::ChecksArchived, problem).into()
}

/// Returns 423 API-10. `Retry-After` is the remaining time of the lock, at most
/// [`MAX_LOCK_RETRY_AFTER_SECONDS`]. If the end of the lock is unknown, `Retry-After` has the default value.
pub(crate) fn locked_failure(lock: &CompanyLock, now: Timestamp) -> Failure {
    let expires = match lock {
        CompanyLock::Operator(lock) => lock.expires,
        CompanyLock::Processing(_) => None,
    };
    let left = expires.map(|end| end.as_seconds().saturating_sub(now.as_seconds()).saturating_add(1));
    Failure::from(Violation::new(Reason::CompanyLocked, locked_message(lock)))
        .with_retry_after(left.map_or(RETRY_AFTER_SECONDS.into(), |it| it.min(MAX_LOCK_RETRY_AFTER_SECONDS)))
}

/// Describes in a sentence who locks a company.
pub(crate) fn locked_message(lock: &CompanyLock) -> String {
    match lock {
        CompanyLock::Operator(lock) => match &lock.reason {
            Some(reason) => format!("the company is locked by {}: {reason}", lock.holder),
            None => format!("the company is locked by {}", lock.holder),
        },
        CompanyLock::Processing(period) => {
            format!("the company is locked while its pay period {period} is in processing")
        }
    }
}

/// Returns 400 API-48: the object refers to a missing object.
pub(crate) fn missing_reference_violation(missing: MissingReference) -> Violation {
    let MissingReference { target, id, pointer } = missing;
    let sentence = format!("there is no {} with the id {id}", target.display_name());
    Violation::new(Reason::FieldInvalid, sentence).at_position(pointer, DocumentPosition::default())
}

fn mismatch_violation(DefinitionMismatch { reason, pointer, sentence }: DefinitionMismatch) -> Violation {
    Violation::new(reason, sentence).at_position(pointer, DocumentPosition::default())
}

/// Combines several faults. If the list is empty, the result is 409 without details.
fn combine_faults(faults: impl Iterator<Item = Violation>) -> Failure {
    Violations::from_faults(faults.collect()).unwrap_or_else(|| Reason::Conflict.into()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::MessageBody;
    use payroll_domain::company::Lock;
    use payroll_domain::resource::ResourceKind;

    const NOW: Timestamp = Timestamp::from_micros(1_785_199_045_000_000);

    /// Returns the status, `Retry-After`, and each code with its pointer.
    fn status_and_codes(refusal: WriteRefusal) -> (u16, Option<String>, Vec<String>) {
        let response = write_failure(refusal, NOW).into_response("request");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let wait = headers.get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
        let body = response.into_body().try_into_bytes().unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let text = |error: &serde_json::Value, name: &str| error[name].as_str().unwrap_or("").to_owned();
        let errors = body["errors"].as_array().unwrap().iter();
        let errors = errors.map(|error| format!("{} {}", text(error, "code"), text(error, "pointer")));
        (status, wait, errors.collect())
    }

    fn lock_until(expires: Option<Timestamp>) -> CompanyLock {
        CompanyLock::Operator(Lock { holder: "ann".to_owned(), reason: None, expires })
    }

    #[test]
    fn every_rejection_has_its_status_and_code() {
        let sentence = || "Because.".to_owned();
        let cases = [
            (WriteRefusal::UnknownCompany, 404, "API-7 "),
            (WriteRefusal::Unknown, 404, "API-7 "),
            (WriteRefusal::Stale, 412, "API-412 "),
            (WriteRefusal::Locked(lock_until(None)), 423, "API-10 "),
            (WriteRefusal::Taken(sentence()), 409, "API-409 "),
            (WriteRefusal::NotAllowed(sentence()), 409, "API-409 "),
            (WriteRefusal::Referenced(vec![sentence()]), 409, "API-409 "),
            (WriteRefusal::NotGranted, 403, "API-2 "),
            (WriteRefusal::RecordLost, 409, "API-409 "),
        ];
        for (refusal, status, code) in cases {
            let name = format!("{refusal:?}");
            let response = status_and_codes(refusal);
            assert_eq!((response.0, response.2), (status, vec![code.to_owned()]), "{name}");
        }
    }

    #[test]
    fn an_invalid_reference_is_reported_at_its_pointer() {
        let missing = |pointer: &str| MissingReference {
            target: ResourceKind::Organization,
            id: "U".to_owned(),
            pointer: pointer.to_owned(),
        };
        let response = status_and_codes(WriteRefusal::Missing(vec![missing("/a"), missing("/b")]));
        assert_eq!((response.0, response.2), (400, vec!["API-48 /a".to_owned(), "API-48 /b".to_owned()]));
    }

    #[test]
    fn a_rejection_by_a_lock_reports_when_the_lock_expires() {
        let wait = |lock| status_and_codes(WriteRefusal::Locked(lock)).1.unwrap();
        assert_eq!(wait(lock_until(Some(NOW.plus_seconds(20)))), "21");
        // The wait is shorter than the lock, because an operator may unlock the company before the lock
        // expires.
        assert_eq!(
            wait(lock_until(Some(NOW.plus_seconds(86_400)))),
            MAX_LOCK_RETRY_AFTER_SECONDS.to_string()
        );
        assert_eq!(wait(lock_until(None)), RETRY_AFTER_SECONDS.to_string());
        assert_eq!(wait(CompanyLock::Processing("P".parse().unwrap())), RETRY_AFTER_SECONDS.to_string());
    }
}
