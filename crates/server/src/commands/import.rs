//! `import`: companies from a file, one a line, each all or nothing.
//!
//! A line is read, checked and stored before the next is read, so memory grows with the largest
//! company only. What a line must look like is the domain's business, what goes together with what
//! is stored is the store's; here is only the way through the file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use payroll_domain::company::WholeCompany;
use payroll_domain::document::read_company;
use payroll_domain::id::CompanyId;
use payroll_domain::input;
use payroll_ports::import::{ImportCounts, Imported};
use payroll_ports::{Clock, Store};

use super::Context;
use crate::app;
use crate::failure::{Failure, Outcome};

/// The longest line: a company of some hundred thousand workers. A longer one is refused before
/// it fills the memory.
const MAX_LINE_BYTES: u64 = 512 * 1024 * 1024;
/// Bytes that are read from the file at once.
const BUFFER_BYTES: usize = 256 * 1024;

pub(super) async fn run(context: Context<'_>, path: &Path) -> Outcome {
    let (mut reader, progress) = open(path)?;
    let store = app::open_store(&context.settings, context.randomness.clone()).await?;
    let mut lines = Lines { reader: &mut *reader, number: 0, progress: &progress };
    let summary = import(&*store, &*context.clock, &mut lines, &mut io::stderr()).await?;
    progress.finish_and_clear();
    writeln!(context.out, "{summary}")?;
    match summary.refused {
        0 => Ok(()),
        refused => Err(Failure::refused(format!("not everything is stored; lines refused: {refused}"))),
    }
}

/// The lines of an import, with their numbers.
pub(super) struct Lines<'a> {
    pub(super) reader: &'a mut dyn BufRead,
    pub(super) number: u64,
    pub(super) progress: &'a ProgressBar,
}

/// What an import came to.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) stored: u64,
    pub(super) refused: u64,
    pub(super) counts: ImportCounts,
}

/// Stores every line; what is refused is told on `errors`, with the number of its line.
///
/// # Errors
/// The file cannot be read on, or the database fails. The lines before are stored.
pub(super) async fn import(
    store: &dyn Store,
    clock: &dyn Clock,
    lines: &mut Lines<'_>,
    errors: &mut dyn Write,
) -> Outcome<Summary> {
    let mut summary = Summary::default();
    while let Some(line) = lines.next(MAX_LINE_BYTES)? {
        let faults = match line {
            Ok(line) if line.trim_ascii().is_empty() => continue,
            Ok(line) => store_line(store, clock, &line, &mut summary.counts)
                .await
                .map_err(|error| Failure::caused(format!("stopped at line {}", lines.number), &error))?,
            Err(fault) => vec![fault],
        };
        if faults.is_empty() {
            summary.stored += 1;
        } else {
            summary.refused += 1;
            lines.progress.suspend(|| tell(errors, lines.number, &faults))?;
        }
    }
    Ok(summary)
}

/// Checks and stores one company; the faults, none when it is stored.
async fn store_line(
    store: &dyn Store,
    clock: &dyn Clock,
    line: &[u8],
    counts: &mut ImportCounts,
) -> Outcome<Vec<String>> {
    let whole = match read(line) {
        Ok(whole) => whole,
        Err(faults) => return Ok(faults),
    };
    Ok(match store.import_company(&whole, clock.now()).await? {
        Imported::Stored(stored) => {
            counts.created += stored.created;
            counts.changed += stored.changed;
            counts.unchanged += stored.unchanged;
            Vec::new()
        }
        Imported::Locked => vec![format!("API-10 company {} is locked", whole.company.company_id)],
        Imported::Refused(faults) => faults.into_iter().map(|fault| format!("API-409 {fault}")).collect(),
    })
}

/// Reads one line as a company; every fault with its code and its pointer.
fn read(line: &[u8]) -> Result<WholeCompany, Vec<String>> {
    let node = input::parse(line).map_err(|malformed| vec![format!("API-40 {malformed}")])?;
    read_company(&node).map_err(|violations| violations.iter().map(ToString::to_string).collect())
}

/// The ids of the companies in a text of the same form, without the lines that are none.
pub(super) fn company_ids(text: &str) -> Vec<CompanyId> {
    text.lines().filter_map(|line| read(line.as_bytes()).ok()).map(|whole| whole.company.company_id).collect()
}

fn tell(errors: &mut dyn Write, number: u64, faults: &[String]) -> io::Result<()> {
    faults.iter().try_for_each(|fault| writeln!(errors, "line {number}: {fault}"))
}

impl Lines<'_> {
    /// The next line, or the fault that makes it unreadable; `None` at the end.
    fn next(&mut self, max_bytes: u64) -> Outcome<Option<Result<Vec<u8>, String>>> {
        let unreadable = |error: io::Error| Failure::caused("the file cannot be read on", &error);
        let mut line = Vec::new();
        let mut bounded = (&mut *self.reader).take(max_bytes);
        let read = bounded.read_until(b'\n', &mut line).map_err(unreadable)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.progress.inc(read as u64);
        if read as u64 == max_bytes && !line.ends_with(b"\n") {
            drop(line);
            self.reader.skip_until(b'\n').map_err(unreadable)?;
            return Ok(Some(Err(format!("API-413 the line has more than {max_bytes} bytes"))));
        }
        Ok(Some(Ok(line)))
    }
}

/// The file and a progress bar for it; `-` is standard input, whose length nobody knows.
fn open(path: &Path) -> Outcome<(Box<dyn BufRead>, ProgressBar)> {
    if path == Path::new("-") {
        return Ok((Box::new(BufReader::new(io::stdin())), ProgressBar::new_spinner()));
    }
    let unreadable = |error: io::Error| Failure::caused(format!("{} cannot be read", path.display()), &error);
    let file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    // The template is fixed; if it ever were wrong, the plain bar would do.
    let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    // indicatif draws on standard error, and only where that is a terminal.
    let progress = ProgressBar::new(length).with_style(style);
    Ok((Box::new(BufReader::with_capacity(BUFFER_BYTES, file)), progress))
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ImportCounts { created, changed, unchanged } = self.counts;
        write!(
            f,
            "Companies: {} stored, {} refused. Objects in them: {created} created, {changed} changed, {unchanged} \
             unchanged.",
            self.stored, self.refused
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a text, at most 8 bytes each; a line that is too long is `None`.
    fn lines(text: &str) -> Vec<(u64, Option<String>)> {
        let mut reader = text.as_bytes();
        let mut lines = Lines { reader: &mut reader, number: 0, progress: &ProgressBar::hidden() };
        let mut read = Vec::new();
        while let Some(line) = lines.next(8).unwrap() {
            read.push((lines.number, line.ok().map(|line| String::from_utf8(line).unwrap())));
        }
        read
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
        let read = lines("short\n12345678901234567890\n1234567\nlast");
        let expected = [(1, Some("short\n")), (2, None), (3, Some("1234567\n")), (4, Some("last"))];
        assert_eq!(read, expected.map(|(number, line)| (number, line.map(str::to_owned))));
    }

    #[test]
    fn faults_of_a_line_have_code_and_place() {
        let faults = read(br#"{"companyId": "A", "displayId": "1"}"#).unwrap_err();
        assert_eq!(faults, ["API-46 legalName is missing (/legalName)"]);
        assert!(read(b"{").unwrap_err().iter().all(|fault| fault.starts_with("API-40")));
    }
}
