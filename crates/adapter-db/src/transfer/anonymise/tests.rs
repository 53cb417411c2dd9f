//! Tests the replacement of values that no API operation shows, and of values that depend on other values of
//! their row.

use super::*;
use crate::transfer::columns::{ColumnType, CopiedColumn};

fn anonymiser(amounts: AmountTreatment) -> Anonymiser {
    Anonymiser::new(&AnonymiseSettings::from_seed("a seed of these tests", amounts)).unwrap()
}

fn table(name: &str, columns: &[&str]) -> SourceTable {
    let columns = columns
        .iter()
        .map(|name| CopiedColumn { name: (*name).to_owned(), kind: ColumnType::Text })
        .collect();
    SourceTable { name: name.to_owned(), columns, rows: 0, last_number: None }
}

/// Returns the anonymised row of a table with these columns and values.
fn anonymise_row(amounts: AmountTreatment, name: &str, values: &[(&str, &str)]) -> TextRow {
    let columns: Vec<&str> = values.iter().map(|(column, _)| *column).collect();
    let mut row: TextRow = values.iter().map(|(_, value)| Some((*value).to_owned())).collect();
    anonymiser(amounts).anonymise_row(&table(name, &columns), &mut row).unwrap();
    row
}

#[test]
fn replaces_all_credentials_except_the_method() {
    let client = r#"{"tokenUrl":"https://login.original.example/t?k=hidden","clientId":"original-id","clientSecret":"original-secret","scope":"original-scope"}"#;
    for (auth_type, stored) in [
        ("BASIC_AUTH", r#"{"username":"original-ann","password":"original-sesame"}"#),
        ("APIKEY", r#"{"apiKeyHeader":"x-original","apiKey":"original-key"}"#),
        ("OAUTH2", client),
        ("OAUTH2_BASIC", client),
    ] {
        let row =
            [("auth_type", auth_type), ("authentication", stored), ("uri", "https://u:p@original.example/")];
        let row = anonymise_row(AmountTreatment::Keep, "hooks", &row);
        let (shown, address) = (row[1].as_deref().unwrap(), row[2].as_deref().unwrap());
        assert!(!shown.contains("original") && !shown.contains("hidden"), "{shown}");
        let kind = AuthType::parse(auth_type).unwrap();
        assert!(Authentication::from_stored(kind, shown).is_some(), "{shown}");
        assert!(address.ends_with(".invalid/") && Address::from_stored(address).is_some(), "{address}");
    }
    let row =
        anonymise_row(AmountTreatment::Keep, "hooks", &[("signing_secret", "c2VjcmV0"), ("active", "1")]);
    assert_eq!(STANDARD_NO_PAD.decode(row[0].as_deref().unwrap()).unwrap().len(), 32);
    assert_eq!(row[1].as_deref(), Some("0"));
}

#[test]
fn replaces_defaults_of_text_fields_only() {
    let default = |kind: &str, value: &str| {
        let values = [("field_type", kind), ("default_text", value), ("max_length", "8")];
        anonymise_row(AmountTreatment::Keep, "custom_fields", &values)[1].clone().unwrap()
    };
    let text = default("TEXT", "original");
    assert!(text.starts_with("Text ") && text.len() == 8, "{text}");
    assert_eq!((default("DATE", "2026-01-31"), default("NUMERIC", "3")), ("2026-01-31".into(), "3".into()));
}

#[test]
fn a_reversal_still_refers_to_its_original() {
    let values =
        [("correlation_id", "PC-1"), ("reversal_of", "PC-1"), ("check_type", "Reversal"), ("lines", "[]")];
    let row = anonymise_row(AmountTreatment::Keep, "checks", &values);
    assert_eq!((row[0].as_deref(), row[2].as_deref()), (Some("PC-1"), Some("Reversal")));
    let values = [("correlation_id", "PC-1"), ("check_type", "original"), ("lines", "[]")];
    let row = anonymise_row(AmountTreatment::Keep, "checks", &values);
    assert!(
        row[0].as_deref().unwrap().starts_with("Check ") && row[1].as_deref().unwrap().starts_with("Type ")
    );
}

#[test]
fn scales_only_amounts_of_money() {
    let value = |kind: &str| {
        let values = [("company_id", "C"), ("calculation_type", kind), ("value", "1000000")];
        anonymise_row(AmountTreatment::Scale, "recurring_components", &values)[2].clone().unwrap()
    };
    assert_eq!(value("PERCENTAGE"), "1000000");
    assert_eq!(value("FLAT_DOLLAR_AMOUNT"), value("RATE_X_HOURS"));
    assert_ne!(value("FLAT_DOLLAR_AMOUNT"), "1000000");
}

#[test]
fn rejects_a_column_without_a_treatment() {
    let mut row = vec![Some("Ann".to_owned())];
    let refused = anonymiser(AmountTreatment::Keep).anonymise_row(&table("workers", &["nickname"]), &mut row);
    assert_eq!(refused, Err((0, "this release does not know whether the column is personal data")));
}

#[test]
fn the_same_seed_creates_the_same_copy() {
    let key = |seed: &str| AnonymiseSettings::from_seed(seed, AmountTreatment::Keep).key;
    assert_eq!(key("a seed of these tests"), key("a seed of these tests"));
    assert_ne!(key("a seed of these tests"), key("a seed of other tests"));
}
