//! Tests that decimals and dates of the API's objects are read and written exactly.

use rust_decimal::Decimal;

use crate::types::{
    Check, CheckInput, CheckLineInput, HookAuthentication, HookInput, LegalId, PayPeriod, PeriodStatus,
};

fn check_with_line(line: &str) -> Result<Check, serde_json::Error> {
    serde_json::from_str(&format!(
        r#"{{"paycheckId":"K1","workerId":"W1","payPeriodId":"P1","checkDate":"2026-06-05T00:00:00Z","newMember":[1],"links":[],
        "earnings":[{{"componentId":"C1","name":"Hourly","classificationType":"REGULAR","effectOnPay":"NEW_EFFECT","memoed":false,{line}}}]}}"#
    ))
}

#[test]
fn decimals_keep_all_digits() {
    for text in ["0.10", "1234567890.12", "0.1", "-3.00", "7.2500", "79228162514264337593543950335"] {
        // The API writes decimals as strings. A JSON number is accepted too, and is read from its literal
        // text and not as a float.
        for literal in [format!("\"{text}\""), text.to_owned()] {
            let check = check_with_line(&format!(r#""payAmount":{literal}"#)).unwrap();
            assert_eq!(check.earnings[0].amount.unwrap().to_string(), text);
        }
    }
    for bad in ["\"\"", "\"a\"", "1e3", "\"1e3\"", "true", "[1]", "0.12345678901234567890123456789012345"] {
        assert!(check_with_line(&format!(r#""payAmount":{bad}"#)).is_err(), "{bad}");
    }
}

#[test]
fn open_and_processed_check_lines_have_the_same_fields() {
    let open = check_with_line(r#""payHours":"7.25","payRate":"20.0000""#).unwrap();
    let paid = check_with_line(r#""hours":"7.25","rate":"20.0000","amount":"145.00""#).unwrap();
    let (one, other) = (&open.earnings[0], &paid.earnings[0]);
    assert_eq!((one.hours, one.rate, one.amount), (other.hours, other.rate, None));
    assert_eq!(other.amount, Some(Decimal::new(14_500, 2)));
    assert_eq!(one.effect_on_pay.as_str(), "NEW_EFFECT");
    assert_eq!(open.check_date.to_string(), "2026-06-05");
    assert!(!open.is_processed());
    assert_eq!(open.lines().count(), 1);
}

#[test]
fn input_has_decimals_as_strings_and_omits_unset_members() {
    let line = CheckLineInput {
        organization_id: Some("U1".to_owned()),
        ..CheckLineInput::amount("C1", "1234567890.10".parse().unwrap())
    };
    let check = CheckInput::new("W1", "P1", "row")
        .earning(line.clone())
        .earning(CheckLineInput::units("C2", 3.into()).rate("0.50".parse().unwrap()));
    let text = serde_json::to_string(&check).unwrap();
    assert_eq!(
        text,
        r#"{"workerId":"W1","payPeriodId":"P1","checkCorrelationId":"row","earnings":[{"componentId":"C1","payAmount":"1234567890.10","organization":{"organizationId":"U1"}},{"componentId":"C2","payUnits":"3","payRate":"0.50"}]}"#
    );
}

#[test]
fn a_pay_period_in_the_state_entry_is_open() {
    let text = r#"{"payPeriodId":"P1","intervalCode":"WEEKLY","status":"ENTRY","startDate":"2026-06-01T00:00:00Z",
        "endDate":"2026-06-07","checkDate":"2026-06-12T00:00:00Z","checkCount":3,"links":[]}"#;
    let period: PayPeriod = serde_json::from_str(text).unwrap();
    assert!(period.is_open());
    assert_eq!((period.status, period.check_count), (PeriodStatus::Entry, 3));
}

#[test]
fn secrets_and_tax_ids_are_hidden_in_debug_output() {
    let id: LegalId = serde_json::from_str(r#"{"legalIdType":"SSN","legalIdValue":"900123456"}"#).unwrap();
    let hook = HookInput {
        uri: "https://hooks.example.com".to_owned(),
        domains: vec!["CLT_PYRN".into()],
        authentication: HookAuthentication::ApiKey { api_key: "key-900123456".into() },
        company_id: None,
        hook_id: None,
        ordered: false,
        max_attempts: None,
        max_per_second: None,
    };
    assert!(!format!("{id:?} {hook:?}").contains("900123456"));
    assert_eq!(
        serde_json::to_string(&hook).unwrap(),
        r#"{"uri":"https://hooks.example.com","domains":["CLT_PYRN"],"authentication":{"authType":"APIKEY","apiKey":"key-900123456"}}"#
    );
}
