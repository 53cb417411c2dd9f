//! Steps with each list of a company. One object is created, listed, shown, changed and replaced, and a
//! second creation is rejected. Another object is created and deleted.

mod round;
mod work;

use serde_json::{Value, json};

use self::round::ListScenario;
pub(super) use self::round::UNIT_ID;
use super::requests::{
    BAKERY_ID, FARM_ID, GARAGE_ID, HOTEL_ID, company_path, delete_request, get, operator_post, patch_request,
    put_request,
};
use super::runner::{Scenario, only_element};

/// A pay component that is paid by the hour.
pub(super) const HOURLY_COMPONENT: &str = "HOURLY";
/// A pay component that is deducted.
pub(super) const SAVINGS_COMPONENT: &str = "SAVINGS";
/// The calculation base of recurring components.
pub(super) const CALCULATION_BASE: &str = "ALL";
/// The first of two workers of [`BAKERY_ID`].
pub(super) const ADA: &str = "WALK-ADA";
pub(super) const BEN: &str = "WALK-BEN";
/// The only worker of [`GARAGE_ID`].
pub(super) const GUS: &str = "WALK-GUS";
/// The id of the first pay period of [`BAKERY_ID`] and of [`GARAGE_ID`].
pub(super) const JANUARY: &str = "JANUARY";
pub(super) const FEBRUARY: &str = "FEBRUARY";

/// Returns the expected events of `run_list_scenario` for a list.
fn event_texts(domain: &str, subject: &str) -> Vec<String> {
    let actions = ["ADD", "UPDATE", "UPDATE", "ADD", "DELETE"];
    actions.map(|action| format!("{domain} {action} {subject}")).into()
}

async fn run_list_scenario(scenario: &mut Scenario<'_>, round: ListScenario<'_>) {
    let mut reported = round.reported.into_iter();
    let mut causes =
        |scenario: &mut Scenario<'_>| reported.next().iter().for_each(|event| scenario.expect_event(event));
    let path = |object: &Value| format!("{}/{}", round.list, object[round.id].as_str().expect("an id"));
    let stays = path(&round.stays);
    scenario.send_expecting(201, operator_post(&round.list, &round.stays)).await;
    causes(scenario);
    scenario.send_expecting(409, operator_post(&round.list, &round.stays)).await;
    let list = scenario.send_expecting(200, get(&round.list)).await;
    assert!(list.content().iter().any(|it| it[round.id] == round.stays[round.id]), "{list:?}");
    let tag = scenario.send_expecting(200, get(&stays)).await.header("etag").to_owned();
    let changed = scenario.send_expecting(200, patch_request(&stays, &round.change).if_match(&tag)).await;
    causes(scenario);
    scenario.send_expecting(412, patch_request(&stays, &round.change).if_match(&tag)).await;
    let mut object = only_element(&changed);
    object[round.replaced.0] = round.replaced.1;
    // The PUT uses `If-Match: *`, because a part of a worker, such as a pay rate, has no entity tag of its
    // own.
    let replaced = scenario.send_expecting(200, put_request(&stays, &object)).await;
    causes(scenario);
    let same = scenario.send_expecting(200, put_request(&stays, &object)).await;
    assert_eq!(same.header("etag"), replaced.header("etag"), "what changes nothing has the same version");
    scenario.send_expecting(201, operator_post(&round.list, &round.goes)).await;
    causes(scenario);
    let goes = path(&round.goes);
    scenario.send_expecting(204, delete_request(&goes)).await;
    causes(scenario);
    scenario.send_expecting(404, get(&goes)).await;
}

/// Runs the steps with lists of the company itself.
pub(super) async fn run_company_list_steps(scenario: &mut Scenario<'_>) {
    let rounds = [
        organization_scenario(),
        calculation_base_scenario(),
        contact_type_scenario(),
        employment_type_scenario(),
        work::job_title_scenario(),
        work::labor_assignment_scenario(),
        work::location_scenario(),
        work::worker_status_scenario(),
        work::document_category_scenario(),
        work::user_scenario(),
        work::job_segment_scenario(),
        work::job_scenario(),
        work::pay_frequency_scenario(),
        category_scenario(),
        custom_field_scenario(),
        component_scenario(),
    ];
    for round in rounds {
        run_list_scenario(scenario, round).await;
    }
    let savings = json!({"componentId": SAVINGS_COMPONENT, "name": "Savings", "classificationType": "REGULAR",
        "effectOnPay": "REDUCTION"});
    scenario.send_expecting(201, operator_post(&company_path(BAKERY_ID, "paycomponents"), &savings)).await;
    scenario
        .send_expecting(
            201,
            operator_post(&company_path(GARAGE_ID, "paycomponents"), &component_document(HOURLY_COMPONENT)),
        )
        .await;
    let filtered = format!("{}?name=hour&effectonpay=ADDITION", company_path(BAKERY_ID, "paycomponents"));
    assert_eq!(scenario.send_expecting(200, get(&filtered)).await.members("componentId"), [HOURLY_COMPONENT]);
}

fn organization_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "organizations"),
        id: "organizationId",
        stays: json!({"organizationId": UNIT_ID, "name": "Oven", "number": "10", "level": 1}),
        change: json!({"number": "11"}),
        replaced: ("name", json!("The oven")),
        goes: json!({"organizationId": "SHOP", "name": "Shop", "parentOrganizationId": UNIT_ID}),
        reported: event_texts("CLT_ORG", BAKERY_ID),
    }
}

fn calculation_base_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "calculationbases"),
        id: "calculationBaseId",
        stays: json!({"calculationBaseId": CALCULATION_BASE, "calculationBaseName": "All"}),
        change: json!({"calculationBaseName": "All earnings"}),
        replaced: ("calculationBaseName", json!("Everything")),
        goes: json!({"calculationBaseId": "SOME", "calculationBaseName": "Some"}),
        reported: Vec::new(),
    }
}

fn contact_type_scenario() -> ListScenario<'static> {
    let relations = json!([{"relationshipTypeId": "SPOUSE", "relationshipTypeName": "Spouse"}]);
    ListScenario {
        list: company_path(BAKERY_ID, "contacttypes"),
        id: "contactTypeId",
        stays: json!({"contactTypeId": "EMERGENCY", "contactTypeName": "Emergency"}),
        change: json!({"relationshipTypes": relations}),
        replaced: ("contactTypeName", json!("Emergency at night")),
        goes: json!({"contactTypeId": "PRESS", "contactTypeName": "Press"}),
        reported: Vec::new(),
    }
}

fn employment_type_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "customemploymenttypes"),
        id: "customEmploymentTypeId",
        stays: json!({"customEmploymentTypeId": "NIGHT", "customEmploymentTypeName": "Night"}),
        change: json!({"customEmploymentTypeName": "Nights"}),
        replaced: ("customEmploymentTypeName", json!("At night")),
        goes: json!({"customEmploymentTypeId": "DAY", "customEmploymentTypeName": "Day"}),
        reported: Vec::new(),
    }
}

fn category_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "customfieldscategories"),
        id: "categoryId",
        stays: json!({"categoryId": "CLOTHES", "categoryName": "Clothes", "default": true}),
        change: json!({"categoryName": "Clothing"}),
        replaced: ("categoryName", json!("What is worn")),
        goes: json!({"categoryId": "TOOLS", "categoryName": "Tools"}),
        reported: Vec::new(),
    }
}

fn custom_field_scenario() -> ListScenario<'static> {
    let choices =
        json!([{"dropdownId": "S", "dropdownValue": "S"}, {"dropdownId": "M", "dropdownValue": "M"}]);
    ListScenario {
        list: company_path(BAKERY_ID, "customfields"),
        id: "customFieldId",
        stays: json!({"customFieldId": "APRON", "customFieldName": "Apron", "categoryId": "CLOTHES",
            "type": "DROPDOWN", "dropdown": choices}),
        change: json!({"employeeEditable": true}),
        replaced: ("customFieldName", json!("Apron size")),
        goes: json!({"customFieldId": "GLOVE", "customFieldName": "Glove size", "type": "NUMERIC", "numericValue": 8}),
        reported: Vec::new(),
    }
}

fn component_document(id: &str) -> Value {
    json!({"componentId": id, "name": "Hours", "classificationType": "REGULAR", "effectOnPay": "ADDITION"})
}

fn component_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "paycomponents"),
        id: "componentId",
        stays: component_document(HOURLY_COMPONENT),
        change: json!({"description": "Paid by the hour"}),
        replaced: ("debitAccount", json!("6001")),
        goes: component_document("SPARE"),
        reported: Vec::new(),
    }
}

/// Returns a worker with all data that a check of this worker needs.
fn worker_document(id: &str, given: &str, number: &str) -> Value {
    let home = json!({"communicationId": format!("{id}-HOME"), "type": "STREET_ADDRESS", "usageType": "HOME",
        "streetLineOne": "1 Sample Road", "city": "SAMPLETON", "countrySubdivisionCode": "NY",
        "postalCode": "00000", "countryCode": "US"});
    json!({"workerId": id, "workerType": "EMPLOYEE", "exemptionType": "NON_EXEMPT", "hireDate": "2026-01-05",
        "name": {"familyName": "Walker", "givenName": given}, "birthDate": "1990-02-03",
        "legalId": {"legalIdType": "SSN", "legalIdValue": number}, "communications": [home],
        "payRates": [{"rateId": format!("{id}-RATE"), "rateNumber": "RATE_1", "rateType": "HOURLY_RATE",
            "amount": "20", "default": true, "startDate": "2020-01-01"}]})
}

/// Runs the steps with workers of three companies. Other companies may not use the ids of these workers.
pub(super) async fn write_workers(scenario: &mut Scenario<'_>) {
    let (ada, goes) = (format!("{BAKERY_ID} {ADA}"), format!("{BAKERY_ID} WALK-EVE"));
    let reported = [
        format!("WRKR_ADD ADD {ada}"),
        format!("WRKR_EMPL UPDATE {ada}"),
        format!("WRKR_ASGN UPDATE {ada}"),
        format!("WRKR_ADD ADD {goes}"),
        format!("WRKR_EMPL DELETE {goes}"),
    ];
    let round = ListScenario {
        list: company_path(BAKERY_ID, "workers"),
        id: "workerId",
        stays: worker_document(ADA, "Ada", "000007701"),
        change: json!({"employeeId": "1001"}),
        replaced: ("organization", json!({"organizationId": UNIT_ID})),
        goes: worker_document("WALK-EVE", "Eve", "000007702"),
        reported: reported.into(),
    };
    run_list_scenario(scenario, round).await;
    scenario
        .send_expecting(
            201,
            operator_post(&company_path(BAKERY_ID, "workers"), &worker_document(BEN, "Ben", "000007703")),
        )
        .await;
    scenario.expect_event(&format!("WRKR_ADD ADD {BAKERY_ID} {BEN}"));
    scenario
        .send_expecting(
            201,
            operator_post(&company_path(GARAGE_ID, "workers"), &worker_document(GUS, "Gus", "000007704")),
        )
        .await;
    scenario.expect_event(&format!("WRKR_ADD ADD {GARAGE_ID} {GUS}"));
    for company in [GARAGE_ID, FARM_ID, HOTEL_ID] {
        scenario
            .send_expecting(
                409,
                operator_post(&company_path(company, "workers"), &worker_document(ADA, "Ada", "000007705")),
            )
            .await;
    }
    let filters =
        ["name=ada%20walk", "givenname=ben", "legallastfour=7703", "employeeid=1001", "from=2026-01-05"];
    for (filter, found) in filters.into_iter().zip([1, 1, 1, 1, 2]) {
        let list = scenario
            .send_expecting(200, get(&format!("{}?{filter}", company_path(BAKERY_ID, "workers"))))
            .await;
        assert_eq!(list.content().len(), found, "{filter}");
    }
    let reveal = format!("{}/{ADA}/reveal-taxid", company_path(BAKERY_ID, "workers"));
    let revealed = scenario.send_expecting(200, super::requests::operator_post_without_body(&reveal)).await;
    assert_eq!(only_element(&revealed)["legalIdValue"], "000007701");
}

/// Runs the steps with parts of workers, such as pay rates and recurring components.
pub(super) async fn write_worker_parts(scenario: &mut Scenario<'_>) {
    let list = |part: &str| format!("{}/{ADA}/{part}", company_path(BAKERY_ID, "workers"));
    let rate = |id: &str, number: &str| {
        json!({"rateId": id, "rateNumber": number, "rateType": "HOURLY_RATE", "amount": "25",
            "startDate": "2020-01-01"})
    };
    let recurring = |id: &str| {
        json!({"workerComponentId": id, "componentId": SAVINGS_COMPONENT, "calculationType": "FLAT_DOLLAR_AMOUNT",
            "value": "25.00"})
    };
    let rates = ListScenario {
        list: list("payrates"),
        id: "rateId",
        stays: rate("NIGHT", "RATE_2"),
        change: json!({"amount": "26"}),
        replaced: ("description", json!("At night")),
        goes: rate("SUNDAY", "RATE_3"),
        reported: event_texts("WRKR_CMP", &format!("{BAKERY_ID} {ADA}")),
    };
    let components = ListScenario {
        list: list("recurringcomponents"),
        id: "workerComponentId",
        stays: recurring("SAVES"),
        change: json!({"value": "30.00"}),
        replaced: ("startDate", json!("2026-01-01")),
        goes: recurring("SAVES-MORE"),
        reported: event_texts("WRKR_CMP", &format!("{BAKERY_ID} {ADA}")),
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
    run_list_scenario(scenario, rates).await;
    run_list_scenario(scenario, components).await;
    run_list_scenario(scenario, deposits).await;
    run_list_scenario(scenario, custom_value_scenario(list("customfields"))).await;
    run_list_scenario(scenario, contact_scenario(list("contacts"))).await;
}

fn custom_value_scenario(list: String) -> ListScenario<'static> {
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

fn contact_scenario(list: String) -> ListScenario<'static> {
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
pub(super) async fn change_many_workers(scenario: &mut Scenario<'_>) {
    let path = company_path(BAKERY_ID, "workerchanges");
    let changes = json!({
        "workers": [{"workerId": BEN, "clockId": "77"},
            {"workerId": "WALK-CAT", "workerType": "CONTRACTOR", "name": {"familyName": "Walker", "givenName": "Cat"}}],
        "payRates": [{"workerId": BEN, "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "21",
            "default": true, "startDate": "2020-01-01"}]});
    let numbers = |response: &crate::support::Response| {
        let counts = only_element(response);
        ["created", "changed", "unchanged"].map(|member| counts[member].as_i64().expect("a number"))
    };
    let tried = scenario.send_expecting(200, operator_post(&format!("{path}?dryrun=true"), &changes)).await;
    let done = scenario.send_expecting(200, operator_post(&path, &changes)).await;
    let mut reported = [
        format!("WRKR_EMPL UPDATE {BAKERY_ID} {BEN}"),
        format!("WRKR_CMP UPDATE {BAKERY_ID} {BEN}"),
        format!("WRKR_ADD ADD {BAKERY_ID} WALK-CAT"),
    ];
    reported.iter_mut().for_each(|event| scenario.expect_event(event));
    let again = scenario.send_expecting(200, operator_post(&path, &changes)).await;
    assert_eq!([numbers(&tried), numbers(&done), numbers(&again)], [[1, 1, 0], [1, 1, 0], [0, 0, 2]]);
    let table = "workerId,name.familyName\nWALK-CAT,Stroller\n";
    let rows = super::requests::operator_post_without_body(&format!("{path}?rows=workers"));
    scenario.send_expecting(200, rows.header("content-type", "text/csv").body(table)).await;
    scenario.expect_event(&format!("WRKR_DEM UPDATE {BAKERY_ID} WALK-CAT"));
}

/// Creates pay periods of two companies.
pub(super) async fn write_pay_periods(scenario: &mut Scenario<'_>) {
    let period = |id: &str, month: &str, days: &str, paid: &str| {
        json!({"payPeriodId": id, "intervalCode": "MONTHLY", "status": "INITIAL", "checkDate": paid,
            "startDate": format!("2026-{month}-01"), "endDate": format!("2026-{month}-{days}")})
    };
    let january = period(JANUARY, "01", "31", "2026-02-02");
    let round = ListScenario {
        list: company_path(BAKERY_ID, "payperiods"),
        id: "payPeriodId",
        stays: january.clone(),
        change: json!({"description": "The first month"}),
        replaced: ("submitByDate", json!("2026-01-30")),
        goes: period("APRIL", "04", "30", "2026-05-02"),
        reported: Vec::new(),
    };
    run_list_scenario(scenario, round).await;
    let february = period(FEBRUARY, "02", "28", "2026-03-02");
    scenario.send_expecting(201, operator_post(&company_path(BAKERY_ID, "payperiods"), &february)).await;
    scenario.send_expecting(201, operator_post(&company_path(GARAGE_ID, "payperiods"), &january)).await;
    let both = scenario
        .send_expecting(
            200,
            get(&format!("{}?from=2026-01-01&to=2026-02-28", company_path(BAKERY_ID, "payperiods"))),
        )
        .await;
    assert_eq!(both.members("payPeriodId"), [JANUARY, FEBRUARY]);
    scenario.send_expecting(200, get("/payruns?sort=-company")).await;
    scenario.send_expecting(200, get("/payruns/totals")).await;
}
