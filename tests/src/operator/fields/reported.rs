//! Changes of members of a company, and the events that the feed must show for each.

/// A JSON Pointer into the document, and the new value at that place. `null` removes the member.
pub(super) type Change = (&'static str, &'static str);

/// Changes of members, by the events that they cause.
pub(super) const REPORTED_AS: &[(&str, &[Change])] = &[
    ("CLT_DEM UPDATE", &[("/displayId", r#""2""#), ("/legalName", r#""Sample""#)]),
    ("CLT_DEM UPDATE", &[("/legalId/legalIdType", r#""SSN""#), ("/legalId/legalIdValue", r#""000000002""#)]),
    (
        "CLT_DEM UPDATE",
        &[("/communications/0/communicationId", r#""M-9""#), ("/communications/0/type", r#""PAGER""#)],
    ),
    (
        "CLT_DEM UPDATE",
        &[("/communications/0/usageType", r#""WORK""#), ("/communications/0/city", r#""Example""#)],
    ),
    (
        "CLT_DEM UPDATE",
        &[("/communications/0/streetLineOne", r#""2 Road""#), ("/communications/0/streetLineTwo", "null")],
    ),
    (
        "CLT_DEM UPDATE",
        &[
            ("/communications/0/postalCode", r#""00001""#),
            ("/communications/0/postalCodeExtension", r#""2""#),
        ],
    ),
    (
        "CLT_DEM UPDATE",
        &[
            ("/communications/0/countrySubdivisionCode", r#""NJ""#),
            ("/communications/0/countryCode", r#""CA""#),
        ],
    ),
    (
        "CLT_DEM UPDATE",
        &[("/communications/1/dialCountry", r#""44""#), ("/communications/1/dialArea", r#""20""#)],
    ),
    (
        "CLT_DEM UPDATE",
        &[("/communications/1/dialNumber", r#""0200""#), ("/communications/1/dialExtension", r#""8""#)],
    ),
    (
        "CLT_DEM UPDATE",
        &[("/communications/2/postOfficeBox", r#""78""#), ("/communications/2/uri", r#""a@example.org""#)],
    ),
    ("CLT_DEM UPDATE", &[("/legalId", "null")]),
    ("CLT_DEM DELETE", &[("/communications", "[]")]),
    ("", &[("/parentCompanyId", r#""OPEN""#), ("/endDate", r#""2031-01-01""#), ("/converting", "true")]),
    ("", &[("/wagesExpenseAccount", r#""9""#), ("/wagesPayableAccount", "null")]),
    ("", &[("/employerTaxExpenseAccount", r#""9""#), ("/taxesPayableAccount", r#""9""#)]),
    ("", &[("/deductionsPayableAccount", r#""9""#), ("/taxStates", r#"["NY"]"#)]),
    ("", &[("/products/0/startDate", r#""2020-01-02""#)]),
    ("CLT_PROD UPDATE", &[("/products/0/endDate", r#""2031-01-01""#)]),
    ("", &[("/products/0/endDate", "null")]),
    (
        "",
        &[(
            "/products",
            r#"[{"productCode": "PAYROLL", "startDate": "2020-01-02"}, {"productCode": "B", "startDate": "2020-01-01"}]"#,
        )],
    ),
    ("CLT_PROD DELETE", &[("/products", r#"[{"productCode": "PAYROLL", "startDate": "2020-01-02"}]"#)]),
    ("CLT_ORG UPDATE", &[("/organizations/1/name", r#""Other""#), ("/organizations/1/number", r#""9""#)]),
    ("CLT_ORG UPDATE", &[("/organizations/1/level", "3"), ("/organizations/1/parentOrganizationId", "null")]),
    ("", &[("/contactTypes/0/contactTypeName", r#""Other""#), ("/contactTypes/0/relationshipTypes", "[]")]),
    ("", &[("/customEmploymentTypes/0/customEmploymentTypeName", r#""Other""#)]),
    ("", &[("/customFieldCategories/0/categoryName", r#""Other""#)]),
    ("", &[("/customFields/0/customFieldName", r#""Other""#), ("/customFields/0/required", "false")]),
    ("", &[("/customFields/0/checkStub", "true"), ("/customFields/0/employeeEditable", "false")]),
    (
        "",
        &[
            ("/customFields/0/dropdown/0/dropdownValue", r#""XL""#),
            ("/customFields/0/categoryId", r#""K-2""#),
        ],
    ),
    ("", &[("/customFields/1/textValue", r#""some""#), ("/customFields/1/maxTextLength", "11")]),
    ("", &[("/customFields/2/booleanValue", "true"), ("/customFields/3/dateValue", r#""2026-02-01""#)]),
    ("", &[("/customFields/4/numericValue", "4")]),
    ("", &[("/calculationBases/0/calculationBaseName", r#""Other""#)]),
    (
        "",
        &[
            ("/jobTitles/0/title", r#""Other""#),
            ("/jobTitles/0/startDate", r#""2021-01-01""#),
            ("/jobTitles/0/endDate", "null"),
        ],
    ),
    (
        "",
        &[
            ("/laborAssignments/0/name", r#""Other""#),
            ("/laborAssignments/0/startDate", r#""2021-01-01""#),
            ("/laborAssignments/0/endDate", "null"),
            ("/laborAssignments/0/organizationId", r#""O-2""#),
            ("/laborAssignments/0/positionId", r#""PO-9""#),
            ("/laborAssignments/0/locationId", r#""LO-9""#),
            ("/laborAssignments/0/rate", "\"1.0000\""),
        ],
    ),
    (
        "",
        &[
            ("/locations/0/name", r#""Other""#),
            ("/locations/0/movedIn", r#""2021-01-01""#),
            ("/locations/0/movedOut", "null"),
            ("/locations/0/address/communicationId", r#""M-6""#),
            ("/locations/0/address/streetLineOne", r#""3 Road""#),
            ("/locations/0/address/streetLineTwo", "null"),
            ("/locations/0/address/postOfficeBox", "null"),
            ("/locations/0/address/city", r#""Example""#),
            ("/locations/0/address/postalCode", r#""00001""#),
            ("/locations/0/address/postalCodeExtension", "null"),
            ("/locations/0/address/countrySubdivisionCode", r#""NJ""#),
            ("/locations/0/address/countryCode", r#""CA""#),
        ],
    ),
    (
        "",
        &[
            ("/payFrequencies/0/payFrequency", r#""MONTHLY""#),
            ("/payFrequencies/0/payComponentFrequency/occurrence", r#""EVERY""#),
            ("/payFrequencies/0/payComponentFrequency/occurrenceIntervals/interval1", r#""2""#),
            ("/payFrequencies/0/payComponentFrequency/occurrenceIntervals/interval2", "null"),
        ],
    ),
    (
        "",
        &[
            ("/jobs/0/jobCorrelationId", "null"),
            ("/jobs/0/jobName", r#""Other""#),
            ("/jobs/0/startDate", r#""2021-01-01""#),
            ("/jobs/0/endDate", "null"),
            ("/jobs/0/jobNumber/segment1", r#""D""#),
            ("/jobs/0/jobNumber/segment2", "null"),
            ("/jobs/0/jobNumber/segment3", "null"),
            ("/workerStatuses/0/statusType", r#""INACTIVE""#),
            ("/workerStatuses/0/statusReason", r#""ON_LEAVE""#),
            ("/jobSegments/0/segmentNumber", "2"),
            ("/jobSegments/0/name", r#""Other""#),
            ("/jobSegments/0/segmentLength", "3"),
        ],
    ),
    ("", &[("/payComponents/0/name", r#""Other""#), ("/payComponents/0/code", r#""09""#)]),
    (
        "",
        &[
            ("/payComponents/0/classificationType", r#""TIPS""#),
            ("/payComponents/0/description", r#""Other""#),
        ],
    ),
    (
        "",
        &[("/payComponents/0/startDate", r#""2020-01-02""#), ("/payComponents/0/endDate", r#""2031-01-01""#)],
    ),
    (
        "",
        &[
            ("/payComponents/0/appliesToWorkerTypes", r#"["EMPLOYEE"]"#),
            ("/payComponents/0/overtime", "false"),
        ],
    ),
    ("", &[("/payComponents/0/debitAccount", r#""9""#), ("/payComponents/0/creditAccount", "null")]),
    ("", &[("/payComponents/0/effectOnPay", r#""REDUCTION""#), ("/payComponents/0/requiredProduct", "null")]),
    ("", &[("/payPeriods/1/intervalCode", r#""MONTHLY""#), ("/payPeriods/1/description", r#""Other""#)]),
    ("", &[("/payPeriods/1/startDate", r#""2026-01-07""#), ("/payPeriods/1/endDate", r#""2026-01-15""#)]),
    (
        "",
        &[("/payPeriods/1/submitByDate", r#""2026-01-16""#), ("/payPeriods/1/checkDate", r#""2026-01-17""#)],
    ),
    ("WRKR_EMPL UPDATE W-1", &[("/workers/0/employeeId", r#""18""#), ("/workers/0/clockId", r#""c18""#)]),
    (
        "WRKR_EMPL UPDATE W-1",
        &[("/workers/0/workerType", r#""CONTRACTOR""#), ("/workers/0/employmentType", r#""PART_TIME""#)],
    ),
    ("WRKR_EMPL UPDATE W-1", &[("/workers/0/customEmploymentType/customEmploymentTypeId", r#""E-2""#)]),
    ("", &[("/workers/0/customEmploymentType/customEmploymentTypeName", r#""Other""#)]),
    (
        "WRKR_EMPL UPDATE W-1",
        &[("/workers/0/exemptionType", r#""EXEMPT""#), ("/workers/0/hireDate", r#""2020-05-05""#)],
    ),
    ("WRKR_EMPL UPDATE W-1", &[("/workers/0/currentStatus/workerStatusId", r#""S-9""#)]),
    ("WRKR_EMPL UPDATE W-1", &[("/workers/0/currentStatus/statusType", r#""INACTIVE""#)]),
    ("WRKR_EMPL UPDATE W-1", &[("/workers/0/currentStatus/statusReason", r#""LEAVE""#)]),
    ("WRKR_EMPL UPDATE W-1", &[("/workers/0/currentStatus/effectiveDate", r#""2020-05-05""#)]),
    ("WRKR_EMPL UPDATE W-1", &[("/workers/0/currentStatus", "null")]),
    (
        "WRKR_DEM UPDATE W-1",
        &[("/workers/0/birthDate", r#""1990-02-04""#), ("/workers/0/sex", r#""FEMALE""#)],
    ),
    (
        "WRKR_DEM UPDATE W-1",
        &[("/workers/0/ethnicityCode", r#""O""#), ("/workers/0/name/familyName", r#""Other""#)],
    ),
    (
        "WRKR_DEM UPDATE W-1",
        &[("/workers/0/name/givenName", r#""Bo""#), ("/workers/0/name/middleName", "null")],
    ),
    (
        "WRKR_DEM UPDATE W-1",
        &[("/workers/0/name/preferredName", r#""Bo""#), ("/workers/0/name/titleAffixCode", "null")],
    ),
    ("WRKR_DEM UPDATE W-1", &[("/workers/0/name/qualificationAffixCode", r#""II""#)]),
    (
        "WRKR_DEM UPDATE W-1",
        &[
            ("/workers/0/legalId/legalIdValue", r#""000456780""#),
            ("/workers/0/legalId/legalIdType", r#""FEIN""#),
        ],
    ),
    (
        "WRKR_DEM UPDATE W-1",
        &[("/workers/0/communications/0/type", r#""PAGER""#), ("/workers/0/communications/0/uri", "null")],
    ),
    ("WRKR_DEM DELETE W-1", &[("/workers/0/communications", "[]")]),
    ("WRKR_ASGN UPDATE W-1", &[("/workers/0/locationId", r#""LO-9""#), ("/workers/0/jobId", "null")]),
    (
        "WRKR_ASGN UPDATE W-1",
        &[("/workers/0/laborAssignmentId", r#""A-9""#), ("/workers/0/job/jobTitleId", r#""JT-9""#)],
    ),
    (
        "WRKR_ASGN UPDATE W-1",
        &[("/workers/0/job/title", r#""Cook""#), ("/workers/0/organization/organizationId", r#""O-1""#)],
    ),
    ("", &[("/workers/0/organization/name", r#""Other""#), ("/workers/0/organization/number", r#""9""#)]),
    ("", &[("/workers/0/supervisor/name", r#""Other""#)]),
    ("WRKR_ASGN UPDATE W-1", &[("/workers/0/supervisor", "null"), ("/workers/0/organization", "null")]),
    (
        "WRKR_CMP UPDATE W-1",
        &[("/workers/0/payRates/0/rateId", r#""R-9""#), ("/workers/0/payRates/0/rateNumber", r#""RATE_2""#)],
    ),
    (
        "WRKR_CMP UPDATE W-1",
        &[
            ("/workers/0/payRates/0/rateType", r#""DAILY_RATE""#),
            ("/workers/0/payRates/0/description", "null"),
        ],
    ),
    (
        "WRKR_CMP UPDATE W-1",
        &[("/workers/0/payRates/0/amount", "21"), ("/workers/0/payRates/0/standardHours", "41")],
    ),
    (
        "WRKR_CMP UPDATE W-1",
        &[("/workers/0/payRates/0/standardOvertime", "1"), ("/workers/0/payRates/0/default", "false")],
    ),
    (
        "WRKR_CMP UPDATE W-1",
        &[
            ("/workers/0/payRates/0/startDate", r#""2020-05-05""#),
            ("/workers/0/payRates/0/effectiveDate", "null"),
        ],
    ),
    ("WRKR_CMP UPDATE W-1", &[("/workers/0/recurringComponents/0/workerComponentId", r#""RC-9""#)]),
    ("WRKR_CMP UPDATE W-1", &[("/workers/0/recurringComponents/0/componentId", r#""P-2""#)]),
    ("WRKR_CMP UPDATE W-1", &[("/workers/0/recurringComponents/0/calculationType", r#""RATE_X_UNITS""#)]),
    ("WRKR_CMP UPDATE W-1", &[("/workers/0/recurringComponents/0/calculationBaseId", r#""B-2""#)]),
    ("WRKR_CMP UPDATE W-1", &[("/workers/0/recurringComponents/0/value", "3")]),
    ("WRKR_CMP UPDATE W-1", &[("/workers/0/recurringComponents/0/startDate", "null")]),
    ("WRKR_CMP UPDATE W-1", &[("/workers/0/recurringComponents/0/endDate", r#""2030-05-05""#)]),
    (
        "WRKR_CMP UPDATE W-1",
        &[
            ("/workers/0/recurringComponents/0/effectiveDate", r#""2026-01-02""#),
            ("/workers/0/recurringComponents/0/checkLimit/amount", "9"),
            ("/workers/0/recurringComponents/0/checkLimit/type", r#""STOPS_AT""#),
            ("/workers/0/recurringComponents/0/frequency/occurrence", r#""EVERY""#),
            ("/workers/0/recurringComponents/0/frequency/occurrenceIntervals/interval2", r#""3""#),
            ("/workers/0/recurringComponents/0/frequency/effectedChecks", r#""FIRST_CHECK""#),
        ],
    ),
    ("WRKR_CMP DELETE W-1", &[("/workers/0/payRates", "[]"), ("/workers/0/recurringComponents", "[]")]),
    (
        "",
        &[
            ("/workers/0/customFields/0/dropdownId", r#""D-1""#),
            ("/workers/0/customFields/0/startDate", "null"),
            ("/workers/0/customFields/1/textValue", r#""red""#),
            ("/workers/0/customFields/4/numericValue", "0.25"),
            ("/workers/0/customFields", "[]"),
        ],
    ),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal/filingStatus", r#""MARRIED_FILING_JOINTLY""#)]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal/multipleJobs", "true")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal/dependentsAmount", "9")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal/otherIncome", "9")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal/deductionsAmount", "9")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal/extraWithholdingAmount", "9")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal/extraWithholdingPercentage", "9")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/states/0/countrySubdivisionCode", r#""NJ""#)]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/states/0/isResidentState", "false")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/states/0/stateAllocationPercent", "99")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/states/0/filingStatusType", r#""MARRIED""#)]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/states/0/additionalAmount", "9")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/states/0/additionalPercent", "9")]),
    (
        "WRKR_TAX UPDATE W-1",
        &[
            ("/workers/0/taxes/federal/taxesWithheld", "false"),
            ("/workers/0/taxes/federal/overrideWithholdingAmount", "9"),
            ("/workers/0/taxes/federal/overrideWithholdingPercentage", "9"),
            ("/workers/0/taxes/states/0/taxStatusType", r#""WITHHOLD""#),
            ("/workers/0/taxes/states/0/flatDollarOverride", "9"),
            ("/workers/0/taxes/states/0/overridePercent", "9"),
            ("/workers/0/taxes/states/0/exemptionReasonDescription", r#""Other""#),
        ],
    ),
    ("WRKR_TAX DELETE W-1", &[("/workers/0/taxes/states", "[]")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal", "null")]),
];
