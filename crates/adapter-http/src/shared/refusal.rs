//! Maps rejected writes to errors, for operators and partners (specification §10.4).

use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::document::Misfit;
use payroll_domain::violation::{Place, Violation, Violations};
use payroll_ports::applications::ApplicationRefusal;
use payroll_ports::resources::{CompanyLock, Missing, Refusal};

use crate::shared::error::{Failure, unknown_company};
use crate::shared::idempotency;
use crate::shared::limits::RETRY_AFTER_SECONDS;

/// The error for a write that the storage rejected. `now` determines `Retry-After`.
pub(crate) fn failure(refusal: Refusal, now: Timestamp) -> Failure {
    match refusal {
        Refusal::UnknownCompany => unknown_company().into(),
        Refusal::Unknown => Reason::UnknownResource.into(),
        Refusal::Stale => Reason::PreconditionFailed.into(),
        Refusal::Locked(lock) => locked(&lock, now),
        Refusal::Taken(sentence) | Refusal::NotAllowed(sentence) => conflict(sentence),
        Refusal::Missing(missing) => all(missing.into_iter().map(points_to_nothing)),
        Refusal::Unfit(misfits) => all(misfits.into_iter().map(unfit)),
        Refusal::Referenced(sentences) => {
            all(sentences.into_iter().map(|sentence| Violation::new(Reason::Conflict, sentence)))
        }
        Refusal::Several(_) => {
            Failure::Bug("the caller who creates several objects reports the rejection of each".into())
        }
        Refusal::NotGranted => Reason::NotAuthorized.into(),
        Refusal::MarkLost => idempotency::overtaken(),
        Refusal::Declined => Failure::Bug("an edit that was declined says why by itself".into()),
    }
}

/// The error for a rejected change of an application, its secrets or its grants.
pub(crate) fn of_application(refusal: ApplicationRefusal) -> Failure {
    match refusal {
        ApplicationRefusal::UnknownApplication
        | ApplicationRefusal::UnknownCompany
        | ApplicationRefusal::UnknownSecret
        | ApplicationRefusal::UnknownGrant => Reason::UnknownResource.into(),
        ApplicationRefusal::Taken => conflict("another application has that name or that id"),
        ApplicationRefusal::Stale => Reason::PreconditionFailed.into(),
        ApplicationRefusal::MarkLost => idempotency::overtaken(),
    }
}

/// 409 API-409 with this description.
pub(crate) fn conflict(sentence: impl Into<String>) -> Failure {
    Violation::new(Reason::Conflict, sentence).into()
}

/// 410 API-410: the checks of the pay period are archived, and only operators can read them.
pub(crate) fn archived() -> Failure {
    let problem = "the checks of the pay period were archived, and are no longer read here; the pay period and its \
                   totals are as they were";
    Violation::new(Reason::ChecksArchived, problem).into()
}

/// 423 API-10, with `Retry-After` if the end of the lock is known.
pub(crate) fn locked(lock: &CompanyLock, now: Timestamp) -> Failure {
    let expires = match lock {
        CompanyLock::Operator(lock) => lock.expires,
        CompanyLock::Processing(_) => None,
    };
    let left = expires.map(|end| end.as_seconds().saturating_sub(now.as_seconds()).saturating_add(1));
    Failure::from(Violation::new(Reason::CompanyLocked, held(lock)))
        .retry_after(left.unwrap_or(RETRY_AFTER_SECONDS.into()))
}

/// Describes in a sentence who locks a company.
pub(crate) fn held(lock: &CompanyLock) -> String {
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

fn points_to_nothing(missing: Missing) -> Violation {
    let Missing { target, id, pointer } = missing;
    let sentence = format!("there is no {} with the id {id}", target.words());
    Violation::new(Reason::FieldInvalid, sentence).at(pointer, Place::default())
}

fn unfit(Misfit { reason, pointer, sentence }: Misfit) -> Violation {
    Violation::new(reason, sentence).at(pointer, Place::default())
}

/// Combines several faults. If the store lists none, the result is a general error.
fn all(faults: impl Iterator<Item = Violation>) -> Failure {
    Violations::collect(faults.collect()).unwrap_or_else(|| Reason::Conflict.into()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::MessageBody;
    use payroll_domain::company::Lock;
    use payroll_domain::resource::ResourceKind;

    const NOW: Timestamp = Timestamp::from_micros(1_785_199_045_000_000);

    /// The status, `Retry-After`, and each code with its pointer.
    fn reported(refusal: Refusal) -> (u16, Option<String>, Vec<String>) {
        let response = failure(refusal, NOW).into_response("request");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let wait = headers.get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
        let body = response.into_body().try_into_bytes().unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let text = |error: &serde_json::Value, name: &str| error[name].as_str().unwrap_or("").to_owned();
        let errors = body["errors"].as_array().unwrap().iter();
        let errors = errors.map(|error| format!("{} {}", text(error, "code"), text(error, "pointer")));
        (status, wait, errors.collect())
    }

    fn lock(expires: Option<Timestamp>) -> CompanyLock {
        CompanyLock::Operator(Lock { holder: "ann".to_owned(), reason: None, expires })
    }

    #[test]
    fn every_rejection_has_its_status_and_code() {
        let sentence = || "Because.".to_owned();
        let cases = [
            (Refusal::UnknownCompany, 404, "API-7 "),
            (Refusal::Unknown, 404, "API-7 "),
            (Refusal::Stale, 412, "API-412 "),
            (Refusal::Locked(lock(None)), 423, "API-10 "),
            (Refusal::Taken(sentence()), 409, "API-409 "),
            (Refusal::NotAllowed(sentence()), 409, "API-409 "),
            (Refusal::Referenced(vec![sentence()]), 409, "API-409 "),
            (Refusal::NotGranted, 403, "API-2 "),
            (Refusal::MarkLost, 409, "API-409 "),
        ];
        for (refusal, status, code) in cases {
            let name = format!("{refusal:?}");
            let answer = reported(refusal);
            assert_eq!((answer.0, answer.2), (status, vec![code.to_owned()]), "{name}");
        }
    }

    #[test]
    fn an_invalid_reference_is_reported_at_its_pointer() {
        let missing = |pointer: &str| Missing {
            target: ResourceKind::Organization,
            id: "U".to_owned(),
            pointer: pointer.to_owned(),
        };
        let answer = reported(Refusal::Missing(vec![missing("/a"), missing("/b")]));
        assert_eq!((answer.0, answer.2), (400, vec!["API-48 /a".to_owned(), "API-48 /b".to_owned()]));
    }

    #[test]
    fn a_rejection_by_a_lock_reports_when_the_lock_expires() {
        let wait = |lock| reported(Refusal::Locked(lock)).1.unwrap();
        assert_eq!(wait(lock(Some(NOW.plus_seconds(90)))), "91");
        assert_eq!(wait(lock(None)), RETRY_AFTER_SECONDS.to_string());
        assert_eq!(wait(CompanyLock::Processing("P".parse().unwrap())), RETRY_AFTER_SECONDS.to_string());
    }
}
