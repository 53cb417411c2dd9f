//! The output of an operator command: human-readable text, or with `--json` the JSON of the operator API.

use std::fmt::Display;
use std::io::Write;

use serde_json::Value;

use crate::failure::Outcome;
use crate::operator::OperatorResponse;
use crate::terminal::{Cell, Colors, Table, TextTone};

/// Prints the results of a command.
pub(crate) struct Output<'a> {
    out: &'a mut dyn Write,
    json: bool,
    paint: Colors,
}

impl<'a> Output<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, json: bool) -> Self {
        Self { out, json, paint: Colors::for_standard_output() }
    }

    /// Returns whether the result is printed as JSON, because `--json` was given.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the result of an action: a sentence, or with `--json` the response of the operator API.
    pub(crate) fn print_result(&mut self, response: &OperatorResponse, sentence: impl Display) -> Outcome {
        match self.json {
            true => self.print_document(response.body()),
            false => self.print_line(sentence),
        }
    }

    /// Prints one object: a table with a row for each member, or with `--json` the response of the operator
    /// API.
    pub(crate) fn print_object(&mut self, response: &OperatorResponse) -> Outcome {
        match self.json {
            true => self.print_document(response.body()),
            false => self.print_table(&members_table(&response.single_object()?)),
        }
    }

    /// Prints a list: a table with a row for each element, or with `--json` the response of the operator API.
    pub(crate) fn print_list(
        &mut self,
        response: &OperatorResponse,
        head: &[&str],
        mut row: impl FnMut(&Value) -> Vec<Cell>,
    ) -> Outcome {
        if self.json {
            return self.print_document(response.body());
        }
        let content = response.content()?;
        if content.is_empty() {
            return self.print_line("Nothing was found.");
        }
        let mut table = Table::new(head);
        content.iter().for_each(|element| table.add_row(row(element)));
        self.print_table(&table)
    }

    /// Prints a sentence on its own line.
    pub(crate) fn print_line(&mut self, sentence: impl Display) -> Outcome {
        Ok(writeln!(self.out, "{sentence}")?)
    }

    /// Prints a document on its own line and flushes the output, because the reader of a pipe waits for the
    /// document.
    pub(crate) fn print_document(&mut self, document: &[u8]) -> Outcome {
        self.out.write_all(document)?;
        self.out.write_all(b"\n")?;
        Ok(self.out.flush()?)
    }

    /// Prints bytes that are not JSON, unchanged, and flushes the output.
    pub(crate) fn print_bytes(&mut self, bytes: &[u8]) -> Outcome {
        self.out.write_all(bytes)?;
        Ok(self.out.flush()?)
    }

    /// Prints a table and flushes the output.
    pub(crate) fn print_table(&mut self, table: &Table) -> Outcome {
        table.print(self.out, self.paint)?;
        Ok(self.out.flush()?)
    }
}

/// Returns a text member of an object, or an empty text if the member is missing.
pub(crate) fn text_member<'v>(object: &'v Value, member: &str) -> &'v str {
    object.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a table of every value in an object, with the path of each value.
fn members_table(object: &Value) -> Table {
    let mut table = Table::default();
    add_members(&mut table, "", object);
    table
}

/// Adds rows for the members of an object: first the simple values, and then the values that have members.
fn add_members(table: &mut Table, prefix: &str, value: &Value) {
    match value {
        Value::Object(members) => {
            let (deep, plain): (Vec<_>, Vec<_>) = members.iter().partition(|(_, value)| has_members(value));
            for (name, value) in plain.into_iter().chain(deep) {
                add_members(table, &member_path(prefix, name), value);
            }
        }
        Value::Array(elements) if has_members(value) => {
            for (at, element) in elements.iter().enumerate() {
                add_members(table, &member_path(prefix, &(at + 1).to_string()), element);
            }
        }
        Value::Array(elements) => {
            let words: Vec<_> = elements.iter().filter_map(Value::as_str).collect();
            table.add_row([Cell::with_tone(prefix, TextTone::Head), words.join(" ").into()]);
        }
        Value::String(text) => table.add_row([Cell::with_tone(prefix, TextTone::Head), text.into()]),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            table.add_row([Cell::with_tone(prefix, TextTone::Head), value.to_string().into()]);
        }
    }
}

fn member_path(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// Returns whether the value needs more than one row.
fn has_members(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(elements) => !elements.iter().all(Value::is_string),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shows_an_object_with_all_its_members() {
        let object = json!({"id": "A", "open": true, "scopes": ["a", "b"], "products": [{"code": "PAYROLL"}], "none": []});
        let mut out = Vec::new();
        Output::new(&mut out, false).print_table(&members_table(&object)).unwrap();
        let shown = String::from_utf8(out).unwrap();
        let lines: Vec<_> = shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
        let expected: [&[&str]; 5] = [
            &["id", "A"],
            &["none"],
            &["open", "true"],
            &["scopes", "a", "b"],
            &["products.1.code", "PAYROLL"],
        ];
        assert_eq!(lines, expected);
    }
}
