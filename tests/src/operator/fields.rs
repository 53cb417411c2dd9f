//! Which field of which object is reported under which domain (specification §9.3): every field,
//! changed over HTTP one after the other, and what the feed has of each change.

use payroll_domain::access::{Scope, Scopes};
use serde_json::{Value, json};

use crate::feed::follow;
use crate::support::{Caller, FOREIGN, Request, Server, grant, import, on_every_database};

/// A company with every member that there is.
const WHOLE: &str = include_str!("../../../crates/domain/src/document/tests/whole_company.json");

/// A place in the document, and another value for what stands there; `null` takes it away.
type Change = (&'static str, &'static str);

/// Changes by what they are reported as.
const REPORTED_AS: &[(&str, &[Change])] = &[
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
    ("", &[("/deductionsPayableAccount", r#""9""#)]),
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
    ("WRKR_CMP DELETE W-1", &[("/workers/0/payRates", "[]"), ("/workers/0/recurringComponents", "[]")]),
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
    ("WRKR_TAX DELETE W-1", &[("/workers/0/taxes/states", "[]")]),
    ("WRKR_TAX UPDATE W-1", &[("/workers/0/taxes/federal", "null")]),
];

/// The document as it is imported: nothing that keeps the operator from writing, and one more of
/// what others refer to.
fn document() -> Value {
    let mut document: Value = serde_json::from_str(WHOLE).expect("JSON");
    let members = document.as_object_mut().expect("an object");
    for away in ["lock", "parentCompanyId", "endDate", "converting"] {
        members.remove(away);
    }
    // The state is reported at one place, so that a change of the taxes does not contradict it.
    document["workers"][0].as_object_mut().expect("an object").remove("workState");
    for (list, more) in [
        (
            "customEmploymentTypes",
            json!({"customEmploymentTypeId": "E-2", "customEmploymentTypeName": "Remote"}),
        ),
        ("customFieldCategories", json!({"categoryId": "K-2", "categoryName": "More"})),
        ("calculationBases", json!({"calculationBaseId": "B-2", "calculationBaseName": "Others"})),
        (
            "payComponents",
            json!({"componentId": "P-2", "name": "Dues", "classificationType": "UNION_DUES", "effectOnPay": "REDUCTION"}),
        ),
    ] {
        document[list].as_array_mut().expect("a list").push(more);
    }
    document
}

/// The lists of a company: the segment of their path, and the member with the id.
const LISTS: [(&str, &str, &str); 11] = [
    ("organizations", "organizations", "organizationId"),
    ("contactTypes", "contacttypes", "contactTypeId"),
    ("customEmploymentTypes", "customemploymenttypes", "customEmploymentTypeId"),
    ("customFieldCategories", "customfieldscategories", "categoryId"),
    ("customFields", "customfields", "customFieldId"),
    ("calculationBases", "calculationbases", "calculationBaseId"),
    ("jobTitles", "jobtitles", "jobTitleId"),
    ("laborAssignments", "laborassignments", "laborAssignmentId"),
    ("payComponents", "paycomponents", "componentId"),
    ("payPeriods", "payperiods", "payPeriodId"),
    ("workers", "workers", "workerId"),
];

/// The PATCH that makes the change: of the object in which the place is, with the whole member.
fn patch(document: &mut Value, (place, value): Change) -> Request {
    let value: Value = serde_json::from_str(value).expect("JSON");
    let (parent, member) = place.rsplit_once('/').expect("a pointer");
    document.pointer_mut(parent).expect("the place")[member] = value;
    let steps: Vec<&str> = place.split('/').skip(1).collect();
    let (list, segment, id_member) = match LISTS.iter().find(|(list, ..)| *list == steps[0]) {
        Some(list) => *list,
        None => return Request::operator_patch("/companies/C-1", &json!({steps[0]: document[steps[0]]})),
    };
    let object = &document[list][steps[1].parse::<usize>().expect("an index")];
    let id = object[id_member].as_str().expect("an id");
    Request::operator_patch(&format!("/companies/C-1/{segment}/{id}"), &json!({steps[2]: object[steps[2]]}))
}

/// Sends requests, and says what each is reported as. Behind each, one event of another company marks
/// where its own end, since an event may be shown late.
async fn reported(server: &Server, requests: &[Request]) -> Vec<String> {
    let mut here = "/operator/v1/events?limit=1000".to_owned();
    mark(server, Scopes::NONE).await;
    while !more(server, &mut here).await.iter().any(|event| is_mark(event) && event["action"] == "DELETE") {}
    for (at, request) in requests.iter().enumerate() {
        let answer = server.send(request).await;
        assert!(answer.is_success(), "{request:?}: {answer:?}");
        let scopes = if at % 2 == 0 { [Scope::ReadPayroll].into_iter().collect() } else { Scopes::NONE };
        mark(server, scopes).await;
    }
    let (mut reported, mut of_one) = (Vec::new(), Vec::new());
    while reported.len() < requests.len() {
        for event in more(server, &mut here).await {
            if is_mark(&event) {
                reported.push(std::mem::take(&mut of_one).join(", "));
            } else {
                of_one.push(words(&event));
            }
        }
    }
    reported
}

async fn mark(server: &Server, scopes: Scopes) {
    grant(&*server.store, "limited", FOREIGN, scopes).await;
}

fn is_mark(event: &Value) -> bool {
    event["companyId"] == FOREIGN
}

/// What has come to the feed since.
async fn more(server: &Server, here: &mut String) -> Vec<Value> {
    let (events, next) = follow(server, Caller::Operator, here, 0).await;
    *here = next;
    events
}

fn words(event: &Value) -> String {
    let texts = ["domain", "action", "workerId", "payperiodId"].map(|name| event[name].as_str());
    texts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_field_is_told_under_its_domain_and_under_no_other() {
    on_every_database(async |server| {
        let mut document = document();
        import(&*server.store, &document).await;
        let changes: Vec<_> = REPORTED_AS
            .iter()
            .flat_map(|(expected, changes)| changes.iter().map(move |it| (*expected, *it)))
            .collect();
        let requests: Vec<_> = changes.iter().map(|(_, change)| patch(&mut document, *change)).collect();
        let reported = reported(server, &requests).await;
        let wrong: Vec<_> = changes
            .iter()
            .zip(&reported)
            .filter(|((expected, _), reported)| expected != reported)
            .map(|((expected, (place, _)), reported)| {
                format!("{place}: {expected:?} expected, {reported:?} reported")
            })
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
    });
}

#[test]
fn what_comes_and_goes_is_told_under_its_domain_and_under_no_other() {
    let worker =
        json!({"workerId": "W-8", "workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}});
    let rate = json!({"rateId": "R-8", "rateNumber": "RATE_8", "rateType": "DAILY_RATE", "amount": "1", "startDate": "2026-01-01"});
    let recurring = json!({"workerComponentId": "RC-8", "componentId": "P-1", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "1"});
    let post = |path: &str, body: &Value| Request::operator_post(&format!("/companies/C-1/{path}"), body);
    let delete = |path: &str| Request::operator_delete(&format!("/companies/C-1/{path}"));
    let put = |path: &str, body: &Value| Request::operator_put(&format!("/companies/C-1/{path}"), body);
    let changed = json!({"rateId": "R-8", "rateNumber": "RATE_8", "rateType": "DAILY_RATE", "amount": "2", "startDate": "2026-01-01"});
    let cases = [
        (post("organizations", &json!({"organizationId": "O-8", "name": "A"})), "CLT_ORG ADD"),
        (delete("organizations/O-8"), "CLT_ORG DELETE"),
        (post("workers", &worker), "WRKR_ADD ADD W-8"),
        (put("workers/W-8", &worker), ""),
        (post("workers/W-8/payrates", &rate), "WRKR_CMP ADD W-8"),
        (put("workers/W-8/payrates/R-8", &changed), "WRKR_CMP UPDATE W-8"),
        (delete("workers/W-8/payrates/R-8"), "WRKR_CMP DELETE W-8"),
        (post("workers/W-8/recurringcomponents", &recurring), "WRKR_CMP ADD W-8"),
        (delete("workers/W-8/recurringcomponents/RC-8"), "WRKR_CMP DELETE W-8"),
        (delete("workers/W-8"), "WRKR_EMPL DELETE W-8"),
        (post("contacttypes", &json!({"contactTypeId": "CT-8", "contactTypeName": "A"})), ""),
        (delete("contacttypes/CT-8"), ""),
        (post("calculationbases", &json!({"calculationBaseId": "B-8", "calculationBaseName": "A"})), ""),
        (put("lock", &json!({"reason": "audit"})), ""),
        (delete("lock"), ""),
        (post("payperiods/T-2/process", &json!({})), ""),
        (post("payperiods/T-2/reopen", &json!({})), ""),
        (post("payperiods/T-2/process", &json!({})), ""),
        (post("payperiods/T-2/complete", &json!({"allowEmpty": true})), "CLT_PYRN PAYRUN_COMPLETED T-2"),
    ];
    on_every_database(async |server| {
        import(&*server.store, &document()).await;
        let requests: Vec<_> = cases.iter().map(|(request, _)| request.clone()).collect();
        let reported = reported(server, &requests).await;
        assert_eq!(reported, cases.iter().map(|(_, expected)| *expected).collect::<Vec<_>>());
    });
}
