//! New values for the members of objects that occur several times in a company document.

use super::ChangedFields;

pub(super) const COMMUNICATION: &[(&str, &str)] = &[
    ("communicationId", r#""M-9""#),
    ("type", r#""PAGER""#),
    ("usageType", r#""PERSONAL""#),
    ("dialCountry", r#""44""#),
    ("dialArea", r#""20""#),
    ("dialNumber", r#""0200""#),
    ("dialExtension", r#""8""#),
    ("uri", r#""bo@example.org""#),
    ("streetLineOne", r#""2 Sample Road""#),
    ("streetLineTwo", r#""Floor 3""#),
    ("postOfficeBox", r#""78""#),
    ("city", r#""Exampleton""#),
    ("postalCode", r#""00001""#),
    ("postalCodeExtension", r#""0002""#),
    ("countrySubdivisionCode", r#""NJ""#),
    ("countryCode", r#""CA""#),
];

/// A list of two distributions of a worker's work.
const DISTRIBUTION_PARTS: &str =
    r#"[{"jobId": "J-1", "value": "40"}, {"laborAssignmentId": "A-1", "value": "60"}]"#;

/// The fields of distributions and pay standards, with new values and the expected events.
pub(super) const WORK_FIELDS: &[ChangedFields] = &[
    (
        "/workers/0/assignmentDistributions/0",
        &[("jobId", r#""J-9""#), ("laborAssignmentId", r#""A-9""#)],
        "WRKR_ASGN UPDATE W-1",
    ),
    ("/workers/0", &[("assignmentDistributions", DISTRIBUTION_PARTS)], "WRKR_ASGN UPDATE W-1"),
    (
        "/workers/0/payStandards",
        &[("payFrequency", r#""MONTHLY""#), ("standardHours", "1"), ("overtimeFactor", "2")],
        "WRKR_CMP UPDATE W-1",
    ),
    ("/workers/0", &[("payStandards", "null")], "WRKR_CMP UPDATE W-1"),
];
