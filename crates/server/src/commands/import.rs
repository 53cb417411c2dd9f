//! `import`: companies from a file, one a line, each all or nothing.
//!
//! A line is read, checked and stored before the next is read, so memory grows with the largest
//! company only. What a line must look like is the domain's business, what goes together with what
//! is stored is the store's; here is only the way through the file.

mod lines;
mod remote;
mod summary;

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use payroll_domain::id::CompanyId;
use payroll_ports::import::{ImportCounts, Imported, Source};
use payroll_ports::write::By;
use payroll_ports::{Clock, Store, StoreError};

use super::context::Context;
use super::output::Output;
use crate::app;
use crate::cli::How;
use crate::failure::{Failure, Outcome};
pub(super) use lines::Lines;
use summary::{Summary, tell};

/// Bytes that are read from the file at once.
const BUFFER_BYTES: usize = 256 * 1024;

pub(super) async fn run(context: Context<'_>, how: &How, path: &Path) -> Outcome {
    let mut lines = open(path)?;
    let (summary, mut output) = if how.url.is_some() {
        let session = context.session(how).await?;
        let summary = remote::import(&session.operator, &mut lines, &mut io::stderr()).await?;
        (summary, session.output)
    } else {
        let store = app::open_store(&context.settings, context.randomness.clone()).await?;
        let summary = import(&*store, &*context.clock, &mut lines, &mut io::stderr()).await?;
        (summary, Output::new(context.out, how.json))
    };
    lines.progress.finish_and_clear();
    summary.show(&mut output)?;
    match summary.refused {
        0 => Ok(()),
        refused => Err(Failure::refused(format!("not everything is stored; lines refused: {refused}"))),
    }
}

/// Stores every line; what is refused is reported on `errors`, with the number of its line.
///
/// # Errors
/// The file cannot be read on, or the database fails. The lines before are stored.
pub(super) async fn import(
    store: &dyn Store,
    clock: &dyn Clock,
    lines: &mut Lines,
    errors: &mut dyn Write,
) -> Outcome<Summary> {
    let mut summary = Summary::default();
    while let Some(line) = lines.next()? {
        let stored = match line {
            Ok(line) if line.trim_ascii().is_empty() => continue,
            Ok(line) => store_line(store, clock, (line, lines.number), &mut summary)
                .await
                .map_err(|error| Failure::caused(format!("stopped at line {}", lines.number), &error))?,
            Err(fault) => Err(vec![fault]),
        };
        match stored {
            Ok(counts) => summary.add(counts),
            Err(faults) => {
                summary.refused += 1;
                lines.progress.suspend(|| tell(errors, lines.number, &faults))?;
            }
        }
    }
    Ok(summary)
}

/// Checks and stores one company, or says what is wrong with it.
async fn store_line(
    store: &dyn Store,
    clock: &dyn Clock,
    (line, number): (Vec<u8>, u64),
    summary: &mut Summary,
) -> Outcome<Result<ImportCounts, Vec<String>>> {
    let company = match Source::read(line) {
        Ok(company) => company,
        Err(faults) => return Ok(Err(faults.iter().map(ToString::to_string).collect())),
    };
    let company_id = company.company().company.company_id.clone();
    if let Err(before) = summary.name(company_id.clone(), number) {
        return Ok(Err(vec![format!("API-409 company {company_id} is named in line {before} already")]));
    }
    Ok(match store.import_company(company, &By::command("import", clock.now())).await {
        Ok(Imported::Stored(counts)) => Ok(counts),
        Ok(Imported::Locked) => Err(vec![format!("API-10 company {company_id} is locked")]),
        Ok(Imported::Refused(faults)) => {
            Err(faults.into_iter().map(|fault| format!("API-409 {fault}")).collect())
        }
        Err(StoreError::CompanyBusy) => {
            Err(vec![format!("API-10 somebody else writes to company {company_id}")])
        }
        Err(error) => return Err(error.into()),
    })
}

/// The ids of the companies in a text of the same form, without the lines that are none.
pub(super) fn company_ids(text: &str) -> Vec<CompanyId> {
    let companies = text.lines().filter_map(|line| Source::read(line.as_bytes().to_owned()).ok());
    companies.map(|company| company.company().company.company_id.clone()).collect()
}

/// The lines of a file, with a progress bar; `-` is standard input, whose length nobody knows.
fn open(path: &Path) -> Outcome<Lines> {
    if path == Path::new("-") {
        return Ok(Lines::new(Box::new(BufReader::new(io::stdin())), ProgressBar::new_spinner()));
    }
    let unreadable = |error: io::Error| Failure::caused(format!("{} cannot be read", path.display()), &error);
    let open = || File::open(path).map_err(unreadable);
    let file = open()?;
    let length = file.metadata().map_err(unreadable)?.len();
    // The template is fixed; if it ever were wrong, the plain bar would do.
    let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    // indicatif draws on standard error, and only where that is a terminal.
    let progress = ProgressBar::new(length).with_style(style);
    let reader = Box::new(BufReader::with_capacity(BUFFER_BYTES, file));
    Ok(Lines::new(reader, progress).measured_by(open()?))
}
