//! Formats rows for PostgreSQL's `COPY`: one line each, with tabs between the values.

/// Appends a row with these values. `None` is NULL.
pub(super) fn push_row(lines: &mut Vec<u8>, values: &[Option<String>]) {
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            lines.push(b'\t');
        }
        match value {
            None => lines.extend_from_slice(b"\\N"),
            Some(text) => text.bytes().for_each(|byte| push_escaped_byte(lines, byte)),
        }
    }
    lines.push(b'\n');
}

fn push_escaped_byte(lines: &mut Vec<u8>, byte: u8) {
    match byte {
        b'\\' => lines.extend_from_slice(b"\\\\"),
        b'\t' => lines.extend_from_slice(b"\\t"),
        b'\n' => lines.extend_from_slice(b"\\n"),
        b'\r' => lines.extend_from_slice(b"\\r"),
        plain => lines.push(plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_separators_and_distinguishes_null_from_empty() {
        let values = [Some("a\tb\\N"), None, Some(""), Some("é\r\n")].map(|value| value.map(str::to_owned));
        let mut lines = Vec::new();
        push_row(&mut lines, &values);
        assert_eq!(String::from_utf8(lines).unwrap(), "a\\tb\\\\N\t\\N\t\té\\r\\n\n");
    }
}
