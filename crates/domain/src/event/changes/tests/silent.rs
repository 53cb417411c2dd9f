//! Fields of a worker whose changes fire no event.

use super::Fields;

const TELECOM_MEMBERS: &[(&str, &str)] = &[
    ("communicationId", r#""CC-9""#),
    ("dialCountry", r#""44""#),
    ("dialArea", r#""20""#),
    ("dialNumber", r#""0200""#),
    ("type", r#""FAX""#),
    ("usageType", r#""WORK""#),
    ("extension", r#""8""#),
];

const POSTAL_MEMBERS: &[(&str, &str)] = &[
    ("communicationId", r#""CC-9""#),
    ("streetLineOne", r#""6 Sample Road""#),
    ("streetLineTwo", r#""Floor 3""#),
    ("postOfficeBox", r#""81""#),
    ("city", r#""Exampleton""#),
    ("postalCode", r#""00001""#),
    ("countrySubdivisionCode", r#""NJ""#),
    ("countryCode", r#""CA""#),
];

const EMAIL_MEMBERS: &[(&str, &str)] =
    &[("communicationId", r#""CC-9""#), ("uri", r#""di@example.org""#), ("usageType", r#""WORK""#)];

/// The fields whose changes fire no event. Each entry is the JSON pointer of a field and the new value.
pub(super) const FIELDS: Fields = &[
    (
        "/workers/0/statuses/0",
        &[
            ("workerStatusId", r#""S-9""#),
            ("statusType", r#""PENDING""#),
            ("statusReason", r#""HIRED""#),
            ("effectiveDate", r#""2020-05-02""#),
        ],
        "",
    ),
    ("/workers/0/statuses/2", &[("order", "7")], ""),
    (
        "/workers/0/directDeposits/0",
        &[
            ("directDepositId", r#""DD-9""#),
            ("startDate", r#""2021-05-04""#),
            ("paymentType", r#""FLAT_DOLLAR_AMOUNT""#),
            ("accountType", r#""SAVINGS""#),
            ("value", r#""41""#),
            ("routingNumber", r#""021000021""#),
            ("accountNumber", r#""998877""#),
            ("priority", r#""2""#),
            ("requestedBy", r#""A-9""#),
            ("requestedDate", r#""2026-05-05""#),
        ],
        "",
    ),
    ("/workers/0/directDeposits/0", &[("pendingChange", "null")], ""),
    (
        "/workers/0/directDeposits/0/pendingChange",
        &[("paymentType", r#""PERCENTAGE""#), ("value", r#""13""#)],
        "",
    ),
    (
        "/workers/0/i9Status",
        &[
            ("status", r#""REVERIFY""#),
            ("completedDate", r#""2020-05-06""#),
            ("expirationDate", r#""2031-05-04""#),
        ],
        "",
    ),
    ("/workers/0", &[("i9Status", "null")], ""),
    ("/workers/0/contacts/0", &[("contactId", r#""CO-9""#)], ""),
    (
        "/workers/0/contacts/0/contactType",
        &[("contactTypeId", r#""CT-9""#), ("contactTypeName", r#""A""#)],
        "",
    ),
    (
        "/workers/0/contacts/0/relationship",
        &[("relationshipId", r#""RS-9""#), ("relationWeid", r#""RW-9""#)],
        "",
    ),
    ("/workers/0/contacts/0/relationship", &[("primary", "false"), ("relationshipType", "null")], ""),
    (
        "/workers/0/contacts/0/relationship/relationshipType",
        &[("relationshipTypeId", r#""RT-1""#), ("relationshipTypeName", r#""A""#)],
        "",
    ),
    (
        "/workers/0/contacts/0/relationship/person/name",
        &[
            ("familyName", r#""A""#),
            ("givenName", r#""A""#),
            ("middleName", r#""A""#),
            ("preferredName", r#""A""#),
            ("qualificationAffixCode", r#""A""#),
            ("titleAffixCode", r#""A""#),
        ],
        "",
    ),
    ("/workers/0/contacts/0/relationship/person/communication/telecom/0", TELECOM_MEMBERS, ""),
    ("/workers/0/contacts/0/relationship/person/communication/postal/0", POSTAL_MEMBERS, ""),
    ("/workers/0/contacts/0/relationship/person/communication/email/0", EMAIL_MEMBERS, ""),
    ("/workers/0/contacts/1/relationship/entity", &[("entityId", r#""EN-9""#), ("entityName", r#""A""#)], ""),
    ("/workers/0/contacts/1/relationship/entity/communication/telecom", TELECOM_MEMBERS, ""),
    ("/workers/0/contacts/1/relationship/entity/communication/postal", POSTAL_MEMBERS, ""),
    ("/workers/0/contacts/1/relationship/entity/communication/email", EMAIL_MEMBERS, ""),
    (
        "/workers/0/timeOff/0",
        &[
            ("policyId", r#""PO-9""#),
            ("type", r#""Other""#),
            ("name", r#""Other""#),
            ("balance", r#""-1.5""#),
            ("measure", r#""UNITS""#),
        ],
        "",
    ),
    ("/workers/0/customFields/0", &[("workerCustomFieldId", r#""V-9""#), ("customFieldId", r#""F-9""#)], ""),
    ("/workers/0/customFields/0", &[("dropdownId", r#""D-1""#)], ""),
    ("/workers/0/customFields/0", &[("startDate", r#""2020-05-05""#), ("endDate", r#""2030-05-05""#)], ""),
    ("/workers/0/customFields/1", &[("textValue", r#""red""#)], ""),
    ("/workers/0/customFields/2", &[("booleanValue", "false")], ""),
    ("/workers/0/customFields/3", &[("dateValue", r#""2026-03-01""#)], ""),
    ("/workers/0/customFields/4", &[("numericValue", "0.25")], ""),
];
