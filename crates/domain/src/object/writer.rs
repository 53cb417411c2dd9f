//! Writing one JSON object member by member; what is absent is left out.
//!
//! Written here because the domain uses no library for JSON, and all that it writes are these
//! few shapes. A property test holds it against the reader.

use std::fmt::{self, Display, Write};

use crate::date::{Date, format_date};
use crate::description::{Show, Shown, View};
use crate::tax_id::LegalId;

/// How tax identities of persons and account numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaxIds {
    /// All digits.
    Whole,
    /// `*****6789`; those of employers are unmasked all the same.
    Masked,
    /// Masked in the same way. Of a worker only the members of [`View::Support`] are written.
    Support,
}

/// One object of a document, being written.
#[derive(Debug)]
pub(crate) struct ObjectWriter<'w> {
    out: &'w mut String,
    is_empty: bool,
    /// How tax identities of persons are written.
    tax_ids: TaxIds,
}

impl ObjectWriter<'_> {
    /// A document that is one object.
    pub(crate) fn document(tax_ids: TaxIds, write: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
        let mut out = String::new();
        write_object(&mut out, tax_ids, write);
        out
    }

    /// A document that is a list of objects.
    pub(crate) fn documents<T>(
        tax_ids: TaxIds,
        values: &[T],
        write: impl Fn(&T, &mut ObjectWriter<'_>),
    ) -> String {
        let mut out = String::new();
        write_list(&mut out, values, |out, value| {
            write_object(out, tax_ids, |object| write(value, object));
        });
        out
    }

    /// Begins an object that more is written to later: it is not ended.
    pub(crate) fn open(out: &mut String, tax_ids: TaxIds, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        out.push('{');
        write(&mut ObjectWriter { out, is_empty: true, tax_ids });
    }

    /// Begins a list that elements are written to later, as a member of an object that is open and not empty.
    pub(crate) fn open_list(out: &mut String, name: &str) {
        ObjectWriter { out, is_empty: false, tax_ids: TaxIds::Masked }.member(name).push('[');
    }

    /// An element of a list that is open.
    pub(crate) fn element(out: &mut String, tax_ids: TaxIds, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        write_object(out, tax_ids, write);
    }

    /// The members of what is described.
    pub(crate) fn members(&mut self, resource: &dyn Show) {
        self.members_of(resource, View::Operator);
    }

    /// The members that a view has.
    pub(crate) fn members_of(&mut self, resource: &dyn Show, view: View) {
        resource.show(view, &mut |name, value| self.shown(name, value));
    }

    fn shown(&mut self, name: &str, value: Shown<'_>) {
        match value {
            Shown::Text(text) => self.text(name, text),
            Shown::Displayed(value) => self.text(name, value),
            Shown::Flag(flag) => self.flag(name, flag),
            Shown::Number(number) => self.plain(name, Some(number)),
            Shown::Decimal(number) => self.plain(name, Some(number)),
            Shown::Texts(texts) => self.texts(name, texts),
            Shown::Object(members) => {
                self.object(name, Some(members), |members, object| object.members(members))
            }
            Shown::Objects(list) => self.list(name, list, |members, object| object.members(*members)),
            Shown::Reference(member, id) => self.object(name, Some(id), |id, object| object.text(member, id)),
            Shown::TaxIdentity(legal_id) => self.tax_identity(name, Some(legal_id)),
            Shown::AccountNumber(number) => match self.tax_ids {
                TaxIds::Whole => self.text(name, number.digits()),
                TaxIds::Masked | TaxIds::Support => self.text(name, number.masked()),
            },
        }
    }

    /// A string.
    pub(crate) fn text(&mut self, name: &str, value: impl Display) {
        write_text(self.member(name), value);
    }

    /// A string that may be absent.
    pub(crate) fn optional(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    /// A civil date that may be absent.
    pub(crate) fn optional_day(&mut self, name: &str, value: Option<Date>) {
        self.optional(name, value.map(format_date));
    }

    /// A value whose text is JSON as it is, such as a number, that may be absent.
    pub(crate) fn plain(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            append(self.member(name), value);
        }
    }

    /// Yes or no.
    pub(crate) fn flag(&mut self, name: &str, value: bool) {
        self.plain(name, Some(value));
    }

    /// An object that may be absent.
    pub(crate) fn object<T: ?Sized>(
        &mut self,
        name: &str,
        value: Option<&T>,
        write: impl FnOnce(&T, &mut ObjectWriter<'_>),
    ) {
        if let Some(value) = value {
            let tax_ids = self.tax_ids;
            write_object(self.member(name), tax_ids, |object| write(value, object));
        }
    }

    /// A tax identity that may be absent.
    pub(crate) fn tax_identity(&mut self, name: &str, value: Option<&LegalId>) {
        self.object(name, value, |legal_id, object| {
            object.text("legalIdType", legal_id.kind());
            match object.tax_ids {
                TaxIds::Whole => object.text("legalIdValue", legal_id.digits()),
                TaxIds::Masked | TaxIds::Support => object.text("legalIdValue", legal_id.masked()),
            }
        });
    }

    /// A list of objects; an empty one is left out.
    pub(crate) fn list<T>(&mut self, name: &str, values: &[T], write: impl Fn(&T, &mut ObjectWriter<'_>)) {
        let tax_ids = self.tax_ids;
        self.elements(name, values, |out, value| write_object(out, tax_ids, |object| write(value, object)));
    }

    /// A list of strings; an empty one is left out.
    pub(crate) fn texts(&mut self, name: &str, values: &[impl Display]) {
        self.elements(name, values, |out, value| write_text(out, value));
    }

    fn elements<T>(&mut self, name: &str, values: &[T], write: impl Fn(&mut String, &T)) {
        if values.is_empty() {
            return;
        }
        write_list(self.member(name), values, write);
    }

    /// Begins a member; its value comes next.
    fn member(&mut self, name: &str) -> &mut String {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(',');
        }
        write_text(self.out, name);
        self.out.push(':');
        self.out
    }
}

fn write_object(out: &mut String, tax_ids: TaxIds, write: impl FnOnce(&mut ObjectWriter<'_>)) {
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

fn write_text(out: &mut String, value: impl Display) {
    out.push('"');
    append(&mut Escaped(out), value);
    out.push('"');
}

fn append(out: &mut impl Write, value: impl Display) {
    // Only a `Display` that fails of itself could make this fail, and none of ours does.
    let _ = write!(out, "{value}");
}

/// Text on its way into a JSON string (RFC 8259, section 7).
struct Escaped<'w>(&'w mut String);

impl Write for Escaped<'_> {
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
    fn what_is_absent_is_left_out_and_the_rest_is_compact() {
        let document = ObjectWriter::document(TaxIds::Whole, |object| {
            object.optional("none", None::<&str>);
            object.flag("yes", true);
            object.list("empty", &[(); 0], |(), _| {});
            object.list("two", &[1, 2], |value, object| object.plain("number", Some(value)));
            object.object("nothing", Some(&()), |(), _| {});
            object.texts("words", &["a", "b"]);
        });
        let expected = r#"{"yes":true,"two":[{"number":1},{"number":2}],"nothing":{},"words":["a","b"]}"#;
        assert_eq!(document, expected);
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_it_was_written(name in any::<String>(), text in any::<String>()) {
            let document = ObjectWriter::document(TaxIds::Whole, |object| object.text(&name, &text));
            let node = parse(document.as_bytes()).unwrap();
            let expected = Value::Object(vec![(name.into(), Value::Text(text.into()).into())]);
            prop_assert_eq!(node, expected.into());
        }
    }
}
