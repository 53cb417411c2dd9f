//! What a description makes of its members.

use super::kinds::{Day, Flag, Identifier, NumberOfRate, RateFromZero, Text};
use super::{Cell, Described, Shape, StoredAs};
use crate::date::{Date, parse_date};
use crate::document::reader::{ObjectReader, read_object};
use crate::document::writer::{ObjectWriter, TaxIds};
use crate::id::RateId;
use crate::input::parse;
use crate::money::Rate;
use crate::rate_number::RateNumber;
use crate::violation::Violations;

described! {
    /// An example.
    struct Example {
        /// Its id.
        "exampleId" id: required RateId as Identifier;
        /// A number.
        "number" number: required RateNumber as NumberOfRate;
        /// A note
        /// of two lines.
        "note" note: optional String as Text<5>;
        /// Money.
        "amount" amount: optional Rate as RateFromZero;
        /// Yes or no.
        "default" default: flag bool as Flag, in "is_default";
        /// A day.
        "day" day: optional Date as Day;
    }
}

fn whole() -> Example {
    Example {
        id: "E-1".parse().unwrap(),
        number: RateNumber::new(7).unwrap(),
        note: Some("\"a\"".to_owned()),
        amount: Rate::parse("20.5").ok(),
        default: true,
        day: parse_date("2026-05-04").ok(),
    }
}

fn bare() -> Example {
    Example { note: None, amount: None, default: false, day: None, ..whole() }
}

const WHOLE: &str = r#"{"exampleId":"E-1","number":"RATE_7","note":"\"a\"","amount":"20.5000","default":true,"day":"2026-05-04T00:00:00Z"}"#;

fn read(
    text: &str,
    read: impl FnOnce(&mut ObjectReader<'_>) -> Option<Example>,
) -> Result<Example, Violations> {
    read_object(&parse(text.as_bytes()).unwrap(), read)
}

fn written(example: &Example) -> String {
    ObjectWriter::document(TaxIds::Masked, |object| example.write(object))
}

#[test]
fn members_are_written_in_order_and_read_back() {
    assert_eq!(written(&whole()), WHOLE);
    assert_eq!(written(&bare()), r#"{"exampleId":"E-1","number":"RATE_7","default":false}"#);
    for example in [whole(), bare()] {
        assert_eq!(read(&written(&example), Example::read), Ok(example));
    }
}

#[test]
fn every_fault_is_reported_at_its_place() {
    let text =
        r#"{"number": "RATE_26", "note": "too long", "amount": "-1", "default": 1, "day": "x", "other": 1}"#;
    let faults = read(text, Example::read).unwrap_err();
    let told: Vec<_> = faults.iter().map(|fault| (fault.reason.code(), fault.pointer.as_deref())).collect();
    let invalid = ["/number", "/note", "/amount", "/default", "/day", "/other"];
    let expected: Vec<_> = invalid.into_iter().map(|pointer| ("API-48", Some(pointer))).collect();
    assert_eq!(told, [expected, vec![("API-46", Some("/exampleId"))]].concat());
}

#[test]
fn cells_hold_what_is_there_and_nothing_else() {
    for example in [whole(), bare()] {
        let cells = example.cells().unwrap();
        let stored_as: Vec<_> = Example::MEMBERS.iter().map(|member| member.stored_as.empty()).collect();
        let same =
            |(one, other): (&Cell, &Cell)| std::mem::discriminant(one) == std::mem::discriminant(other);
        assert!(cells.len() == stored_as.len() && cells.iter().zip(&stored_as).all(same));
        assert_eq!(Example::from_cells(cells), Ok(example));
    }
    assert_eq!(Example::from_cells(Vec::new()), Err("exampleId"));
    let mut cells = whole().cells().unwrap();
    cells[1] = Cell::Integer(Some(26));
    assert_eq!(Example::from_cells(cells), Err("number"));
}

#[test]
fn members_say_how_they_are_named_stored_and_shaped() {
    assert_eq!(Example::COLUMNS, "id, number, note, amount, is_default, day");
    assert_eq!(Example::WORDS, " An example.");
    let member = |name: &str| Example::MEMBERS.iter().find(|member| member.name == name).unwrap();
    assert_eq!(member("note").words, " A note of two lines.");
    assert!(member("default").required && !member("day").required);
    assert_eq!((member("amount").stored_as, (member("note").shape)()), (StoredAs::Integer, Shape::Text(5)));
}
