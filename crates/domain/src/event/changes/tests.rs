//! Changes and removes every field of every object, one at a time, and checks that exactly the expected
//! events are fired.

mod lists;
mod members;
mod named;
mod products;
mod silent;

use std::sync::LazyLock;

use serde_json::{Value, json};

use self::members::{COMMUNICATION, WORK_FIELDS};
use super::*;
use crate::complete_company::CompleteCompany;
use crate::input::parse;
use crate::lookup::LookupKind;

/// A company document with every possible member.
const COMPLETE_COMPANY: &str = include_str!("../../document/tests/complete_company.json");

/// Pointers to objects in the document, each with new values for fields of the object and with the expected
/// events. The removal of an optional field fires the same events. `REMOVED_END_DATE` is the only exception.
type Fields = &'static [ChangedFields];
type ChangedFields = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const FIELDS: Fields = &[
    ("", &[("displayId", r#""2""#), ("legalName", r#""Sample""#)], "CLT_DEM UPDATE"),
    ("/legalId", &[("legalIdType", r#""SSN""#), ("legalIdValue", r#""000000002""#)], "CLT_DEM UPDATE"),
    ("/communications/0", COMMUNICATION, "CLT_DEM UPDATE"),
    ("", &[("parentCompanyId", r#""C-9""#), ("endDate", r#""2031-01-01""#), ("converting", "false")], ""),
    ("", &[("wagesExpenseAccount", r#""9""#), ("wagesPayableAccount", r#""9""#)], ""),
    ("", &[("employerTaxExpenseAccount", r#""9""#), ("taxesPayableAccount", r#""9""#)], ""),
    ("", &[("deductionsPayableAccount", r#""9""#), ("taxStates", r#"["NJ"]"#)], ""),
    ("/lock", &[("holder", r#""other""#), ("reason", r#""other""#)], ""),
    ("/lock", &[("expiresDate", r#""2027-01-01T00:00:00.000Z""#)], ""),
    ("/products/0", &[("productCode", r#""RETIREMENT""#)], "CLT_PROD DELETE"),
    ("/products/0", &[("startDate", r#""2021-01-01""#)], ""),
    ("/products/0", &[("endDate", r#""2031-01-01""#)], "CLT_PROD UPDATE"),
    ("/organizations/1", &[("organizationId", r#""O-9""#)], "CLT_ORG UPDATE"),
    (
        "/organizations/1",
        &[("name", r#""Other""#), ("number", r#""9""#), ("level", "3"), ("parentOrganizationId", r#""O-9""#)],
        "CLT_ORG UPDATE",
    ),
    ("/contactTypes/0", &[("contactTypeId", r#""CT-9""#), ("contactTypeName", r#""Other""#)], ""),
    ("/contactTypes/0/relationshipTypes/0", &[("relationshipTypeId", r#""RT-9""#)], ""),
    ("/contactTypes/0/relationshipTypes/0", &[("relationshipTypeName", r#""Other""#)], ""),
    ("/customEmploymentTypes/0", &[("customEmploymentTypeId", r#""E-9""#)], ""),
    ("/customEmploymentTypes/0", &[("customEmploymentTypeName", r#""Other""#)], ""),
    ("/customFieldCategories/0", &[("categoryId", r#""K-9""#), ("categoryName", r#""Other""#)], ""),
    ("/customFieldCategories/0", &[("default", "false")], ""),
    ("/customFields/0", &[("customFieldId", r#""F-9""#), ("customFieldName", r#""Other""#)], ""),
    ("/customFields/0", &[("categoryId", r#""K-9""#), ("required", "false"), ("checkStub", "true")], ""),
    ("/customFields/0", &[("employeeEditable", "false")], ""),
    ("/customFields/0/dropdown/0", &[("dropdownId", r#""D-9""#), ("dropdownValue", r#""XL""#)], ""),
    ("/customFields/0/dropdown/0", &[("dropdownDefault", "false")], ""),
    ("/customFields/1", &[("textValue", r#""some""#), ("maxTextLength", "11")], ""),
    ("/customFields/2", &[("booleanValue", "true")], ""),
    ("/customFields/3", &[("dateValue", r#""2026-02-01""#)], ""),
    ("/customFields/4", &[("numericValue", "4"), ("type", r#""NUMERIC__0_00_""#)], ""),
    ("/calculationBases/0", &[("calculationBaseId", r#""B-9""#), ("calculationBaseName", r#""Other""#)], ""),
    ("/payComponents/0", &[("componentId", r#""P-9""#), ("name", r#""Other""#), ("code", r#""09""#)], ""),
    ("/payComponents/0", &[("classificationType", r#""TIPS""#), ("description", r#""Other""#)], ""),
    ("/payComponents/0", &[("effectOnPay", r#""REDUCTION""#), ("startDate", r#""2021-01-01""#)], ""),
    ("/payComponents/0", &[("endDate", r#""2031-01-01""#), ("appliesToWorkerTypes", "[]")], ""),
    ("/payComponents/0", &[("overtime", "false"), ("requiredProduct", r#""RETIREMENT""#)], ""),
    ("/payComponents/0", &[("debitAccount", r#""9""#), ("creditAccount", r#""9""#)], ""),
    ("/payPeriods/1", &[("payPeriodId", r#""T-9""#), ("intervalCode", r#""MONTHLY""#)], ""),
    ("/payPeriods/1", &[("startDate", r#""2026-01-07""#), ("endDate", r#""2026-01-15""#)], ""),
    ("/payPeriods/1", &[("checkDate", r#""2026-01-17""#)], ""),
    ("/payPeriods/0", &[("description", r#""Other""#), ("submitByDate", r#""2026-01-09""#)], ""),
    ("/payPeriods/1", &[("status", r#""INITIAL""#)], ""),
    ("/payPeriods/1", &[("status", r#""PROCESSING""#)], ""),
    ("/payPeriods/1", &[("status", r#""RELEASED""#)], ""),
    ("/payPeriods/1", &[("status", r#""COMPLETED_BY_MEC""#)], ""),
    ("/payPeriods/1", &[("status", r#""REISSUED""#)], ""),
    ("/payPeriods/1", &[("status", r#""REVERSED""#)], ""),
    ("/payPeriods/1", &[("status", r#""COMPLETED""#)], "CLT_PYRN PAYRUN_COMPLETED T-2"),
    ("/payPeriods/0", &[("status", r#""REVERSED""#)], ""),
    ("/workers/0", &[("workerId", r#""W-9""#)], "WRKR_EMPL DELETE W-1, WRKR_ADD ADD W-9"),
    ("/workers/0", &[("employeeId", r#""18""#), ("clockId", r#""c18""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0", &[("workerType", r#""CONTRACTOR""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0", &[("employmentType", r#""PART_TIME""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0/customEmploymentType", &[("customEmploymentTypeId", r#""E-9""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0/customEmploymentType", &[("customEmploymentTypeName", r#""Other""#)], ""),
    ("/workers/0", &[("customEmploymentType", "null")], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0", &[("exemptionType", r#""EXEMPT""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0", &[("hireDate", r#""2020-05-05""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0/currentStatus", &[("workerStatusId", r#""S-9""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0/currentStatus", &[("statusType", r#""INACTIVE""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0/currentStatus", &[("statusReason", r#""LEAVE""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0/currentStatus", &[("effectiveDate", r#""2020-05-05""#)], "WRKR_EMPL UPDATE W-1"),
    ("/workers/0", &[("birthDate", r#""1990-02-04""#), ("sex", r#""FEMALE""#)], "WRKR_DEM UPDATE W-1"),
    ("/workers/0", &[("ethnicityCode", r#""O""#)], "WRKR_DEM UPDATE W-1"),
    ("/workers/0/name", &[("familyName", r#""Other""#), ("givenName", r#""Bo""#)], "WRKR_DEM UPDATE W-1"),
    ("/workers/0/name", &[("middleName", r#""C""#), ("preferredName", r#""Bo""#)], "WRKR_DEM UPDATE W-1"),
    ("/workers/0/name", &[("qualificationAffixCode", r#""II""#)], "WRKR_DEM UPDATE W-1"),
    ("/workers/0/name", &[("titleAffixCode", r#""Ms""#)], "WRKR_DEM UPDATE W-1"),
    ("/workers/0/legalId", &[("legalIdType", r#""FEIN""#)], "WRKR_DEM UPDATE W-1"),
    ("/workers/0/legalId", &[("legalIdValue", r#""000456780""#)], "WRKR_DEM UPDATE W-1"),
    ("/workers/0", &[("legalId", "null")], "WRKR_DEM UPDATE W-1"),
    ("/workers/0/communications/0", COMMUNICATION, "WRKR_DEM UPDATE W-1"),
    ("/workers/0", &[("locationId", r#""LO-9""#), ("jobId", r#""J-9""#)], "WRKR_ASGN UPDATE W-1"),
    ("/workers/0", &[("laborAssignmentId", r#""A-9""#)], "WRKR_ASGN UPDATE W-1"),
    ("/workers/0/job", &[("jobTitleId", r#""JT-9""#), ("title", r#""Cook""#)], "WRKR_ASGN UPDATE W-1"),
    ("/workers/0", &[("job", "null"), ("organization", "null")], "WRKR_ASGN UPDATE W-1"),
    ("/workers/0/organization", &[("organizationId", r#""O-1""#)], "WRKR_ASGN UPDATE W-1"),
    ("/workers/0/organization", &[("name", r#""Other""#), ("number", r#""9""#)], ""),
    ("/workers/0/supervisor", &[("workerId", r#""W-9""#)], "WRKR_ASGN UPDATE W-1"),
    ("/workers/0/supervisor", &[("name", r#""Other""#)], ""),
    ("/workers/0", &[("supervisor", "null")], "WRKR_ASGN UPDATE W-1"),
    (
        "/workers/0/payRates/0",
        &[("rateId", r#""R-9""#), ("rateNumber", r#""RATE_2""#)],
        "WRKR_CMP UPDATE W-1",
    ),
    ("/workers/0/payRates/0", &[("rateType", r#""DAILY_RATE""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/payRates/0", &[("description", r#""Other""#), ("amount", "21")], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/payRates/0", &[("standardHours", "41"), ("standardOvertime", "1")], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/payRates/0", &[("default", "false")], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/payRates/0", &[("startDate", r#""2020-05-05""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/payRates/0", &[("effectiveDate", r#""2026-01-02""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/recurringComponents/0", &[("workerComponentId", r#""RC-9""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/recurringComponents/0", &[("componentId", r#""P-9""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/recurringComponents/0", &[("calculationType", r#""RATE_X_UNITS""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/recurringComponents/0", &[("calculationBaseId", r#""B-9""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/recurringComponents/0", &[("value", "3")], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/recurringComponents/0", &[("startDate", r#""2020-05-05""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/recurringComponents/0", &[("endDate", r#""2030-05-05""#)], "WRKR_CMP UPDATE W-1"),
    ("/workers/0/recurringComponents/0", &[("effectiveDate", r#""2026-01-02""#)], "WRKR_CMP UPDATE W-1"),
    (
        "/workers/0/recurringComponents/0/checkLimit",
        &[("type", r#""STOPS_AT""#), ("startsAt", "2"), ("stopsAt", "9"), ("amount", "9")],
        "WRKR_CMP UPDATE W-1",
    ),
    (
        "/workers/0/recurringComponents/0",
        &[("checkLimit", "null"), ("frequency", "null")],
        "WRKR_CMP UPDATE W-1",
    ),
    // `BY_PAY_PERIOD` is the only valid value of this field, so the field cannot change.
    ("/workers/0/recurringComponents/0/frequency", &[("applied", r#""BY_PAY_PERIOD""#)], ""),
    (
        "/workers/0/recurringComponents/0/frequency",
        &[
            ("occurrence", r#""EVERY""#),
            ("occurrenceIntervals", "null"),
            ("effectedChecks", r#""FIRST_CHECK""#),
        ],
        "WRKR_CMP UPDATE W-1",
    ),
    (
        "/workers/0/recurringComponents/0/frequency/occurrenceIntervals",
        &[("interval1", r#""2""#), ("interval2", r#""3""#)],
        "WRKR_CMP UPDATE W-1",
    ),
    ("/workers/0/taxes/federal", &[("filingStatus", r#""MARRIED_FILING_JOINTLY""#)], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/federal", &[("multipleJobs", "true")], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/federal", &[("dependentsAmount", "9"), ("otherIncome", "9")], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/federal", &[("deductionsAmount", "9")], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/federal", &[("extraWithholdingAmount", "9")], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/federal", &[("extraWithholdingPercentage", "9")], "WRKR_TAX UPDATE W-1"),
    (
        "/workers/0/taxes/federal",
        &[
            ("taxesWithheld", "false"),
            ("overrideWithholdingAmount", "9"),
            ("overrideWithholdingPercentage", "9"),
        ],
        "WRKR_TAX UPDATE W-1",
    ),
    ("/workers/0/taxes", &[("federal", "null")], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/states/0", &[("countrySubdivisionCode", r#""NJ""#)], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/states/0", &[("isResidentState", "false")], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/states/0", &[("stateAllocationPercent", "99")], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/states/0", &[("filingStatusType", r#""MARRIED""#)], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/states/0", &[("additionalAmount", "9")], "WRKR_TAX UPDATE W-1"),
    ("/workers/0/taxes/states/0", &[("additionalPercent", "9")], "WRKR_TAX UPDATE W-1"),
    (
        "/workers/0/taxes/states/0",
        &[("taxStatusType", r#""WITHHOLD""#), ("flatDollarOverride", "9"), ("overridePercent", "9")],
        "WRKR_TAX UPDATE W-1",
    ),
    ("/workers/0/taxes/states/0", &[("exemptionReasonDescription", r#""Other""#)], "WRKR_TAX UPDATE W-1"),
    (
        "/workers/0/taxes/states/0/workerTaxDeductions/0",
        &[
            ("workerTaxDeductionId", r#""D-2""#),
            ("workerTaxDeductionName", r#""Other""#),
            ("amount", "9"),
            ("quantity", "9"),
        ],
        "WRKR_TAX UPDATE W-1",
    ),
];

/// Returns all test cases: the changed fields with their expected events.
fn all_fields() -> impl Iterator<Item = &'static ChangedFields> {
    FIELDS.iter().chain(silent::FIELDS).chain(WORK_FIELDS)
}

/// The pointer of an end date, the only field whose removal fires other events than its change.
const REMOVED_END_DATE: &str = "/products/0/endDate";

/// Fields that cannot be changed alone. Either another object must change its member in the same way, or the
/// document contains the value in two members.
const CHANGED_ONLY_TOGETHER: [&str; 5] = [
    "/workers/0/workState",
    "/workers/0/taxes/workState",
    "/companyId",
    // The percentages of a worker must add up to 100, so one of them cannot change alone.
    "/workers/0/assignmentDistributions/0/value",
    // A rejected deposit cannot have a pending change, so both members must change together.
    "/workers/0/directDeposits/0/status",
];

/// The document of `COMPLETE_COMPANY`, with every field in each communication.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document: Value = serde_json::from_str(COMPLETE_COMPANY).unwrap();
    let of_worker = document["workers"][0]["communications"][0].clone();
    let all = document["communications"].as_array().unwrap().iter().chain([&of_worker]);
    let every: serde_json::Map<_, _> =
        all.rev().filter_map(Value::as_object).flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
    document["communications"] = json!([every]);
    document["workers"][0]["communications"] = json!([every]);
    document["workers"][0]["communications"][0]["communicationId"] = json!("M-4");
    document
});

fn company_document() -> Value {
    DOCUMENT.clone()
}

fn read(document: &Value) -> Option<CompleteCompany> {
    crate::document::read_company(&parse(document.to_string().as_bytes()).unwrap()).ok()
}

/// Returns the events of the change from one document to another, as text. `None` if a document is invalid.
fn find_fired_events(before: &Value, after: &Value) -> Option<String> {
    let (before, after) = (read(before)?.resources(), read(after)?.resources());
    let like = |all: &[Resource], one: &Resource| {
        all.iter().find(|it| (it.kind(), it.id()) == (one.kind(), one.id())).cloned()
    };
    let of_old = before.iter().flat_map(|old| find_events_of_change(Some(old), like(&after, old).as_ref()));
    let new = after.iter().filter(|new| like(&before, new).is_none());
    let all =
        crate::event::merge_events(of_old.chain(new.flat_map(|new| find_events_of_change(None, Some(new)))));
    Some(all.iter().map(event_text).collect::<Vec<_>>().join(", "))
}

fn event_text(fired: &FiredEvent) -> String {
    let ids = [
        fired.worker_id.as_ref().map(ToString::to_string),
        fired.pay_period_id.as_ref().map(ToString::to_string),
    ];
    let words = [fired.domain.to_string(), fired.action.to_string()].into_iter();
    words.chain(ids.into_iter().flatten()).collect::<Vec<_>>().join(" ")
}

/// Returns the events of a change at one pointer of the document. `None` if the changed document is invalid.
fn find_event_of_change(pointer: &str, change: impl FnOnce(&mut Value)) -> Option<String> {
    let mut after = company_document();
    change(after.pointer_mut(pointer).unwrap());
    find_fired_events(&company_document(), &after)
}

#[test]
fn each_field_fires_an_event_of_its_domain_only() {
    for (object, fields, expected) in all_fields() {
        for (name, value) in *fields {
            let value: Value = serde_json::from_str(value).unwrap();
            let reported = find_event_of_change(object, |object| object[*name] = value);
            assert_eq!(reported.as_deref(), Some(*expected), "{object}/{name}");
        }
    }
}

#[test]
fn adding_or_removing_a_field_fires_the_same_events_as_a_change() {
    for (object, fields, expected) in all_fields() {
        for (name, _) in *fields {
            let mut without = company_document();
            without.pointer_mut(object).unwrap().as_object_mut().unwrap().remove(*name);
            // The reader rejects a document without a required field.
            let Some(gone) = find_fired_events(&company_document(), &without) else { continue };
            let came = find_fired_events(&without, &company_document()).unwrap();
            let pointer = format!("{object}/{name}");
            let expected = if pointer == REMOVED_END_DATE { "" } else { expected };
            assert_eq!(gone, expected, "{pointer} goes");
            if pointer == REMOVED_END_DATE {
                assert_eq!(came, "CLT_PROD UPDATE");
            } else {
                assert_eq!(came, expected, "{pointer} comes");
            }
        }
    }
}

/// Collects the pointers of all values except objects and lists of objects.
fn collect_value_pointers(node: &Value, pointer: &str, found: &mut Vec<String>) {
    match node {
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(name, node)| collect_value_pointers(node, &format!("{pointer}/{name}"), found));
        }
        Value::Array(items) if items.iter().all(Value::is_object) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, node)| collect_value_pointers(node, &format!("{pointer}/{at}"), found));
        }
        _ => found.push(pointer.to_owned()),
    }
}

#[test]
fn the_table_of_test_cases_has_every_field() {
    let plain = |pointer: &str| -> String {
        pointer.split('/').filter(|step| step.parse::<usize>().is_err()).collect::<Vec<_>>().join("/")
    };
    let changed = all_fields().flat_map(|(object, fields, _)| {
        fields.iter().map(move |(name, _)| plain(&format!("{object}/{name}")))
    });
    let known: HashSet<String> = changed.chain(CHANGED_ONLY_TOGETHER.map(plain)).collect();
    let mut all = Vec::new();
    collect_value_pointers(&company_document(), "", &mut all);
    // A change of a lookup object fires no event, so the tables of fields do not list its members.
    let is_plain = |pointer: &str| {
        LookupKind::ALL.iter().any(|kind| pointer.split('/').nth(1) == Some(kind.list_member()))
    };
    let is_known = |pointer: &String| is_plain(pointer) || known.contains(&plain(pointer));
    let missing: Vec<_> =
        all.iter().filter(|pointer| !pointer.contains("/checks/") && !is_known(pointer)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(known.len() > 110, "{}", known.len());
}

#[test]
fn a_change_of_the_work_state_fires_the_tax_event() {
    let reported = find_event_of_change("/workers/0", |worker| {
        worker["workState"] = json!("NJ");
        worker["taxes"]["workState"] = json!("NJ");
    });
    assert_eq!(reported.as_deref(), Some("WRKR_TAX UPDATE W-1"));
}

#[test]
fn equal_objects_fire_no_event() {
    assert_eq!(find_fired_events(&company_document(), &company_document()).as_deref(), Some(""));
    assert_eq!(find_events_of_change(None, None), []);
}

#[test]
fn empty_tax_settings_equal_absent_ones() {
    let mut without = company_document();
    without["workers"][0].as_object_mut().unwrap().remove("taxes");
    let mut empty = without.clone();
    empty["workers"][0]["taxes"] = json!({"federal": {}, "states": []});
    assert_eq!(find_fired_events(&without, &empty).as_deref(), Some(""));
}

#[test]
fn added_companies_and_imported_completed_periods_fire_no_event() {
    for resource in read(&company_document()).unwrap().resources() {
        let expected = match resource.kind() {
            ResourceKind::Organization => ("CLT_ORG ADD".to_owned(), "CLT_ORG DELETE".to_owned()),
            ResourceKind::Worker => {
                (format!("WRKR_ADD ADD {}", resource.id()), format!("WRKR_EMPL DELETE {}", resource.id()))
            }
            _ => Default::default(),
        };
        let reported = |before, after| {
            find_events_of_change(before, after).iter().map(event_text).collect::<Vec<_>>().join(", ")
        };
        assert_eq!((reported(None, Some(&resource)), reported(Some(&resource), None)), expected);
    }
}
