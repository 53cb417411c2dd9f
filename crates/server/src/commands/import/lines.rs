//! Reads the lines of an import file and counts them. Only one line is in memory at a time, in a buffer of
//! its exact length.

use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

use indicatif::ProgressBar;

use crate::failure::{Failure, Outcome};

/// The maximum length of a line in bytes. The limit is enough for a company with some hundred thousand
/// workers. A longer line is rejected before it fills the memory.
const MAX_LINE_BYTES: u64 = 512 * 1024 * 1024;
/// The size in bytes of the buffer that searches for the end of a long line.
const BUFFER_BYTES: usize = 256 * 1024;

/// Reads an import file line by line.
pub(in crate::commands) struct ImportLines {
    reader: Box<dyn BufRead + Send>,
    /// A second handle of the same file, which finds the length of a line before the line is read.
    measure: Option<File>,
    /// The number of bytes in the lines that were read so far.
    offset: u64,
    max_bytes: u64,
    /// The number of the line that was read last. The first line has number 1.
    pub(super) number: u64,
    /// Whether a non-blank line was read.
    has_content: bool,
    pub(super) progress: ProgressBar,
}

impl ImportLines {
    /// Creates a reader of the lines in this source.
    pub(in crate::commands) fn new(reader: Box<dyn BufRead + Send>, progress: ProgressBar) -> Self {
        Self {
            reader,
            measure: None,
            offset: 0,
            max_bytes: MAX_LINE_BYTES,
            number: 0,
            has_content: false,
            progress,
        }
    }

    /// Finds the length of each line with a second handle of the same file before the line is read. Without
    /// the length, the buffer would grow to up to twice the length and be copied while it grows.
    pub(super) fn with_line_length_reader(self, file: File) -> Self {
        Self { measure: Some(file), ..self }
    }

    /// Reads the next line, or returns the fault that makes the line unreadable. `None` at the end of the
    /// file.
    ///
    /// # Errors
    /// Fails if the file cannot be read any further. Also fails if the first line of the file shows another
    /// format, because every line would then be rejected.
    pub(super) fn next(&mut self) -> Outcome<Option<Result<Vec<u8>, String>>> {
        let line = self.read().map_err(|error| Failure::with_cause("the file cannot be read", &error))?;
        if let Some(Ok(line)) = &line
            && !self.has_content
            && !line.trim_ascii().is_empty()
        {
            self.has_content = true;
            reject_other_formats(line, self.number)?;
        }
        Ok(line)
    }

    fn read(&mut self) -> io::Result<Option<Result<Vec<u8>, String>>> {
        let mut line = Vec::with_capacity(self.capacity_for_next_line()?);
        let read = (&mut *self.reader).take(self.max_bytes).read_until(b'\n', &mut line)? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let mut skipped = 0;
        if read == self.max_bytes && !line.ends_with(b"\n") {
            line = Vec::new();
            skipped = self.reader.skip_until(b'\n')? as u64;
        }
        self.offset += read + skipped;
        self.progress.inc(read + skipped);
        if line.is_empty() {
            return Ok(Some(Err(format!("API-413 the line has more than {} bytes", self.max_bytes))));
        }
        // The line feed is removed. Otherwise, for a fault at the end of the JSON, the parser would report a
        // position in the next line.
        line.pop_if(|byte| *byte == b'\n');
        Ok(Some(Ok(line)))
    }

    /// Returns the capacity to reserve for the next line. The capacity is the length of the line if its end
    /// is in the buffer, or if a second file handle finds the end. Otherwise, the capacity is the number of
    /// buffered bytes.
    fn capacity_for_next_line(&mut self) -> io::Result<usize> {
        let next = self.reader.fill_buf()?;
        if let Some(end) = next.iter().position(|byte| *byte == b'\n') {
            return Ok(end + 1);
        }
        let least = next.len();
        let Some(file) = &mut self.measure else { return Ok(least) };
        file.seek(SeekFrom::Start(self.offset))?;
        let mut rest = io::BufReader::with_capacity(BUFFER_BYTES, file.take(self.max_bytes));
        // Without one extra byte of capacity, the search for the line feed could reallocate the buffer.
        Ok(rest.skip_until(b'\n')? + 1)
    }
}

/// Checks that the first line of a file can be a complete company, and suggests how to convert other formats.
/// Faults within the object are reported as for any other line.
fn reject_other_formats(line: &[u8], number: u64) -> Outcome {
    let found = match line.trim_ascii() {
        [b'[', ..] => "the line begins an array. `jq -c '.[]' FILE` writes its elements one per line",
        [b'{'] | [b'{', .., b'{' | b'[' | b',' | b':'] => {
            "the object continues on the next line. `jq -c . FILE` writes it on one line"
        }
        [b'{', ..] => return Ok(()),
        _ => "the line is not a JSON object",
    };
    Err(Failure::refused(format!(
        "line {number}: the file must contain one company per line, each a JSON object (NDJSON): {found}. \
         Nothing is stored"
    )))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn import_lines(text: &'static str) -> ImportLines {
        ImportLines::new(Box::new(text.as_bytes()), ProgressBar::hidden())
    }

    /// Returns the lines with their numbers. The text is `None` if the line is too long.
    fn read_all(mut lines: ImportLines) -> Vec<(u64, Option<String>)> {
        let mut read = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            read.push((lines.number, line.ok().map(|line| String::from_utf8(line).unwrap())));
        }
        read
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
        let text = "{1}\n12345678901234567890\n1234567\nlast";
        let expected = [(1, Some("{1}")), (2, None), (3, Some("1234567")), (4, Some("last"))];
        let read = read_all(ImportLines { max_bytes: 8, ..import_lines(text) });
        assert_eq!(read, expected.map(|(number, line)| (number, line.map(str::to_owned))));
    }

    #[test]
    fn detects_another_format_by_the_first_line() {
        for (text, found) in [
            ("[\n{}\n]", "line 1: the file must contain one company per line"),
            ("[{}]", "array"),
            ("\n{\n\"companyId\": \"A\"\n}", "line 2: the file must contain one company per line"),
            ("{\n}", "continues on the next line"),
            ("companyId,legalName\nA,Acme", "not a JSON object"),
        ] {
            let mut lines = import_lines(text);
            let mut read = || lines.next().map(|line| line.map(Result::unwrap));
            let failure = read().and_then(|_| read()).unwrap_err().to_string();
            assert!(failure.contains(found), "{text}: {failure}");
        }
        for text in ["{}\n[", " {\"a\": 1} \r\n", "\n\n{}"] {
            let mut lines = import_lines(text);
            while lines.next().unwrap().is_some() {}
        }
    }

    #[test]
    fn long_line_allocates_only_its_own_length() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let long = "x".repeat(3 * BUFFER_BYTES);
        write!(file, "{{1}}\n{long}\nlast").unwrap();
        let open = || File::open(file.path()).unwrap();
        let reader = Box::new(io::BufReader::new(open()));
        let mut lines = ImportLines::new(reader, ProgressBar::hidden()).with_line_length_reader(open());
        let mut read = || lines.next().unwrap().unwrap().unwrap();
        assert_eq!(read(), b"{1}");
        let line = read();
        assert_eq!((line.len(), line.capacity() <= line.len() + 2), (long.len(), true));
        assert_eq!(read(), b"last");
    }
}
