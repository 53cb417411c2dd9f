//! Resources that are described in the domain, as partners read them.

use crate::shared::wire::described::DescribedResource;
use crate::shared::wire::samples;
use payroll_domain::company::{CalculationBase, ContactType, CustomEmploymentType, RelationshipType};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use payroll_domain::worker::WorkerType;

#[test]
fn a_pay_component_shows_its_members_in_order_and_leaves_out_what_it_lacks() {
    let plain = PayComponent {
        component_id: samples::id("HOURLY"),
        name: "Hourly".to_owned(),
        code: None,
        classification_type: ClassificationType::Regular,
        description: None,
        effect_on_pay: EffectOnPay::Addition,
        start_date: None,
        end_date: None,
        applies_to_worker_types: Vec::new(),
        overtime: false,
        required_product: None,
        debit_account: None,
        credit_account: None,
    };
    let whole = PayComponent {
        code: Some("01".to_owned()),
        start_date: Some(samples::day("2020-01-01")),
        applies_to_worker_types: vec![WorkerType::Employee, WorkerType::Contractor],
        required_product: Some("RETIREMENT".to_owned()),
        debit_account: None,
        credit_account: None,
        ..plain.clone()
    };
    let shown = |component| serde_json::to_string(&DescribedResource::bare(component)).unwrap();
    let expected = concat!(
        r#"{"componentId":"HOURLY","name":"Hourly","classificationType":"REGULAR","#,
        r#""effectOnPay":"ADDITION","overtime":false}"#,
    );
    assert_eq!(shown(&plain), expected);
    let expected = concat!(
        r#"{"componentId":"HOURLY","name":"Hourly","code":"01","classificationType":"REGULAR","#,
        r#""effectOnPay":"ADDITION","startDate":"2020-01-01T00:00:00Z","#,
        r#""appliesToWorkerTypes":["EMPLOYEE","CONTRACTOR"],"overtime":false,"#,
        r#""requiredProduct":"RETIREMENT"}"#,
    );
    assert_eq!(shown(&whole), expected);
}

#[test]
fn the_members_of_the_short_lists_carry_the_names_of_the_specification() {
    let base = CalculationBase {
        calculation_base_id: samples::id("B"),
        calculation_base_name: "All earnings".to_owned(),
    };
    let spouse = RelationshipType {
        relationship_type_id: samples::id("R"),
        relationship_type_name: "Spouse".to_owned(),
    };
    let contact = ContactType {
        contact_type_id: samples::id("C"),
        contact_type_name: "Emergency Contact".to_owned(),
        relationship_types: vec![spouse],
    };
    let hybrid = CustomEmploymentType {
        custom_employment_type_id: samples::id("E"),
        custom_employment_type_name: "Hybrid".to_owned(),
    };
    let json = serde_json::to_string(&(
        DescribedResource::bare(&base),
        DescribedResource::bare(&contact),
        DescribedResource::with_links(&hybrid, Vec::new()),
    ));
    let expected = concat!(
        r#"[{"calculationBaseId":"B","calculationBaseName":"All earnings"},"#,
        r#"{"contactTypeId":"C","contactTypeName":"Emergency Contact","relationshipTypes":"#,
        r#"[{"relationshipTypeId":"R","relationshipTypeName":"Spouse"}]},"#,
        r#"{"customEmploymentTypeId":"E","customEmploymentTypeName":"Hybrid","links":[]}]"#,
    );
    assert_eq!(json.unwrap(), expected);
}
