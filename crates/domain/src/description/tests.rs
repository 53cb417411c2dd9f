//! Tests for the code that a description generates.

use super::kinds::{Day, Flag, Identifier, RateFromZero, RateNumberText, Text};
use super::objects::{InParentRow, Readable, SearchableTaxIdentity, SeparateTable, ToSupervisor};
use super::{Cell, CellType, Described, MemberShape, MemberSource, MemberView, NoEncryption, Seal};
use crate::date::{Date, parse_date};
use crate::event::EventDomain;
use crate::id::{RateId, WorkerId};
use crate::input::parse;
use crate::money::Rate;
use crate::object::reader::{ObjectReader, read_object};
use crate::object::writer::{ObjectWriter, TaxIdMasking};
use crate::rate_number::RateNumber;
use crate::tax_id::{LastFour, LegalId, LegalIdType};
use crate::violation::Violations;

described! {
    /// An example with single values.
    struct Example {
        /// The id of the example.
        "exampleId" id: required RateId as Identifier;
        /// The number of the example.
        "number" number: required RateNumber as RateNumberText;
        /// A note
        /// of two lines.
        "note" note: optional String as Text<5>;
        /// An amount of money.
        "amount" amount: optional Rate as RateFromZero;
        /// A value that is true or false.
        "default" default: flag bool as Flag, in "is_default";
        /// A date without a time.
        "day" day: optional Date as Day;
    }
}

fn full_example() -> Example {
    Example {
        id: "E-1".parse().unwrap(),
        number: RateNumber::new(7).unwrap(),
        note: Some("\"a\"".to_owned()),
        amount: Rate::parse("20.5").ok(),
        default: true,
        day: parse_date("2026-05-04").ok(),
    }
}

fn minimal_example() -> Example {
    Example { note: None, amount: None, default: false, day: None, ..full_example() }
}

const FULL_JSON: &str = r#"{"exampleId":"E-1","number":"RATE_7","note":"\"a\"","amount":"20.5000","default":true,"day":"2026-05-04T00:00:00Z"}"#;

fn read(
    text: &str,
    read: impl FnOnce(&mut ObjectReader<'_>) -> Option<Example>,
) -> Result<Example, Violations> {
    read_object(&parse(text.as_bytes()).unwrap(), read)
}

fn to_example_json(example: &Example) -> String {
    ObjectWriter::write_document(TaxIdMasking::Masked, |object| object.write_members(example))
}

#[test]
fn members_are_written_in_order_and_read_back() {
    assert_eq!(to_example_json(&full_example()), FULL_JSON);
    assert_eq!(
        to_example_json(&minimal_example()),
        r#"{"exampleId":"E-1","number":"RATE_7","default":false}"#
    );
    for example in [full_example(), minimal_example()] {
        assert_eq!(read(&to_example_json(&example), Example::read), Ok(example));
    }
}

#[test]
fn reports_every_fault_at_its_position() {
    let text =
        r#"{"number": "RATE_26", "note": "too long", "amount": "-1", "default": 1, "day": "x", "other": 1}"#;
    let faults = read(text, Example::read).unwrap_err();
    let reported: Vec<_> =
        faults.iter().map(|fault| (fault.reason.code(), fault.pointer.as_deref())).collect();
    let invalid = ["/number", "/note", "/amount", "/default", "/day", "/other"];
    let expected: Vec<_> = invalid.into_iter().map(|pointer| ("API-48", Some(pointer))).collect();
    assert_eq!(reported, [expected, vec![("API-46", Some("/exampleId"))]].concat());
}

fn load_example(cells: Vec<Cell>) -> Result<Example, &'static str> {
    Example::take_from_cells(&mut cells.into_iter(), &NoEncryption)
}

#[test]
fn stored_cells_contain_only_the_values_that_are_present() {
    for example in [full_example(), minimal_example()] {
        let cells = example.to_cells(&NoEncryption).unwrap();
        let stored_as: Vec<_> = Example::COLUMNS.iter().map(|column| column.stored_as.null_cell()).collect();
        let same =
            |(one, other): (&Cell, &Cell)| std::mem::discriminant(one) == std::mem::discriminant(other);
        assert!(cells.len() == stored_as.len() && cells.iter().zip(&stored_as).all(same));
        assert_eq!(load_example(cells), Ok(example));
    }
    assert_eq!(load_example(Vec::new()), Err("exampleId"));
    let mut cells = full_example().to_cells(&NoEncryption).unwrap();
    cells[1] = Cell::Integer(Some(26));
    assert_eq!(load_example(cells), Err("number"));
}

#[test]
fn members_define_their_name_storage_and_schema() {
    let columns: Vec<_> = Example::COLUMNS.iter().map(|column| column.name).collect();
    assert_eq!(columns, ["id", "number", "note", "amount", "is_default", "day"]);
    assert_eq!(Example::COLUMNS[3].stored_as, CellType::Integer);
    assert_eq!(Example::WORDS, " An example with single values.");
    let member = |name: &str| Example::MEMBERS.iter().find(|member| member.name == name).unwrap();
    assert_eq!(member("note").words, " A note of two lines.");
    assert!(member("default").required && !member("day").required);
    assert!(matches!((member("note").shape)(), MemberShape::Text(5)));
}

described! {
    /// An example with objects.
    struct Outer {
        /// The id of the example.
        "outerId" id: required RateId as Identifier, shown NARROW_VIEWS, event WorkerEmployment;
        /// An object that must be there.
        "must" must: required_object Inner as InParentRow;
        /// An object that may be absent.
        "may" may: optional_object Other as InParentRow, shown NARROW_VIEWS, event WorkerTaxes;
        /// A person of the test.
        "legalId" legal_id: optional_object LegalId as SearchableTaxIdentity, event WorkerDemographics;
        /// Another person of the test.
        "supervisor" supervisor_id: optional_object WorkerId as ToSupervisor;
        /// A list of objects.
        "several" several: list Inner as SeparateTable, shown NO_VIEWS;
    }
}

const NARROW_VIEWS: &[MemberView] = &[MemberView::Full, MemberView::Roster];
const NO_VIEWS: &[MemberView] = &[];

described! {
    /// An object with one member.
    struct Inner {
        /// A note about the object.
        "note" note: required String as Text<5>, in "inner_note";
    }
}

described! {
    /// An object with two members.
    struct Other {
        /// A note about the object.
        "note" note: required String as Text<5>, in "other_note";
        /// A date without a time.
        "day" day: optional Date as Day;
    }
}

fn outer() -> Outer {
    Outer {
        id: "E-1".parse().unwrap(),
        must: Inner { note: "must".to_owned() },
        may: Some(Other { note: "may".to_owned(), day: None }),
        legal_id: LegalId::parse(LegalIdType::Ssn, "123456789"),
        supervisor_id: "W-1".parse().ok(),
        several: vec![Inner { note: "one".to_owned() }],
    }
}

/// A test double for encryption that only labels the text.
struct TestSeal;

impl Seal for TestSeal {
    fn seal(&self, text: &str) -> Option<String> {
        Some(format!("sealed {text}"))
    }

    fn unseal(&self, sealed: &str) -> Option<String> {
        sealed.strip_prefix("sealed ").map(str::to_owned)
    }

    fn hash_last_four(&self, digits: &LastFour) -> Option<String> {
        Some(format!("hash of {}", digits.as_str()))
    }
}

#[test]
fn nested_objects_are_written_and_read_within_their_parent() {
    let expected = concat!(
        r#"{"outerId":"E-1","must":{"note":"must"},"may":{"note":"may"},"#,
        r#""legalId":{"legalIdType":"SSN","legalIdValue":"*****6789"},"supervisor":{"workerId":"W-1"},"#,
        r#""several":[{"note":"one"}]}"#
    );
    assert_eq!(
        ObjectWriter::write_document(TaxIdMasking::Masked, |object| object.write_members(&outer())),
        expected
    );
    let document =
        ObjectWriter::write_document(TaxIdMasking::Unmasked, |object| object.write_members(&outer()));
    assert_eq!(read_object(&parse(document.as_bytes()).unwrap(), Outer::read), Ok(outer()));
}

#[test]
fn stores_objects_in_columns_and_encrypts_sealed_values() {
    let columns: Vec<_> = Outer::COLUMNS.iter().map(|column| column.name).collect();
    let of_identity = ["legal_id_type", "legal_id", "last_four_hash", "last_four_of"];
    let expected =
        [["id", "inner_note", "other_note", "day"].as_slice(), &of_identity, &["supervisor_id"]].concat();
    assert_eq!(columns, expected);
    let cells = outer().to_cells(&TestSeal).unwrap();
    let sealed = ["SSN", "sealed 123456789", "hash of 6789", "sealed 123456789"];
    assert_eq!(cells[4..8], sealed.map(|text| Cell::Text(Some(text.to_owned()))));
    let stored = Outer { several: Vec::new(), ..outer() };
    assert_eq!(Outer::take_from_cells(&mut cells.clone().into_iter(), &TestSeal), Ok(stored));
    assert_eq!(Outer::take_from_cells(&mut cells.into_iter(), &NoEncryption), Err("legalId"));
    assert_eq!(outer().to_cells(&NoEncryption), None);
    let bare = Outer { may: None, legal_id: None, supervisor_id: None, several: Vec::new(), ..outer() };
    let cells = bare.to_cells(&NoEncryption).unwrap();
    assert_eq!(Outer::take_from_cells(&mut cells.into_iter(), &NoEncryption), Ok(bare));
}

#[test]
fn a_view_shows_only_its_members_and_the_default_view_shows_all() {
    let members = |view| {
        let mut members = Vec::new();
        outer().visit_members(view, &mut |member, _| members.push(member));
        members
    };
    assert_eq!(members(MemberView::Roster), ["outerId", "may"]);
    assert_eq!(members(MemberView::Impersonal), [""; 0]);
    assert_eq!(members(MemberView::Full), ["outerId", "must", "may", "legalId", "supervisor"]);
    assert_eq!(members(MemberView::Operator), ["outerId", "must", "may", "legalId", "supervisor", "several"]);
}

#[test]
fn a_changed_member_fires_only_its_own_event() {
    let changed = Outer { may: None, must: Inner { note: "new".to_owned() }, ..outer() };
    let differs = |event| outer().differs_for_event(&changed, event);
    assert!(differs(EventDomain::WorkerTaxes));
    assert!(!differs(EventDomain::WorkerEmployment) && !differs(EventDomain::WorkerDemographics));
}
