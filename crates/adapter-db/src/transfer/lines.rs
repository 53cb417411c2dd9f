//! Rows as PostgreSQL's `COPY` reads them: a line each, values between tabs.

/// Adds a row. `None` is a value that is absent; a text with NUL, which PostgreSQL does not hold, is
/// reported by its place.
pub(super) fn push_row(lines: &mut Vec<u8>, values: &[Option<String>]) -> Result<(), usize> {
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            lines.push(b'\t');
        }
        match value {
            None => lines.extend_from_slice(b"\\N"),
            Some(text) if text.contains('\0') => return Err(at),
            Some(text) => text.bytes().for_each(|byte| push_byte(lines, byte)),
        }
    }
    lines.push(b'\n');
    Ok(())
}

fn push_byte(lines: &mut Vec<u8>, byte: u8) {
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

    fn line(values: &[Option<&str>]) -> Result<String, usize> {
        let values: Vec<_> = values.iter().map(|value| value.map(str::to_owned)).collect();
        let mut lines = Vec::new();
        push_row(&mut lines, &values).map(|()| String::from_utf8(lines).unwrap())
    }

    #[test]
    fn what_would_end_a_value_is_escaped_and_absent_is_not_empty() {
        let values = [Some("a\tb\\N"), None, Some(""), Some("é\r\n")];
        assert_eq!(line(&values), Ok("a\\tb\\\\N\t\\N\t\té\\r\\n\n".to_owned()));
    }

    #[test]
    fn nul_is_told_by_its_place() {
        assert_eq!(line(&[Some("a"), Some("b\0")]), Err(1));
    }
}
