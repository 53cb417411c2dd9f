//! Tests of the JSON that partners get. The tests cover the resources whose members the domain describes.

use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::samples;
use payroll_domain::company::{ContactType, RelationshipType};
use payroll_domain::custom_field::{CustomFieldValue, DecimalPlaces, DropdownChoice};
use payroll_domain::lookup::{CalculationBase, CustomEmploymentType};
use payroll_domain::money::parse_decimal;
use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use payroll_domain::worker::WorkerType;

#[test]
fn a_pay_component_has_its_members_in_order_and_omits_absent_ones() {
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
    let shown = |component| serde_json::to_string(&DescribedResource::without_links(component)).unwrap();
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
fn members_of_lookup_lists_have_the_specified_names() {
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
        DescribedResource::without_links(&base),
        DescribedResource::without_links(&contact),
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

fn serialize_custom_field_value(value: CustomFieldValue) -> String {
    let json =
        serde_json::to_string(&DescribedResource::without_links(&samples::custom_field(value))).unwrap();
    json.split_once(r#""employeeEditable":true"#).unwrap().1.to_owned()
}

#[test]
fn custom_field_always_has_its_flags() {
    let field = samples::custom_field(CustomFieldValue::Boolean(None));
    let expected = concat!(
        r#"{"customFieldId":"F","customFieldName":"Shoe size","categoryId":"K","type":"BOOLEAN","#,
        r#""required":false,"checkStub":false,"employeeEditable":true}"#,
    );
    assert_eq!(serde_json::to_string(&DescribedResource::without_links(&field)).unwrap(), expected);
}

#[test]
fn custom_field_type_determines_its_members() {
    let (text, default) = ("plain".to_owned(), parse_decimal("-12.5", 4).ok());
    let choice = DropdownChoice { dropdown_id: Some(samples::id("D")), value: text.clone(), default: true };
    let rows = [
        (CustomFieldValue::Boolean(Some(false)), r#","booleanValue":false}"#),
        (CustomFieldValue::Date(Some(samples::day("2026-05-12"))), r#","dateValue":"2026-05-12T00:00:00Z"}"#),
        (
            CustomFieldValue::Text { default: Some(text), max_length: Some(40) },
            r#","textValue":"plain","maxTextLength":40}"#,
        ),
        (CustomFieldValue::Numeric { places: DecimalPlaces::Four, default }, r#","numericValue":-12.5}"#),
        (CustomFieldValue::Dropdown(Vec::new()), r#","dropdown":[]}"#),
        (
            CustomFieldValue::Dropdown(vec![choice]),
            r#","dropdown":[{"dropdownId":"D","dropdownValue":"plain","dropdownDefault":true}]}"#,
        ),
    ];
    for (value, expected) in rows {
        assert_eq!(serialize_custom_field_value(value), expected);
    }
}
