//! Human-readable output of commands: tables, and colours if the output is a terminal.

use std::io::{self, IsTerminal, Write};

/// Whether the output has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colors {
    enabled: bool,
}

/// The meaning of a text, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextTone {
    /// Text without any colour.
    Plain,
    /// The header of a column, or the name of a member.
    Head,
    /// Text that reports success.
    Good,
    /// Text that an operator should notice.
    Warning,
    /// Text about something that has ended, failed or is disabled.
    Off,
}

impl Colors {
    /// Enables colours on a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal supports no
    /// colours.
    pub(crate) fn for_standard_output() -> Self {
        let set = |name| std::env::var_os(name).filter(|value: &std::ffi::OsString| !value.is_empty());
        let dumb = set("TERM").is_none_or(|term| term == "dumb");
        Self { enabled: io::stdout().is_terminal() && set("NO_COLOR").is_none() && !dumb }
    }

    fn paint(self, text: &str, tone: TextTone) -> String {
        let code = match tone {
            _ if !self.enabled || text.is_empty() => return text.to_owned(),
            TextTone::Plain => return text.to_owned(),
            TextTone::Head => "1",
            TextTone::Good => "32",
            TextTone::Warning => "33",
            TextTone::Off => "31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    text: String,
    tone: TextTone,
}

impl Cell {
    /// Creates a cell with a text in this tone.
    pub(crate) fn with_tone(text: impl AsRef<str>, tone: TextTone) -> Self {
        Self { text: replace_control_characters(text.as_ref()), tone }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::with_tone(text, TextTone::Plain)
    }
}

/// A table of rows with cells.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Creates a table whose first row contains these headers.
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|name| Cell::with_tone(name, TextTone::Head)).collect()] }
    }

    /// Adds a row to the table.
    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints the table. Each column is as wide as its longest cell.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn print(&self, out: &mut dyn Write, paint: Colors) -> io::Result<()> {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                line.push_str(if at == 0 { "" } else { "  " });
                line.push_str(&paint.paint(&cell.text, cell.tone));
                let missing = width.saturating_sub(cell.text.chars().count());
                let last = at + 1 == row.len();
                line.extend(std::iter::repeat_n(' ', if last { 0 } else { missing }));
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Returns the widths of the columns in characters. A double-width character counts as one character,
    /// because such characters are rare in ids and names.
    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.text.chars().count().max(*width);
            }
        }
        widths
    }
}

/// Replaces control characters, because a terminal would execute them as commands.
pub(crate) fn replace_control_characters(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { '\u{fffd}' } else { it }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print_to_string(table: &Table, with_colors: bool) -> String {
        let mut out = Vec::new();
        table.print(&mut out, Colors { enabled: with_colors }).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn sample_table() -> Table {
        let mut table = Table::new(&["ID", "NAME", "STATE"]);
        table.add_row(["long-id".into(), "é".into(), Cell::with_tone("enabled", TextTone::Good)]);
        table.add_row(["b".into(), "two words".into(), "".into()]);
        table
    }

    #[test]
    fn columns_are_aligned_without_trailing_spaces() {
        let expected = "ID       NAME       STATE\nlong-id  é          enabled\nb        two words\n";
        assert_eq!(print_to_string(&sample_table(), false), expected);
    }

    #[test]
    fn colors_do_not_change_column_alignment() {
        let painted = print_to_string(&sample_table(), true);
        assert!(painted.contains("\u{1b}[32menabled\u{1b}[0m"), "{painted}");
        let bare = ["\u{1b}[1m", "\u{1b}[32m", "\u{1b}[0m"]
            .iter()
            .fold(painted, |text, code| text.replace(code, ""));
        assert_eq!(bare, print_to_string(&sample_table(), false));
    }

    #[test]
    fn a_cell_contains_no_control_characters() {
        let mut table = Table::new(&["NAME"]);
        table.add_row(["\u{1b}[2Jx\n".into()]);
        assert_eq!(print_to_string(&table, false), "NAME\n\u{fffd}[2Jx\u{fffd}\n");
    }
}
