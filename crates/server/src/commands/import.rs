//! `import`: stores companies from a file with one company per line. Each company is stored completely or not
//! at all.
//!
//! Each line is read, validated and stored before the next line is read. The required memory therefore
//! depends only on the largest company. The domain validates a line, and the store compares it with stored
//! data. This module only reads the file. The module `csv` reads CSV files.

mod csv;
mod lines;
mod remote;
mod summary;

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use payroll_domain::id::CompanyId;
use payroll_ports::import::{ImportCounts, ImportOutcome, ImportRules, ImportSource};
use payroll_ports::schema::StatisticsScope;
use payroll_ports::write::AuditContext;
use payroll_ports::{Clock, Store, StoreError};

use super::context::CommandContext;
use super::output::Output;
use crate::app;
use crate::cli::ImportArguments;
use crate::failure::{Failure, Outcome};
pub(super) use lines::ImportLines;
use summary::{ImportSummary, print_faults};

/// The number of bytes that are read from the file at once.
const BUFFER_BYTES: usize = 256 * 1024;

pub(super) async fn run(context: CommandContext<'_>, arguments: ImportArguments) -> Outcome {
    if let Some(kind) = arguments.template {
        return csv::print_template(context.out, kind);
    }
    let file = arguments
        .file
        .clone()
        .ok_or_else(|| Failure::new("name the file to import: payroll-server import FILE"))?;
    if let Some(kind) = csv::choose_kind(&arguments, &file)? {
        return csv::run(context, &arguments, (kind, &file)).await;
    }
    let ImportArguments { how, dry_run, .. } = arguments;
    let mut lines = open_import_lines(&file)?;
    let (summary, mut output) = if how.url.is_some() {
        let session = context.into_operator_context(&how).await?;
        let summary =
            remote::import_remotely(&session.operator, dry_run, &mut lines, &mut io::stderr()).await?;
        (summary, session.output)
    } else {
        let store = app::open_store(&context.settings, context.randomness.clone()).await?;
        let rules = ImportRules { two_person_completion: context.settings.two_person_completion };
        let storing = ImportTarget { store: &*store, clock: &*context.clock, rules, dry_run };
        let summary = import_file(&storing, &mut lines, &mut io::stderr()).await?;
        if !dry_run {
            store.refresh_statistics(StatisticsScope::EveryTable).await?;
        }
        (summary, Output::new(context.out, how.json))
    };
    lines.progress.finish_and_clear();
    summary.print_summary(&mut output)?;
    match summary.refused {
        0 => Ok(()),
        refused if dry_run => {
            Err(Failure::refused(format!("number of lines that an import would reject: {refused}")))
        }
        refused => {
            Err(Failure::refused(format!("not all lines were stored. Number of rejected lines: {refused}")))
        }
    }
}

/// The destination and the mode of an import.
pub(super) struct ImportTarget<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) clock: &'a dyn Clock,
    pub(super) rules: ImportRules,
    /// Whether the import is a dry run, which stores nothing.
    pub(super) dry_run: bool,
}

/// Stores every line, and reports a rejected line on `errors` with its line number.
///
/// # Errors
/// The file cannot be read any further, or the database fails. The lines before this error are stored.
pub(super) async fn import_file(
    target: &ImportTarget<'_>,
    lines: &mut ImportLines,
    errors: &mut (dyn Write + Send),
) -> Outcome<ImportSummary> {
    let mut summary = ImportSummary { dry_run: target.dry_run, ..ImportSummary::default() };
    while let Some(line) = lines.next()? {
        let stored = match line {
            Ok(line) if line.trim_ascii().is_empty() => continue,
            Ok(line) => store_line(target, (line, lines.number), &mut summary)
                .await
                .map_err(|error| Failure::with_cause(format!("stopped at line {}", lines.number), &error))?,
            Err(fault) => Err(vec![fault]),
        };
        match stored {
            Ok((company_id, counts)) => {
                summary.add_counts(counts);
                summary.valid_companies.insert(company_id);
            }
            Err(faults) => {
                summary.refused += 1;
                lines.progress.suspend(|| print_faults(errors, lines.number, &faults))?;
            }
        }
    }
    Ok(summary)
}

/// Validates and stores one company, or reports its faults.
async fn store_line(
    target: &ImportTarget<'_>,
    (line, number): (Vec<u8>, u64),
    summary: &mut ImportSummary,
) -> Outcome<Result<(CompanyId, ImportCounts), Vec<String>>> {
    let company = match ImportSource::read(line) {
        Ok(company) => company,
        Err(faults) => return Ok(Err(faults.iter().map(ToString::to_string).collect())),
    };
    let company_id = company.company().company.company_id.clone();
    if let Err(before) = summary.record_company(company_id.clone(), number) {
        return Ok(Err(vec![format!("API-409 company {company_id} is already in line {before}")]));
    }
    let audit = AuditContext::for_command("import", target.clock.now());
    let imported = match target.dry_run {
        true => target.store.validate_company(company, &summary.valid_companies, target.rules, &audit).await,
        false => target.store.import_company(company, target.rules, &audit).await,
    };
    Ok(match imported {
        Ok(ImportOutcome::Stored(counts)) => Ok((company_id, counts)),
        Ok(ImportOutcome::Locked) => Err(vec![format!("API-10 company {company_id} is locked")]),
        Ok(ImportOutcome::Refused(faults)) => {
            Err(faults.into_iter().map(|fault| format!("API-409 {fault}")).collect())
        }
        Err(StoreError::CompanyBusy) => {
            Err(vec![format!("API-10 another process is updating company {company_id}")])
        }
        Err(error) => return Err(error.into()),
    })
}

/// Returns the ids of the companies in a text with one company per line. Other lines are skipped.
pub(super) fn parse_company_ids(text: &str) -> Vec<CompanyId> {
    let companies = text.lines().filter_map(|line| ImportSource::read(line.as_bytes().to_owned()).ok());
    companies.map(|company| company.company().company.company_id.clone()).collect()
}

/// Opens the lines of a file, with a progress bar. `-` is standard input, whose length is unknown.
fn open_import_lines(path: &Path) -> Outcome<ImportLines> {
    if path == Path::new("-") {
        return Ok(ImportLines::new(Box::new(BufReader::new(io::stdin())), ProgressBar::new_spinner()));
    }
    let unreadable =
        |error: io::Error| Failure::with_cause(format!("{} cannot be read", path.display()), &error);
    let open = || File::open(path).map_err(unreadable);
    let file = open()?;
    let length = file.metadata().map_err(unreadable)?.len();
    // The template is a constant and always valid, so the default style is never used.
    let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    // The progress bar is drawn on standard error, and only if standard error is a terminal.
    let progress = ProgressBar::new(length).with_style(style);
    let reader = Box::new(BufReader::with_capacity(BUFFER_BYTES, file));
    Ok(ImportLines::new(reader, progress).with_line_length_reader(open()?))
}
