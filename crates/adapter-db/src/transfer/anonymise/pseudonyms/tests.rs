//! Tests that pseudonyms have the required properties of the original values, such as the format, and reveal
//! no other properties.

use std::collections::HashSet;

use payroll_domain::tax_id::LegalId;

use super::*;

fn pseudonyms() -> PseudonymGenerator {
    PseudonymGenerator::new(&[7; KEY_LENGTH]).unwrap()
}

#[test]
fn equal_values_and_keys_give_equal_pseudonyms() {
    let (one, other) = (pseudonyms(), PseudonymGenerator::new(&[8; KEY_LENGTH]).unwrap());
    let all = |pseudonyms: &PseudonymGenerator| {
        [
            pseudonyms.replace_name("Name", "Ann"),
            pseudonyms.replace_email("ann@example.test"),
            pseudonyms.replace_code("4711-AB"),
            pseudonyms.replace_digits_and_letters("5550100"),
        ]
    };
    assert_eq!(all(&one), all(&pseudonyms()));
    for (here, there) in all(&one).iter().zip(all(&other)) {
        assert_ne!(*here, there);
    }
}

#[test]
fn codes_stay_distinct_and_keep_their_format() {
    let pseudonyms = pseudonyms();
    let codes: HashSet<String> =
        (0..10_000).map(|number| pseudonyms.replace_code(&format!("{number:04}"))).collect();
    assert_eq!(codes.len(), 10_000);
    assert!(codes.iter().all(|code| code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit())));
    let short: HashSet<String> = (0..10).map(|number| pseudonyms.replace_code(&number.to_string())).collect();
    assert_eq!(short.len(), 10);
    assert!((0..10).all(|number: u8| pseudonyms.replace_code(&number.to_string()) != number.to_string()));
    let code = pseudonyms.replace_code("Ab-1 é/");
    let form: String =
        code.chars().map(|c| AlphabetSymbol::from_char(c).map_or(c, |symbol| symbol.first)).collect();
    assert_eq!(form, "Aa-0 a/");
}

#[test]
fn a_pseudonymous_tax_id_is_well_formed_and_never_issued() {
    let pseudonyms = pseudonyms();
    for digits in ["000000001", "123456789", "999999999"] {
        let (ssn, fein) = (
            pseudonyms.replace_tax_id(LegalIdType::Ssn, digits),
            pseudonyms.replace_tax_id(LegalIdType::Fein, digits),
        );
        assert!(LegalId::parse(LegalIdType::Ssn, &ssn).is_some() && ssn.starts_with('9'), "{ssn}");
        assert!(ssn.as_bytes()[3] < b'5', "{ssn}");
        assert!(LegalId::parse(LegalIdType::Fein, &fein).is_some() && fein.starts_with("00"), "{fein}");
    }
}

#[test]
fn a_birthday_is_another_day_of_the_same_year() {
    let pseudonyms = pseudonyms();
    for day in ["1969-07-20", "2000-02-29", "2000-12-31", "1999-12-31", "1999-01-01"] {
        let other = pseudonyms.replace_birthday(day).unwrap();
        assert!(other != day && other[..4] == day[..4] && other.len() == 10, "{day} {other}");
    }
    assert_eq!(pseudonyms.replace_birthday("yesterday"), None);
}

#[test]
fn a_pseudonymous_number_starts_with_zeros_and_an_empty_text_stays_empty() {
    let pseudonyms = pseudonyms();
    assert_eq!(pseudonyms.replace_digits_and_letters("212"), "000");
    let number = pseudonyms.replace_digits_and_letters("(555) 01-00");
    assert!(number.starts_with("(000) ") && number.len() == 11, "{number}");
    assert_eq!(
        (pseudonyms.replace_name("Name", " "), pseudonyms.replace_code("")),
        (" ".to_owned(), String::new())
    );
    let name = pseudonyms.replace_name("Name", "Ann");
    assert!(name.starts_with("Name ") && name.len() == 17, "{name}");
}
