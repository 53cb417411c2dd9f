//! The companies in the test data, in the format of an import. There is one company for each state that
//! affects operations, such as locked or ended. [`OPEN`] contains enough data to provoke every rule. All data
//! are fictitious.

mod parts;
mod value;

use serde_json::{Value, json};

use super::deposits;

use self::parts::{
    assignment_distributions, contact, custom_values, doctor_contact, home_address, recurring_component,
    recurring_components, statuses, taxes, time_off, work_phone,
};
pub(crate) use self::value::with_member;

/// A company that accepts checks, with a parent and two child companies.
pub(crate) const OPEN: &str = "OPEN";
/// The parent company of [`OPEN`].
pub(crate) const PARENT: &str = "PARENT";
/// One child company of [`OPEN`].
pub(crate) const CHILD: &str = "CHILD";
/// The other child company of [`OPEN`]. Only the application of `Caller::Other` has access to this company.
pub(crate) const FOREIGN: &str = "FOREIGN";
/// A company that ended the day before the tests start.
pub(crate) const ENDED: &str = "ENDED";
/// A company that the operator has locked.
pub(crate) const LOCKED: &str = "LOCKED";
/// A company that is being converted.
pub(crate) const CONVERTING: &str = "CONVERTING";
/// A company without products and lists.
pub(crate) const BARE: &str = "BARE";
/// A company with a pay period in processing.
pub(crate) const BUSY: &str = "BUSY";
/// An id that no company has.
pub(crate) const UNKNOWN: &str = "UNKNOWN";

/// The id of a processed check of the worker in the company [`OPEN`].
pub(crate) const PROCESSED_CHECK: &str = "PROCESSED-1";

/// The id of an unprocessed check of the same worker. [`store_checks`](super::checks::store_checks) stores
/// this check.
pub(crate) const REMOVABLE_CHECK: &str = "REMOVABLE";
/// The id of an unprocessed check of a worker of [`LOCKED`].
pub(crate) const LOCKED_CHECK: &str = "HELD";
/// The id of another unprocessed check in [`OPEN`]. Like all checks that
/// [`store_checks`](super::checks::store_checks) stores, it has the lines `LINE` and `LINE-2`.
pub(crate) const CHECK_WITH_LINES: &str = "WITH-LINES";

/// Returns the id of an unprocessed check of a company. Operations on check lines have no company in their
/// path, so the check determines the company.
pub(crate) fn sample_check_id(company: &str) -> &'static str {
    match company {
        OPEN => CHECK_WITH_LINES,
        FOREIGN => "FOREIGN-CHECK",
        ENDED => "ENDED-CHECK",
        LOCKED => LOCKED_CHECK,
        _ => "NO-CHECK",
    }
}

/// Returns the id of a worker of a company, if the company has one. Operations on workers have no company in
/// their path, so the worker determines the company.
pub(crate) fn sample_worker_id(company: &str) -> &'static str {
    match company {
        OPEN => "EMPLOYEE",
        FOREIGN => "FOREIGN-WORKER",
        ENDED => "ENDED-WORKER",
        LOCKED => "LOCKED-WORKER",
        _ => "NOBODY",
    }
}

/// The tax ID of the company [`CHILD`]. This tax ID is the SSN of a person.
pub(crate) const CHILD_TAX_ID: &str = "000006789";

/// All companies on which the partner has a grant.
pub(crate) const GRANTED_COMPANIES: &[&str] = &[PARENT, OPEN, CHILD, ENDED, LOCKED, CONVERTING, BARE, BUSY];

/// Returns the lines of the import file with the test data.
pub(crate) fn test_data_lines() -> Vec<Value> {
    let mut open = company(OPEN, "00-0100 0001");
    open["parentCompanyId"] = json!(PARENT);
    fill_company(&mut open);
    let mut child = company(CHILD, "00020001");
    child["parentCompanyId"] = json!(OPEN);
    child["legalId"] = json!({"legalIdType": "SSN", "legalIdValue": CHILD_TAX_ID});
    let mut foreign = company(FOREIGN, "00030001");
    foreign["parentCompanyId"] = json!(OPEN);
    fill_foreign_company(&mut foreign);
    let mut ended = company(ENDED, "00040001");
    ended["endDate"] = json!("2026-05-11");
    ended["payPeriods"] = json!([period("ENDED-PERIOD", "ENTRY")]);
    ended["workers"] = json!([worker("ENDED-WORKER", "EMPLOYEE")]);
    let mut locked = company(LOCKED, "00050001");
    fill_locked_company(&mut locked);
    let mut converting = company(CONVERTING, "00060001");
    converting["converting"] = json!(true);
    let mut busy = company(BUSY, "00070001");
    busy["payPeriods"] = json!([period("BUSY-PROCESSING", "PROCESSING")]);
    let bare = json!({"companyId": BARE, "displayId": "SHORT", "legalName": "Bare Example LLC"});
    vec![company(PARENT, "00010001"), open, child, foreign, ended, locked, converting, busy, bare]
}

/// Returns a company with the payroll product and nothing else.
pub(crate) fn company(id: &str, display_id: &str) -> Value {
    json!({
        "companyId": id,
        "displayId": display_id,
        "legalName": format!("{id} Example LLC"),
        "legalId": {"legalIdType": "FEIN", "legalIdValue": "000000001"},
        "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}],
    })
}

/// Returns a pay period of two weeks from 2026-05-04, paid on 2026-05-22.
pub(crate) fn period(id: &str, status: &str) -> Value {
    json!({
        "payPeriodId": id,
        "intervalCode": "BI_WEEKLY",
        "status": status,
        "startDate": "2026-05-04",
        "endDate": "2026-05-17",
        "submitByDate": "2026-05-19",
        "checkDate": "2026-05-22",
    })
}

/// Returns a pay component with this effect.
pub(crate) fn component(id: &str, effect: &str) -> Value {
    json!({
        "componentId": id,
        "name": format!("{id} component"),
        "classificationType": "REGULAR",
        "effectOnPay": effect,
    })
}

/// Returns a worker without any rate.
pub(crate) fn worker(id: &str, worker_type: &str) -> Value {
    json!({
        "workerId": id,
        "workerType": worker_type,
        "exemptionType": "NON_EXEMPT",
        "name": {"familyName": "Sample", "givenName": id},
    })
}

/// Returns a pay rate that is effective since 2020 and not the default.
pub(crate) fn rate(id: &str, number: u8, rate_type: &str, amount: &str) -> Value {
    json!({
        "rateId": id,
        "rateNumber": format!("RATE_{number}"),
        "rateType": rate_type,
        "amount": amount,
        "default": false,
        "startDate": "2020-01-01",
    })
}

fn fill_company(open: &mut Value) {
    open["products"] = json!([
        {"productCode": "PAYROLL", "startDate": "2020-01-01"},
        {"productCode": "RETIREMENT", "startDate": "2020-01-01", "endDate": "2026-05-21"},
        {"productCode": "TIMEKEEPING", "startDate": "2020-01-01", "endDate": "2026-05-22"},
    ]);
    open["communications"] = json!([{
        "communicationId": "OPEN-ADDRESS", "type": "STREET_ADDRESS", "usageType": "BUSINESS",
        "streetLineOne": "1 Sample Road", "city": "SAMPLETON", "countrySubdivisionCode": "NY",
        "postalCode": "00000", "countryCode": "US",
    }]);
    open["organizations"] =
        json!([{"organizationId": "BAKERY", "name": "Bakery", "number": "10", "level": 1}]);
    open["payComponents"] = components();
    open["payPeriods"] = periods();
    open["workers"] = workers();
    fill_lists(open);
}

fn fill_lists(open: &mut Value) {
    open["calculationBases"] = (1..=5)
        .map(
            |n| json!({"calculationBaseId": format!("BASE-{n}"), "calculationBaseName": format!("Base {n}")}),
        )
        .collect();
    open["contactTypes"] = json!([{
        "contactTypeId": "EMERGENCY", "contactTypeName": "Emergency Contact",
        "relationshipTypes": [{"relationshipTypeId": "SPOUSE", "relationshipTypeName": "Spouse"}],
    }]);
    open["customEmploymentTypes"] = ["HYBRID", "REMOTE", "ON-SITE"]
        .into_iter()
        .map(|id| json!({"customEmploymentTypeId": id, "customEmploymentTypeName": id}))
        .collect();
    open["jobTitles"] = json!([
        {"jobTitleId": "BAKER", "title": "Baker", "startDate": "2020-01-01"},
        {"jobTitleId": "STOKER", "title": "Stoker", "startDate": "1990-01-01", "endDate": "2009-12-31"},
    ]);
    open["laborAssignments"] = json!([
        {"laborAssignmentId": "NIGHT", "name": "Night shift", "organizationId": "BAKERY", "positionId": "POST-1",
         "locationId": "SHOP", "rate": "21.50"},
    ]);
    open["locations"] = json!([
        {"locationId": "SHOP", "name": "Shop", "movedIn": "2020-01-01",
         "address": {"streetLineOne": "1 Road", "city": "Sampleton", "countryCode": "US"}},
        {"locationId": "MILL", "name": "Mill", "movedIn": "1990-01-01", "movedOut": "2009-12-31"},
    ]);
    open["jobs"] = json!([
        {"jobId": "CAKES", "jobName": "Cakes", "startDate": "2020-01-01",
         "jobNumber": {"segment1": "A1", "segment2": "1"}},
        {"jobId": "OVENS", "jobName": "Ovens", "startDate": "1990-01-01", "endDate": "2009-12-31"},
    ]);
    open["workerStatuses"] = json!([
        {"workerStatusId": "HIRED", "statusType": "ACTIVE", "statusReason": "HIRED"},
        {"workerStatusId": "BACK", "statusType": "ACTIVE", "statusReason": "RETURN_TO_WORK"},
    ]);
    open["documentCategories"] = json!([
        {"categoryId": "CERTIFICATES", "categoryName": "Certificates"},
        {"categoryId": "CONTRACTS", "categoryName": "Contracts"},
    ]);
    open["users"] = json!([
        {"userId": "CLERK", "name": {"givenName": "Kim", "familyName": "Sample"}, "email": "kim@example.org",
         "title": "Clerk", "active": true},
    ]);
    open["jobSegments"] = json!([
        {"jobSegmentId": "ONE", "segmentNumber": 1, "name": "Place", "segmentLength": 2},
        {"jobSegmentId": "TWO", "segmentNumber": 2, "name": "Kind", "segmentLength": 1},
    ]);
    let frequency = |id: &str, often: &str, occurrence: &str| {
        json!({"payFrequencyId": id, "payFrequency": often,
            "payComponentFrequency": {"applied": "BY_PAY_PERIOD", "occurrence": occurrence}})
    };
    let mut weekly = frequency("TWICE", "WEEKLY", "SEMI_MONTHLY");
    weekly["payComponentFrequency"]["occurrenceIntervals"] = json!({"interval1": "1", "interval2": "Last"});
    open["payFrequencies"] =
        json!([frequency("EACH", "WEEKLY", "EVERY"), weekly, frequency("MONTHS", "MONTHLY", "EVERY")]);
    open["taxStates"] = json!(["NY", "NJ"]);
    open["customFieldCategories"] = json!([
        {"categoryId": "GENERAL", "categoryName": "General", "default": true},
        {"categoryId": "UNIFORM", "categoryName": "Uniform", "default": false},
        {"categoryId": "TOOLS", "categoryName": "Tools", "default": false},
    ]);
    open["customFields"] = json!([
        {"customFieldId": "SHIRT", "customFieldName": "Shirt size", "categoryId": "UNIFORM", "type": "DROPDOWN",
         "dropdown": [{"dropdownId": "S", "dropdownValue": "S"}, {"dropdownId": "M", "dropdownValue": "M", "dropdownDefault": true}]},
        {"customFieldId": "BADGE", "customFieldName": "Badge", "categoryId": "GENERAL", "type": "NUMERIC", "numericValue": 7},
    ]);
}

fn components() -> Value {
    json!([
        component("HOURLY", "ADDITION"),
        component("BONUS", "ADDITION"),
        component("TIPS", "ADDITION_WITH_IN_OUT"),
        component("CAR", "EMPLOYER_INFORMATIONAL"),
        component("GARNISHMENT", "REDUCTION"),
        with_member(component("OVERTIME", "ADDITION"), "overtime", true),
        with_member(component("EMPLOYEES", "ADDITION"), "appliesToWorkerTypes", vec!["EMPLOYEE"]),
        with_member(component("SAVINGS", "ADDITION"), "requiredProduct", "RETIREMENT"),
        with_member(component("CLOCKED", "ADDITION"), "requiredProduct", "TIMEKEEPING"),
        with_member(component("OLD", "ADDITION"), "endDate", "2026-05-21"),
        with_member(component("LAST-DAY", "ADDITION"), "endDate", "2026-05-22"),
    ])
}

/// Returns pay periods in each state except processing, which would lock the company. [`BUSY`] has a period
/// in processing.
fn periods() -> Value {
    let mut completed = period("COMPLETED", "COMPLETED");
    completed["checks"] = (1..=3).map(processed_check).collect();
    let states = ["RELEASED", "COMPLETED_BY_MEC", "REISSUED", "REVERSED"];
    let mut all = vec![period("INITIAL", "INITIAL"), period("ENTRY", "ENTRY"), completed];
    all.extend(states.map(|status| period(status, status)));
    let unpaid = with_member(period("BEFORE-PAYROLL", "ENTRY"), "checkDate", "2019-12-31");
    all.push(with_member(with_member(unpaid, "startDate", "2019-12-01"), "endDate", "2019-12-14"));
    Value::Array(all)
}

fn processed_check(number: u32) -> Value {
    json!({
        "paycheckId": format!("PROCESSED-{number}"),
        "workerId": "EMPLOYEE",
        "checkCorrelationId": format!("processed-{number}"),
        "netPay": "371.67",
        "grossEarnings": "400.00",
        "checkType": "Regular",
        "checkNumber": number.to_string(),
        "earnings": [{
            "componentId": "HOURLY", "checkComponentId": format!("LINE-{number}"), "name": "HOURLY component",
            "classificationType": "REGULAR", "effectOnPay": "ADDITION",
            "amount": "400.00", "rate": "20", "hours": "20",
        }],
        "taxes": [{"name": "Federal Income Tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}],
    })
}

fn workers() -> Value {
    let hourly = |id: &str| with_member(rate(id, 1, "HOURLY_RATE", "20"), "default", true);
    let piece = with_member(rate("PIECE", 2, "PIECEWORK_RATE", "1.5"), "default", true);
    let night = rate("NIGHT", 3, "HOURLY_RATE", "25.1234");
    let future = with_member(rate("FUTURE", 4, "HOURLY_RATE", "30"), "startDate", "2026-05-18");
    let high = rate("HIGH", 5, "HOURLY_RATE", "999999.9999");
    let later = with_member(with_member(future.clone(), "rateId", "LATER"), "default", true);
    let paid = |worker: Value, rates: Vec<Value>| with_member(worker, "payRates", rates);
    json!([
        paid(employee(), vec![hourly("HOUR"), piece, night, future, high]),
        paid(
            with_member(
                with_member(worker("COLLEAGUE", "EMPLOYEE"), "currentStatus", status("ACTIVE")),
                "statuses",
                statuses()
            ),
            vec![hourly("COLLEAGUE-HOUR")]
        ),
        paid(
            with_member(worker("EXEMPT", "EMPLOYEE"), "exemptionType", "EXEMPT"),
            vec![hourly("EXEMPT-HOUR")]
        ),
        paid(worker("CONTRACTOR", "CONTRACTOR"), vec![hourly("CONTRACTOR-HOUR")]),
        paid(
            with_member(
                worker("STARTS-LATER", "EMPLOYEE"),
                "assignmentDistributions",
                assignment_distributions()
            ),
            vec![later]
        ),
        worker("RATELESS", "INDEPENDENT_CONTRACTOR"),
        with_member(worker("STARTING", "EMPLOYEE"), "currentStatus", status("IN_PROGRESS")),
    ])
}

/// Returns the main worker of the test data, who has almost every kind of data except pay rates.
fn employee() -> Value {
    let parts = [
        ("communications", json!([work_phone(), home_address()])),
        ("payStandards", json!({"payFrequency": "WEEKLY", "standardHours": "40", "overtimeFactor": "1.5"})),
        ("recurringComponents", recurring_components()),
        ("directDeposits", deposits::direct_deposits()),
        ("customFields", custom_values()),
        ("contacts", json!([contact(), doctor_contact()])),
        ("timeOff", time_off()),
        ("i9Status", json!({"status": "COMPLETE", "completedDate": "2026-01-05"})),
        ("taxes", taxes()),
    ];
    let worker = worker("EMPLOYEE", "EMPLOYEE");
    parts.into_iter().fold(worker, |worker, (member, part)| with_member(worker, member, part))
}

/// Returns a status since 2026-05-01.
fn status(status_type: &str) -> Value {
    json!({
        "workerStatusId": format!("STATUS-{status_type}"), "statusType": status_type, "effectiveDate": "2026-05-01",
    })
}

fn fill_foreign_company(foreign: &mut Value) {
    foreign["payPeriods"] = json!([period("FOREIGN-PERIOD", "ENTRY")]);
    foreign["payComponents"] = json!([component("FOREIGN-COMPONENT", "ADDITION")]);
    foreign["workers"] = json!([worker("FOREIGN-WORKER", "EMPLOYEE")]);
    foreign["organizations"] = json!([{"organizationId": "FOREIGN-ORG", "name": "Foreign"}]);
}

fn fill_locked_company(locked: &mut Value) {
    locked["lock"] =
        json!({"holder": "operator", "reason": "year end", "expiresDate": "2026-05-12T12:10:00Z"});
    locked["payPeriods"] = json!([period("LOCKED-PERIOD", "ENTRY")]);
    locked["payComponents"] = json!([component("HOURLY", "ADDITION"), component("GARNISHMENT", "REDUCTION")]);
    let held = with_member(worker("LOCKED-WORKER", "EMPLOYEE"), "communications", vec![work_phone()]);
    let held = with_member(held, "currentStatus", status("IN_PROGRESS"));
    let held = with_member(held, "directDeposits", vec![deposits::deposit("MAIN", "PERCENTAGE", "1")]);
    let held =
        with_member(held, "recurringComponents", vec![recurring_component("DUES", "GARNISHMENT", "12.5")]);
    locked["customFields"] = json!([
        {"customFieldId": "SHIRT", "customFieldName": "Shirt size", "type": "DROPDOWN",
         "dropdown": [{"dropdownId": "M", "dropdownValue": "M"}]},
    ]);
    let size = json!({"workerCustomFieldId": "SIZE", "customFieldId": "SHIRT", "dropdownId": "M", "endDate": "2026-12-31"});
    let held = with_member(held, "customFields", vec![size]);
    locked["contactTypes"] = json!([{"contactTypeId": "EMERGENCY", "contactTypeName": "Emergency Contact"}]);
    let held = with_member(held, "contacts", vec![contact()]);
    locked["workers"] = json!([with_member(held, "payRates", vec![rate("HOUR", 1, "HOURLY_RATE", "20")])]);
}

#[cfg(test)]
mod tests {
    use payroll_domain::{document, input};

    #[test]
    fn every_company_of_the_test_data_can_be_imported() {
        for line in super::test_data_lines() {
            let text = line.to_string();
            let node = input::parse(text.as_bytes()).expect("JSON");
            document::read_company(&node).unwrap_or_else(|faults| panic!("{faults}"));
        }
    }
}
