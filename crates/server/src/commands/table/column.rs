//! The columns of printed tables.

use serde_json::Value;

use crate::terminal::{Cell, TextTone};

/// A column of a printed table, with a header and a cell for each listed object.
#[derive(Clone, Copy)]
pub(in crate::commands) struct TableColumn {
    head: &'static str,
    shape: ColumnContent,
}

#[derive(Clone, Copy)]
enum ColumnContent {
    /// The value at this JSON pointer. The texts of an array are joined.
    Value(&'static str, TextTone),
    /// The date at this JSON pointer without its time.
    Day(&'static str, TextTone),
    /// A cell that a function computes from the listed object.
    Computed(fn(&Value) -> Cell),
}

impl TableColumn {
    /// Creates a column with the value at a JSON pointer.
    pub(in crate::commands) const fn value(head: &'static str, pointer: &'static str) -> Self {
        Self { head, shape: ColumnContent::Value(pointer, TextTone::Plain) }
    }

    /// Creates a column with the date at a JSON pointer, without its time.
    pub(in crate::commands) const fn day(head: &'static str, pointer: &'static str) -> Self {
        Self { head, shape: ColumnContent::Day(pointer, TextTone::Plain) }
    }

    /// Creates a column with a function that computes the cell of an element.
    pub(in crate::commands) const fn computed(head: &'static str, cell: fn(&Value) -> Cell) -> Self {
        Self { head, shape: ColumnContent::Computed(cell) }
    }

    /// Sets the tone of the column's values. The tone of computed cells is unchanged.
    pub(in crate::commands) const fn with_tone(self, tone: TextTone) -> Self {
        let shape = match self.shape {
            ColumnContent::Value(pointer, _) => ColumnContent::Value(pointer, tone),
            ColumnContent::Day(pointer, _) => ColumnContent::Day(pointer, tone),
            ColumnContent::Computed(cell) => ColumnContent::Computed(cell),
        };
        Self { head: self.head, shape }
    }

    fn cell(&self, element: &Value) -> Cell {
        match self.shape {
            ColumnContent::Value(pointer, tone) => Cell::with_tone(text_at(element, pointer), tone),
            ColumnContent::Day(pointer, tone) => {
                let date = text_at(element, pointer);
                Cell::with_tone(date.split('T').next().unwrap_or_default(), tone)
            }
            ColumnContent::Computed(cell) => cell(element),
        }
    }
}

/// Returns the headers of the columns.
pub(in crate::commands) fn column_heads(columns: &[TableColumn]) -> Vec<&'static str> {
    columns.iter().map(|column| column.head).collect()
}

/// Returns the table cells of a listed object, one for each column.
pub(in crate::commands) fn row_cells(columns: &[TableColumn], element: &Value) -> Vec<Cell> {
    columns.iter().map(|column| column.cell(element)).collect()
}

/// Returns the value at a JSON pointer as text for a table cell, or an empty text if there is no value.
pub(super) fn text_at(object: &Value, pointer: &str) -> String {
    match object.pointer(pointer) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(elements)) => {
            elements.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cell_shows_texts_numbers_words_and_days() {
        let element = json!({"name": {"given": "Ann"}, "count": 3, "scopes": ["a", "b"], "end": "2026-01-31T00:00:00Z"});
        let columns = [
            TableColumn::value("A", "/name/given"),
            TableColumn::value("B", "/count"),
            TableColumn::value("C", "/scopes"),
            TableColumn::day("D", "/end"),
            TableColumn::value("E", "/absent"),
        ];
        assert_eq!(row_cells(&columns, &element), ["Ann", "3", "a b", "2026-01-31", ""].map(Cell::from));
    }
}
