//! Writes one JSON object member by member and omits absent values.
//!
//! This crate has its own writer because the crate needs only a small subset of JSON. The writer avoids a
//! dependency on a JSON library. A property test parses the output of the writer.

use std::fmt::{self, Display, Write};

use crate::date::{Date, format_date};
use crate::description::{MemberSource, MemberValue, MemberView};
use crate::tax_id::{LegalId, LegalIdType};

/// The form in which tax IDs of persons and account numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaxIdMasking {
    /// All digits of tax IDs and account numbers are written.
    Unmasked,
    /// Only the last digits are written, as `*****6789`. Tax IDs of employers are always written with all
    /// digits.
    Masked,
    /// The digits are masked as in [`Self::Masked`], and a worker is written with the members of
    /// [`MemberView::Support`] only.
    Support,
}

/// The state of writing one object of a document.
#[derive(Debug)]
pub(crate) struct ObjectWriter<'w> {
    out: &'w mut String,
    is_empty: bool,
    /// The form in which tax IDs of persons and account numbers are written.
    tax_ids: TaxIdMasking,
}

impl ObjectWriter<'_> {
    /// Writes a document that is one object.
    pub(crate) fn write_document(tax_ids: TaxIdMasking, write: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
        let mut out = String::new();
        write_object(&mut out, tax_ids, write);
        out
    }

    /// Writes a document that is a list of objects.
    pub(crate) fn write_documents<T>(
        tax_ids: TaxIdMasking,
        values: &[T],
        write: impl Fn(&T, &mut ObjectWriter<'_>),
    ) -> String {
        let mut out = String::new();
        write_list(&mut out, values, |out, value| {
            write_object(out, tax_ids, |object| write(value, object));
        });
        out
    }

    /// Writes an object without its closing brace, so that more members can follow.
    pub(crate) fn open_object(
        out: &mut String,
        tax_ids: TaxIdMasking,
        write: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        out.push('{');
        write(&mut ObjectWriter { out, is_empty: true, tax_ids });
    }

    /// Starts a list as a member of an open object that already has members. [`Self::write_element`] adds the
    /// elements of the list later.
    pub(crate) fn open_list(out: &mut String, name: &str) {
        ObjectWriter { out, is_empty: false, tax_ids: TaxIdMasking::Masked }.start_member(name).push('[');
    }

    /// Writes an element into a list that was started before.
    pub(crate) fn write_element(
        out: &mut String,
        tax_ids: TaxIdMasking,
        write: impl FnOnce(&mut ObjectWriter<'_>),
    ) {
        write_object(out, tax_ids, write);
    }

    /// Writes all members of a described object.
    pub(crate) fn write_members(&mut self, resource: &dyn MemberSource) {
        self.write_members_in_view(resource, MemberView::Operator);
    }

    /// Writes the members that a view shows.
    pub(crate) fn write_members_in_view(&mut self, resource: &dyn MemberSource, view: MemberView) {
        resource.visit_members(view, &mut |name, value| self.write_member(name, value));
    }

    fn write_member(&mut self, name: &str, value: MemberValue<'_>) {
        match value {
            MemberValue::Text(text) => self.write_text(name, text),
            MemberValue::Displayed(value) => self.write_text(name, value),
            MemberValue::Flag(flag) => self.write_flag(name, flag),
            MemberValue::Number(number) => self.write_unquoted(name, Some(number)),
            MemberValue::Decimal(number) => self.write_unquoted(name, Some(number)),
            MemberValue::Texts(texts) => self.write_texts(name, texts),
            MemberValue::Object(members) => {
                self.write_object_member(name, Some(members), |members, object| object.write_members(members))
            }
            MemberValue::Objects(list) => {
                self.write_object_list(name, list, |members, object| object.write_members(*members))
            }
            MemberValue::Reference(member, id) => {
                self.write_object_member(name, Some(id), |id, object| object.write_text(member, id))
            }
            MemberValue::TaxIdentity(legal_id) => self.write_tax_identity(name, Some(legal_id)),
            MemberValue::AccountNumber(number) => match self.tax_ids {
                TaxIdMasking::Unmasked => self.write_text(name, number.digits()),
                TaxIdMasking::Masked | TaxIdMasking::Support => self.write_text(name, number.masked()),
            },
        }
    }

    /// Writes a string of text.
    pub(crate) fn write_text(&mut self, name: &str, value: impl Display) {
        write_string(self.start_member(name), value);
    }

    /// Writes a string that may be absent.
    pub(crate) fn write_optional(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.write_text(name, value);
        }
    }

    /// Writes a date that may be absent.
    pub(crate) fn write_optional_day(&mut self, name: &str, value: Option<Date>) {
        self.write_optional(name, value.map(format_date));
    }

    /// Writes a value whose text is already JSON, such as a number. The value may be absent.
    pub(crate) fn write_unquoted(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            append(self.start_member(name), value);
        }
    }

    /// Writes a boolean value.
    pub(crate) fn write_flag(&mut self, name: &str, value: bool) {
        self.write_unquoted(name, Some(value));
    }

    /// Writes an object that may be absent.
    pub(crate) fn write_object_member<T: ?Sized>(
        &mut self,
        name: &str,
        value: Option<&T>,
        write: impl FnOnce(&T, &mut ObjectWriter<'_>),
    ) {
        if let Some(value) = value {
            let tax_ids = self.tax_ids;
            write_object(self.start_member(name), tax_ids, |object| write(value, object));
        }
    }

    /// Writes a tax ID that may be absent.
    pub(crate) fn write_tax_identity(&mut self, name: &str, value: Option<&LegalId>) {
        let hides_persons = self.tax_ids == TaxIdMasking::Support;
        let shown = value.filter(|legal_id| !hides_persons || legal_id.kind() != LegalIdType::Ssn);
        self.write_object_member(name, shown, |legal_id, object| {
            object.write_text("legalIdType", legal_id.kind());
            match object.tax_ids {
                TaxIdMasking::Unmasked => object.write_text("legalIdValue", legal_id.digits()),
                TaxIdMasking::Masked | TaxIdMasking::Support => {
                    object.write_text("legalIdValue", legal_id.masked())
                }
            }
        });
    }

    /// Writes a list of objects, and omits it if it is empty.
    pub(crate) fn write_object_list<T>(
        &mut self,
        name: &str,
        values: &[T],
        write: impl Fn(&T, &mut ObjectWriter<'_>),
    ) {
        let tax_ids = self.tax_ids;
        self.write_list_member(name, values, |out, value| {
            write_object(out, tax_ids, |object| write(value, object))
        });
    }

    /// Writes a list of strings, and omits it if it is empty.
    pub(crate) fn write_texts(&mut self, name: &str, values: &[impl Display]) {
        self.write_list_member(name, values, |out, value| write_string(out, value));
    }

    fn write_list_member<T>(&mut self, name: &str, values: &[T], write: impl Fn(&mut String, &T)) {
        if values.is_empty() {
            return;
        }
        write_list(self.start_member(name), values, write);
    }

    /// Writes the name of a member and returns the output, to which the caller must write the value.
    fn start_member(&mut self, name: &str) -> &mut String {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(',');
        }
        write_string(self.out, name);
        self.out.push(':');
        self.out
    }
}

fn write_object(out: &mut String, tax_ids: TaxIdMasking, write: impl FnOnce(&mut ObjectWriter<'_>)) {
    out.push('{');
    write(&mut ObjectWriter { out, is_empty: true, tax_ids });
    out.push('}');
}

fn write_list<T>(out: &mut String, values: &[T], write: impl Fn(&mut String, &T)) {
    out.push('[');
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, value);
    }
    out.push(']');
}

fn write_string(out: &mut String, value: impl Display) {
    out.push('"');
    append(&mut JsonEscaper(out), value);
    out.push('"');
}

fn append(out: &mut impl Write, value: impl Display) {
    // A write to a `String` fails only if a `Display` implementation fails, and the implementations of this
    // crate do not fail.
    let _ = write!(out, "{value}");
}

/// Escapes text for a JSON string (RFC 8259, section 7).
struct JsonEscaper<'w>(&'w mut String);

impl Write for JsonEscaper<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '"' | '\\' => self.0.extend(['\\', character]),
                '\0'..' ' => write!(self.0, "\\u{:04x}", u32::from(character))?,
                _ => self.0.push(character),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::input::{Value, parse};

    #[test]
    fn omits_absent_values_and_writes_compact_json() {
        let document = ObjectWriter::write_document(TaxIdMasking::Unmasked, |object| {
            object.write_optional("none", None::<&str>);
            object.write_flag("yes", true);
            object.write_object_list("empty", &[(); 0], |(), _| {});
            object.write_object_list("two", &[1, 2], |value, object| {
                object.write_unquoted("number", Some(value))
            });
            object.write_object_member("nothing", Some(&()), |(), _| {});
            object.write_texts("words", &["a", "b"]);
        });
        let expected = r#"{"yes":true,"two":[{"number":1},{"number":2}],"nothing":{},"words":["a","b"]}"#;
        assert_eq!(document, expected);
    }

    proptest! {
        #[test]
        fn any_text_survives_a_round_trip(name in any::<String>(), text in any::<String>()) {
            let write = |object: &mut ObjectWriter<'_>| object.write_text(&name, &text);
            let document = ObjectWriter::write_document(TaxIdMasking::Unmasked, write);
            let node = parse(document.as_bytes()).unwrap();
            let expected = Value::Object(vec![(name.into(), Value::Text(text.into()).into())]);
            prop_assert_eq!(node, expected.into());
        }
    }
}
