//! Steps with each list of a company: an object is created, rejected a second time, listed, shown, changed
//! and replaced. Another one is created and deleted.

mod round;
mod work;

use serde_json::{Value, json};

pub(super) use self::round::UNIT;

use self::round::ListScenario;
use super::requests::{
    BAKERY, FARM, GARAGE, HOTEL, change, company_path, delete, get, operator_post, replace,
};
use super::walker::{Walk, one};

/// A pay component that is paid by the hour.
pub(super) const HOURLY: &str = "HOURLY";
/// A pay component that is deducted.
pub(super) const SAVINGS: &str = "SAVINGS";
/// The calculation base of recurring components.
pub(super) const BASE: &str = "ALL";
/// The first of two workers of [`BAKERY`].
pub(super) const ADA: &str = "WALK-ADA";
pub(super) const BEN: &str = "WALK-BEN";
/// The only worker of [`GARAGE`].
pub(super) const GUS: &str = "WALK-GUS";
/// The first pay period of [`BAKERY`]. [`GARAGE`] has it too.
pub(super) const JANUARY: &str = "JANUARY";
pub(super) const FEBRUARY: &str = "FEBRUARY";

/// Returns the events of a list whose objects are added, changed and deleted.
fn list_events(domain: &str, subject: &str) -> Vec<String> {
    let actions = ["ADD", "UPDATE", "UPDATE", "ADD", "DELETE"];
    actions.map(|action| format!("{domain} {action} {subject}")).into()
}

async fn walk_list(walk: &mut Walk<'_>, round: ListScenario<'_>) {
    let mut reported = round.reported.into_iter();
    let mut causes = |walk: &mut Walk<'_>| reported.next().iter().for_each(|event| walk.expect_event(event));
    let path = |object: &Value| format!("{}/{}", round.list, object[round.id].as_str().expect("an id"));
    let stays = path(&round.stays);
    walk.step(201, operator_post(&round.list, &round.stays)).await;
    causes(walk);
    walk.step(409, operator_post(&round.list, &round.stays)).await;
    let list = walk.step(200, get(&round.list)).await;
    assert!(list.content().iter().any(|it| it[round.id] == round.stays[round.id]), "{list:?}");
    let tag = walk.step(200, get(&stays)).await.header("etag").to_owned();
    let changed = walk.step(200, change(&stays, &round.change).if_match(&tag)).await;
    causes(walk);
    walk.step(412, change(&stays, &round.change).if_match(&tag)).await;
    let mut object = one(&changed);
    object[round.replaced.0] = round.replaced.1;
    // The entity tag of a part is the one of its worker.
    let replaced = walk.step(200, replace(&stays, &object)).await;
    causes(walk);
    let same = walk.step(200, replace(&stays, &object)).await;
    assert_eq!(same.header("etag"), replaced.header("etag"), "what changes nothing has the same version");
    walk.step(201, operator_post(&round.list, &round.goes)).await;
    causes(walk);
    let goes = path(&round.goes);
    walk.step(204, delete(&goes)).await;
    causes(walk);
    walk.step(404, get(&goes)).await;
}

/// Runs the steps with lists of the company itself.
pub(super) async fn walk_company_lists(walk: &mut Walk<'_>) {
    let rounds = [
        units(),
        bases(),
        contact_types(),
        employment_types(),
        work::titles(),
        work::assignments(),
        work::locations(),
        work::worker_statuses(),
        work::document_categories(),
        work::users(),
        work::job_segments(),
        work::jobs(),
        work::pay_frequencies(),
        categories(),
        fields(),
        components(),
    ];
    for round in rounds {
        walk_list(walk, round).await;
    }
    let savings = json!({"componentId": SAVINGS, "name": "Savings", "classificationType": "REGULAR",
        "effectOnPay": "REDUCTION"});
    walk.step(201, operator_post(&company_path(BAKERY, "paycomponents"), &savings)).await;
    walk.step(201, operator_post(&company_path(GARAGE, "paycomponents"), &component(HOURLY))).await;
    let filtered = format!("{}?name=hour&effectonpay=ADDITION", company_path(BAKERY, "paycomponents"));
    assert_eq!(walk.step(200, get(&filtered)).await.members("componentId"), [HOURLY]);
}

fn units() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "organizations"),
        id: "organizationId",
        stays: json!({"organizationId": UNIT, "name": "Oven", "number": "10", "level": 1}),
        change: json!({"number": "11"}),
        replaced: ("name", json!("The oven")),
        goes: json!({"organizationId": "SHOP", "name": "Shop", "parentOrganizationId": UNIT}),
        reported: list_events("CLT_ORG", BAKERY),
    }
}

fn bases() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "calculationbases"),
        id: "calculationBaseId",
        stays: json!({"calculationBaseId": BASE, "calculationBaseName": "All"}),
        change: json!({"calculationBaseName": "All earnings"}),
        replaced: ("calculationBaseName", json!("Everything")),
        goes: json!({"calculationBaseId": "SOME", "calculationBaseName": "Some"}),
        reported: Vec::new(),
    }
}

fn contact_types() -> ListScenario<'static> {
    let relations = json!([{"relationshipTypeId": "SPOUSE", "relationshipTypeName": "Spouse"}]);
    ListScenario {
        list: company_path(BAKERY, "contacttypes"),
        id: "contactTypeId",
        stays: json!({"contactTypeId": "EMERGENCY", "contactTypeName": "Emergency"}),
        change: json!({"relationshipTypes": relations}),
        replaced: ("contactTypeName", json!("Emergency at night")),
        goes: json!({"contactTypeId": "PRESS", "contactTypeName": "Press"}),
        reported: Vec::new(),
    }
}

fn employment_types() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "customemploymenttypes"),
        id: "customEmploymentTypeId",
        stays: json!({"customEmploymentTypeId": "NIGHT", "customEmploymentTypeName": "Night"}),
        change: json!({"customEmploymentTypeName": "Nights"}),
        replaced: ("customEmploymentTypeName", json!("At night")),
        goes: json!({"customEmploymentTypeId": "DAY", "customEmploymentTypeName": "Day"}),
        reported: Vec::new(),
    }
}

fn categories() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "customfieldscategories"),
        id: "categoryId",
        stays: json!({"categoryId": "CLOTHES", "categoryName": "Clothes", "default": true}),
        change: json!({"categoryName": "Clothing"}),
        replaced: ("categoryName", json!("What is worn")),
        goes: json!({"categoryId": "TOOLS", "categoryName": "Tools"}),
        reported: Vec::new(),
    }
}

fn fields() -> ListScenario<'static> {
    let choices =
        json!([{"dropdownId": "S", "dropdownValue": "S"}, {"dropdownId": "M", "dropdownValue": "M"}]);
    ListScenario {
        list: company_path(BAKERY, "customfields"),
        id: "customFieldId",
        stays: json!({"customFieldId": "APRON", "customFieldName": "Apron", "categoryId": "CLOTHES",
            "type": "DROPDOWN", "dropdown": choices}),
        change: json!({"employeeEditable": true}),
        replaced: ("customFieldName", json!("Apron size")),
        goes: json!({"customFieldId": "GLOVE", "customFieldName": "Glove size", "type": "NUMERIC", "numericValue": 8}),
        reported: Vec::new(),
    }
}

fn component(id: &str) -> Value {
    json!({"componentId": id, "name": "Hours", "classificationType": "REGULAR", "effectOnPay": "ADDITION"})
}

fn components() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "paycomponents"),
        id: "componentId",
        stays: component(HOURLY),
        change: json!({"description": "Paid by the hour"}),
        replaced: ("debitAccount", json!("6001")),
        goes: component("SPARE"),
        reported: Vec::new(),
    }
}

/// Returns a worker with all data that are needed for payment.
fn worker(id: &str, given: &str, number: &str) -> Value {
    let home = json!({"communicationId": format!("{id}-HOME"), "type": "STREET_ADDRESS", "usageType": "HOME",
        "streetLineOne": "1 Sample Road", "city": "SAMPLETON", "countrySubdivisionCode": "NY",
        "postalCode": "00000", "countryCode": "US"});
    json!({"workerId": id, "workerType": "EMPLOYEE", "exemptionType": "NON_EXEMPT", "hireDate": "2026-01-05",
        "name": {"familyName": "Walker", "givenName": given}, "birthDate": "1990-02-03",
        "legalId": {"legalIdType": "SSN", "legalIdValue": number}, "communications": [home],
        "payRates": [{"rateId": format!("{id}-RATE"), "rateNumber": "RATE_1", "rateType": "HOURLY_RATE",
            "amount": "20", "default": true, "startDate": "2020-01-01"}]})
}

/// Runs the steps with workers of three companies, whose ids no other company may use.
pub(super) async fn workers(walk: &mut Walk<'_>) {
    let (ada, goes) = (format!("{BAKERY} {ADA}"), format!("{BAKERY} WALK-EVE"));
    let reported = [
        format!("WRKR_ADD ADD {ada}"),
        format!("WRKR_EMPL UPDATE {ada}"),
        format!("WRKR_ASGN UPDATE {ada}"),
        format!("WRKR_ADD ADD {goes}"),
        format!("WRKR_EMPL DELETE {goes}"),
    ];
    let round = ListScenario {
        list: company_path(BAKERY, "workers"),
        id: "workerId",
        stays: worker(ADA, "Ada", "000007701"),
        change: json!({"employeeId": "1001"}),
        replaced: ("organization", json!({"organizationId": UNIT})),
        goes: worker("WALK-EVE", "Eve", "000007702"),
        reported: reported.into(),
    };
    walk_list(walk, round).await;
    walk.step(201, operator_post(&company_path(BAKERY, "workers"), &worker(BEN, "Ben", "000007703"))).await;
    walk.expect_event(&format!("WRKR_ADD ADD {BAKERY} {BEN}"));
    walk.step(201, operator_post(&company_path(GARAGE, "workers"), &worker(GUS, "Gus", "000007704"))).await;
    walk.expect_event(&format!("WRKR_ADD ADD {GARAGE} {GUS}"));
    for company in [GARAGE, FARM, HOTEL] {
        walk.step(409, operator_post(&company_path(company, "workers"), &worker(ADA, "Ada", "000007705")))
            .await;
    }
    let filters =
        ["name=ada%20walk", "givenname=ben", "legallastfour=7703", "employeeid=1001", "from=2026-01-05"];
    for (filter, found) in filters.into_iter().zip([1, 1, 1, 1, 2]) {
        let list = walk.step(200, get(&format!("{}?{filter}", company_path(BAKERY, "workers")))).await;
        assert_eq!(list.content().len(), found, "{filter}");
    }
    let reveal = format!("{}/{ADA}/reveal-taxid", company_path(BAKERY, "workers"));
    let revealed = walk.step(200, super::requests::action(&reveal)).await;
    assert_eq!(one(&revealed)["legalIdValue"], "000007701");
}

/// Runs the steps with pay rates and recurring components, which are parts of their worker.
pub(super) async fn parts(walk: &mut Walk<'_>) {
    let list = |part: &str| format!("{}/{ADA}/{part}", company_path(BAKERY, "workers"));
    let rate = |id: &str, number: &str| {
        json!({"rateId": id, "rateNumber": number, "rateType": "HOURLY_RATE", "amount": "25",
            "startDate": "2020-01-01"})
    };
    let recurring = |id: &str| {
        json!({"workerComponentId": id, "componentId": SAVINGS, "calculationType": "FLAT_DOLLAR_AMOUNT",
            "value": "25.00"})
    };
    let rates = ListScenario {
        list: list("payrates"),
        id: "rateId",
        stays: rate("NIGHT", "RATE_2"),
        change: json!({"amount": "26"}),
        replaced: ("description", json!("At night")),
        goes: rate("SUNDAY", "RATE_3"),
        reported: list_events("WRKR_CMP", &format!("{BAKERY} {ADA}")),
    };
    let components = ListScenario {
        list: list("recurringcomponents"),
        id: "workerComponentId",
        stays: recurring("SAVES"),
        change: json!({"value": "30.00"}),
        replaced: ("startDate", json!("2026-01-01")),
        goes: recurring("SAVES-MORE"),
        reported: list_events("WRKR_CMP", &format!("{BAKERY} {ADA}")),
    };
    let deposit = |id: &str| {
        json!({"directDepositId": id, "startDate": "2026-01-01", "paymentType": "FLAT_DOLLAR_AMOUNT",
            "accountType": "CHECKING", "value": "10.00", "routingNumber": "122100024",
            "accountNumber": "1234567865", "priority": if id == "PAYS" { "1" } else { "2" }})
    };
    let deposits = ListScenario {
        list: list("directdeposits"),
        id: "directDepositId",
        stays: deposit("PAYS"),
        change: json!({"value": "12.00"}),
        replaced: ("accountType", json!("SAVINGS")),
        goes: deposit("PAYS-MORE"),
        reported: Vec::new(),
    };
    walk_list(walk, rates).await;
    walk_list(walk, components).await;
    walk_list(walk, deposits).await;
    walk_list(walk, custom_values(list("customfields"))).await;
    walk_list(walk, contacts(list("contacts"))).await;
}

fn custom_values(list: String) -> ListScenario<'static> {
    ListScenario {
        list,
        id: "workerCustomFieldId",
        stays: json!({"workerCustomFieldId": "APRON-NOW", "customFieldId": "APRON", "dropdownId": "S"}),
        change: json!({"dropdownId": "M"}),
        replaced: ("endDate", json!("2026-01-31")),
        goes: json!({"workerCustomFieldId": "APRON-NEXT", "customFieldId": "APRON", "dropdownId": "S",
            "startDate": "2026-02-01"}),
        reported: Vec::new(),
    }
}

fn contacts(list: String) -> ListScenario<'static> {
    let contact = |id: &str| {
        let entity = json!({"entityName": id, "communication": {"telecom": {"dialNumber": "5550198"}}});
        json!({"contactId": id, "contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {"entity": entity}})
    };
    ListScenario {
        list,
        id: "contactId",
        stays: contact("AUNT"),
        change: json!({"relationship": {"entity": {"entityName": "Aunt Inc."}}}),
        replaced: ("relationship", contact("AUNTS")["relationship"].clone()),
        goes: contact("UNCLE"),
        reported: Vec::new(),
    }
}

/// Runs the steps that change several workers of a company together, as JSON and as CSV.
pub(super) async fn many_workers(walk: &mut Walk<'_>) {
    let path = company_path(BAKERY, "workerchanges");
    let changes = json!({
        "workers": [{"workerId": BEN, "clockId": "77"},
            {"workerId": "WALK-CAT", "workerType": "CONTRACTOR", "name": {"familyName": "Walker", "givenName": "Cat"}}],
        "payRates": [{"workerId": BEN, "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "21",
            "default": true, "startDate": "2020-01-01"}]});
    let numbers = |response: &crate::support::Response| {
        let counts = one(response);
        ["created", "changed", "unchanged"].map(|member| counts[member].as_i64().expect("a number"))
    };
    let tried = walk.step(200, operator_post(&format!("{path}?dryrun=true"), &changes)).await;
    let done = walk.step(200, operator_post(&path, &changes)).await;
    let mut reported = [
        format!("WRKR_EMPL UPDATE {BAKERY} {BEN}"),
        format!("WRKR_CMP UPDATE {BAKERY} {BEN}"),
        format!("WRKR_ADD ADD {BAKERY} WALK-CAT"),
    ];
    reported.iter_mut().for_each(|event| walk.expect_event(event));
    let again = walk.step(200, operator_post(&path, &changes)).await;
    assert_eq!([numbers(&tried), numbers(&done), numbers(&again)], [[1, 1, 0], [1, 1, 0], [0, 0, 2]]);
    let table = "workerId,name.familyName\nWALK-CAT,Stroller\n";
    let rows = super::requests::action(&format!("{path}?rows=workers"));
    walk.step(200, rows.header("content-type", "text/csv").body(table)).await;
    walk.expect_event(&format!("WRKR_DEM UPDATE {BAKERY} WALK-CAT"));
}

/// Creates pay periods of two companies.
pub(super) async fn pay_periods(walk: &mut Walk<'_>) {
    let period = |id: &str, month: &str, days: &str, paid: &str| {
        json!({"payPeriodId": id, "intervalCode": "MONTHLY", "status": "INITIAL", "checkDate": paid,
            "startDate": format!("2026-{month}-01"), "endDate": format!("2026-{month}-{days}")})
    };
    let january = period(JANUARY, "01", "31", "2026-02-02");
    let round = ListScenario {
        list: company_path(BAKERY, "payperiods"),
        id: "payPeriodId",
        stays: january.clone(),
        change: json!({"description": "The first month"}),
        replaced: ("submitByDate", json!("2026-01-30")),
        goes: period("APRIL", "04", "30", "2026-05-02"),
        reported: Vec::new(),
    };
    walk_list(walk, round).await;
    let february = period(FEBRUARY, "02", "28", "2026-03-02");
    walk.step(201, operator_post(&company_path(BAKERY, "payperiods"), &february)).await;
    walk.step(201, operator_post(&company_path(GARAGE, "payperiods"), &january)).await;
    let both = walk
        .step(200, get(&format!("{}?from=2026-01-01&to=2026-02-28", company_path(BAKERY, "payperiods"))))
        .await;
    assert_eq!(both.members("payPeriodId"), [JANUARY, FEBRUARY]);
    walk.step(200, get("/payruns?sort=-company")).await;
    walk.step(200, get("/payruns/totals")).await;
}
