//! Jobs of a company as partners create and change them (specification §6.21).

use crate::code::Reason;
use crate::date::Date;
use crate::description::Described;
use crate::document;
use crate::input::{Members, Node, Value, values};
use crate::lookup::{CompanyJob, JobId, JobSegment, Lookup, LookupObject};
use crate::resource::{Resource, ResourceKind};
use crate::violation::{DocumentPosition, Violation, Violations};

/// The JSON members of a job's number, in order, with the position of the segment that each contains.
const SEGMENT_MEMBERS: [(u32, &str); 3] = [(1, "segment1"), (2, "segment2"), (3, "segment3")];

/// JSON pointers to the ids and dates in a change of a job. Faults at these pointers have the code
/// [`Reason::IdOrDateInvalid`].
const ID_AND_DATE_POINTERS: [&str; 4] = ["/jobId", "/startDate", "/endDate", "/effectiveDate"];

/// The stored data for the validation of a job.
#[derive(Debug, Clone, Default)]
pub struct JobFacts {
    /// The segments of the company's job numbers. The list may be empty.
    pub segments: Vec<JobSegment>,
}

/// Reads a new job. Unknown members and `jobId` are ignored.
///
/// ```
/// use payroll_domain::input::parse;
/// use payroll_domain::job::{JobFacts, read_new_job};
/// let sent = parse(br#"{"jobName": "Bridge", "jobNumber": {"segment1": "B1"}}"#).unwrap();
/// let job = read_new_job(&sent, &JobFacts::default(), &"J".parse().unwrap()).unwrap();
/// assert_eq!(job.job_name, "Bridge");
/// let sent = parse(br#"{"jobName": "Bridge", "jobNumber": {"segment1": "B", "segment2": "1"}}"#).unwrap();
/// let faults = read_new_job(&sent, &JobFacts::default(), &"J".parse().unwrap()).unwrap_err();
/// assert_eq!(faults.as_slice()[0].pointer.as_deref(), Some("/jobNumber/segment2"));
/// ```
///
/// # Errors
/// Returns every fault of the document.
pub fn read_new_job(sent: &Node<'_>, facts: &JobFacts, id: &JobId) -> Result<CompanyJob, Violations> {
    Members::from_body(sent, "the body must be a JSON object with one job")?;
    let mut sent = sent.clone();
    document::remove_unknown_members(&mut sent, CompanyJob::MEMBERS);
    remove_member(&mut sent, "jobId");
    read_job(document::fill_missing_id(sent, "jobId", id.as_str()), facts)
}

/// Applies a JSON merge patch to a job. Unknown members are ignored. The change takes effect immediately, so
/// `effectiveDate` must not be after today.
///
/// # Errors
/// Returns every fault of the patched job. If the patch is not an object or is an empty object, only this
/// fault is returned.
pub fn apply_job_patch(
    stored: &CompanyJob,
    mut patch: Node<'_>,
    facts: &JobFacts,
    today: Date,
) -> Result<CompanyJob, Violations> {
    Members::from_body(&patch, "the body must be a JSON object with the members to change")?;
    let mut faults = Vec::new();
    let is_other_id = |id: &Node<'_>| id.as_text() != Some(stored.job_id.as_str());
    if patch.member("jobId").is_some_and(is_other_id) {
        faults.push(invalid_member_violation("/jobId", "jobId must be the id in the path".to_owned()));
    }
    if let Some(date) = patch.member("effectiveDate").filter(|date| !date.value.is_null_or_empty_text()) {
        let rule = match values::read_date(date) {
            Ok(day) if day <= today => None,
            Ok(_) => Some(format!("must not be after today, {today}")),
            Err(fault) => Some(fault.description),
        };
        faults.extend(
            rule.map(|rule| invalid_member_violation("/effectiveDate", format!("effectiveDate {rule}"))),
        );
    }
    document::remove_unknown_members(&mut patch, CompanyJob::MEMBERS);
    remove_member(&mut patch, "jobId");
    let before = document::to_resource_node(&Resource::Lookup(LookupObject::CompanyJob(stored.clone())));
    let read = read_job(document::merge_documents(before, patch), facts);
    let (job, more) = match read {
        Ok(job) => (Some(job), Vec::new()),
        Err(more) => (None, more.into_iter().collect()),
    };
    let all = faults.into_iter().chain(more).map(use_id_or_date_code).collect();
    match (Violations::from_faults(all), job) {
        (None, Some(job)) => Ok(job),
        (faults, _) => Err(faults.unwrap_or_else(|| Reason::Internal.into())),
    }
}

/// Reads a job from a document, and also reports the faults of its job number.
fn read_job(document: Node<'_>, facts: &JobFacts) -> Result<CompanyJob, Violations> {
    let of_number = find_job_number_faults(&document, &facts.segments);
    match document::read_resource_document(ResourceKind::Lookup(CompanyJob::KIND), &document) {
        Ok(Resource::Lookup(LookupObject::CompanyJob(job))) => match Violations::from_faults(of_number) {
            None => Ok(job),
            Some(faults) => Err(faults),
        },
        Ok(_) => Err(Reason::Internal.into()),
        Err(faults) => {
            let known: Vec<_> = faults.iter().filter_map(|fault| fault.pointer.clone()).collect();
            let more =
                of_number.into_iter().filter(|it| it.pointer.as_ref().is_none_or(|at| !known.contains(at)));
            Err(faults.with_faults(more))
        }
    }
}

/// Returns the faults of a job's number in a company with the given segments. If the company has no segments,
/// the number has one part of any length. If the company has one segment, the number is at most as long as
/// the segment. If the company has several segments, each part has exactly the length of its segment.
fn find_job_number_faults(document: &Node<'_>, segments: &[JobSegment]) -> Vec<Violation> {
    let Some(number) = document.member("jobNumber").filter(|number| !number.value.is_null_or_empty_text())
    else {
        return Vec::new();
    };
    let fault_of = |(place, member): &(u32, &str)| {
        let sent = number.member(member).filter(|value| !value.value.is_null_or_empty_text());
        let segment = segments.iter().find(|segment| segment.segment_number == *place);
        let rule = match (sent, segment) {
            (None, Some(segment)) if segments.len() > 1 => {
                return Some(missing_member_violation(
                    member,
                    format!("{member} is required: {}", segment.name),
                ));
            }
            (Some(_), None) if segments.is_empty() && *place == 1 => return None,
            (Some(_), None) => {
                "must be absent: job numbers of the company do not have this segment".to_owned()
            }
            (Some(sent), Some(segment)) => {
                find_violated_length_rule(sent.as_text()?, segment, segments.len() == 1)?
            }
            (None, _) => return None,
        };
        Some(invalid_member_violation(&format!("/jobNumber/{member}"), format!("{member} {rule}")))
    };
    SEGMENT_MEMBERS.iter().filter_map(fault_of).collect()
}

fn find_violated_length_rule(sent: &str, segment: &JobSegment, is_only: bool) -> Option<String> {
    let (length, expected) = (sent.chars().count(), usize::try_from(segment.segment_length).ok()?);
    match is_only {
        true if length > expected => {
            Some(format!("must have at most {expected} characters, and has {length}"))
        }
        false if length != expected => Some(format!("must have {expected} characters and has {length}")),
        _ => None,
    }
}

fn invalid_member_violation(pointer: &str, sentence: String) -> Violation {
    Violation::new(Reason::FieldInvalid, sentence).at_position(pointer, DocumentPosition::default())
}

fn missing_member_violation(member: &str, sentence: String) -> Violation {
    Violation::new(Reason::FieldMissing, sentence)
        .at_position(format!("/jobNumber/{member}"), DocumentPosition::default())
}

/// Changes the code of a fault to [`Reason::IdOrDateInvalid`] if the fault concerns an id or a date of a
/// change.
fn use_id_or_date_code(fault: Violation) -> Violation {
    let is_own = fault.pointer.as_deref().is_some_and(|pointer| ID_AND_DATE_POINTERS.contains(&pointer));
    match is_own && fault.reason == Reason::FieldInvalid {
        true => Violation { reason: Reason::IdOrDateInvalid, ..fault },
        false => fault,
    }
}

fn remove_member(sent: &mut Node<'_>, name: &str) {
    if let Value::Object(members) = &mut sent.value {
        members.retain(|(member, _)| member != name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::parse;

    fn facts_with_segment_lengths(lengths: &[u32]) -> JobFacts {
        let segment = |(at, length): (usize, &u32)| JobSegment {
            job_segment_id: format!("S{at}").parse().unwrap(),
            segment_number: u32::try_from(at + 1).unwrap(),
            name: format!("Part {at}"),
            segment_length: *length,
        };
        JobFacts { segments: lengths.iter().enumerate().map(segment).collect() }
    }

    fn codes_and_pointers(faults: Violations) -> Vec<String> {
        let words = |it: &Violation| format!("{} {}", it.reason.code(), it.pointer.as_deref().unwrap_or(""));
        let mut reported: Vec<_> = faults.iter().map(words).collect();
        reported.sort();
        reported
    }

    fn find_faults(lengths: &[u32], number: &str) -> Vec<String> {
        let sent = format!(r#"{{"jobName": "A", "jobNumber": {number}}}"#);
        let read = read_new_job(
            &parse(sent.as_bytes()).unwrap(),
            &facts_with_segment_lengths(lengths),
            &"J".parse().unwrap(),
        );
        read.err().map(codes_and_pointers).unwrap_or_default()
    }

    #[test]
    fn a_job_number_has_the_segments_of_its_company() {
        let none: [&str; 0] = [];
        let cases: [(&[u32], &str, &[&str]); 12] = [
            (&[], r#"{"segment1": "any length"}"#, &none),
            (&[], r#"{"segment1": "A", "segment2": "B"}"#, &["API-48 /jobNumber/segment2"]),
            (&[], "{}", &["API-46 /jobNumber/segment1"]),
            (&[], "null", &none),
            (&[4], r#"{"segment1": "ABC"}"#, &none),
            (&[4], r#"{"segment1": "ABCDE"}"#, &["API-48 /jobNumber/segment1"]),
            (&[2, 2], r#"{"segment1": "AB", "segment2": "CD"}"#, &none),
            (&[2, 2], r#"{"segment1": "AB"}"#, &["API-46 /jobNumber/segment2"]),
            (
                &[2, 2],
                r#"{"segment1": "A", "segment2": "CDE"}"#,
                &["API-48 /jobNumber/segment1", "API-48 /jobNumber/segment2"],
            ),
            (
                &[2, 2],
                r#"{"segment1": "AB", "segment2": "CD", "segment3": "E"}"#,
                &["API-48 /jobNumber/segment3"],
            ),
            (&[2, 2, 1], r#"{"segment1": "ÄÖ", "segment2": "CD", "segment3": "E"}"#, &none),
            (&[2, 2], r#"{"segment2": 7}"#, &["API-46 /jobNumber/segment1", "API-48 /jobNumber/segment2"]),
        ];
        for (lengths, number, expected) in cases {
            assert_eq!(find_faults(lengths, number), expected, "{lengths:?} {number}");
        }
    }

    #[test]
    fn faults_of_the_job_number_are_reported_with_other_faults() {
        let sent = parse(br#"{"startDate": "x", "jobNumber": {"segment1": "A", "segment2": "B"}}"#).unwrap();
        let faults = read_new_job(&sent, &JobFacts::default(), &"J".parse().unwrap()).unwrap_err();
        assert_eq!(
            codes_and_pointers(faults),
            ["API-46 /jobName", "API-48 /jobNumber/segment2", "API-48 /startDate"]
        );
    }

    fn patch_job(patch: &str) -> Result<CompanyJob, Vec<String>> {
        let sent =
            parse(br#"{"jobName": "A", "startDate": "2026-01-02", "jobNumber": {"segment1": "A"}}"#).unwrap();
        let stored = read_new_job(&sent, &JobFacts::default(), &"J".parse().unwrap()).unwrap();
        let today = crate::date::parse_date("2026-05-04").unwrap();
        apply_job_patch(&stored, parse(patch.as_bytes()).unwrap(), &JobFacts::default(), today)
            .map_err(codes_and_pointers)
    }

    #[test]
    fn an_invalid_id_or_date_of_a_change_has_a_code_of_its_own() {
        for (patch, expected) in [
            (r#"{"jobId": "K"}"#, "API-34 /jobId"),
            (r#"{"jobId": null}"#, "API-34 /jobId"),
            (r#"{"startDate": "soon"}"#, "API-34 /startDate"),
            (r#"{"endDate": "2026-01-01"}"#, "API-34 /endDate"),
            (r#"{"effectiveDate": "2026-05-05"}"#, "API-34 /effectiveDate"),
            (r#"{"effectiveDate": 7}"#, "API-34 /effectiveDate"),
            (r#"{"jobName": 7}"#, "API-48 /jobName"),
            (r#"{"jobName": null}"#, "API-46 /jobName"),
        ] {
            assert_eq!(patch_job(patch), Err(vec![expected.to_owned()]), "{patch}");
        }
    }

    #[test]
    fn a_change_of_a_job_is_merged_and_keeps_its_id() {
        let job = patch_job(
            r#"{"jobId": "J", "effectiveDate": "2026-05-04T00:00:00Z", "unknown": 1, "endDate": "2051-12-31",
                "jobNumber": {"segment1": "B", "other": 1}}"#,
        )
        .unwrap();
        assert_eq!((job.job_id.as_str(), job.job_name.as_str()), ("J", "A"));
        assert_eq!(job.job_number.unwrap().first, "B");
        assert!(job.end_date.is_some());
    }
}
