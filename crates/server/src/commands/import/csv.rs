//! `import` of CSV: what people have in spreadsheets, as one document of the operator API, which stores all of a
//! file or nothing. What a value may be is the domain's business; here is what a file may be, and which line and
//! column a fault is in.

mod columns;
mod document;
mod faults;
mod header;
mod template;
mod text;

pub use columns::CsvKind;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::cli::ImportArguments;
use crate::commands::context::Context;
use crate::failure::{Failure, Outcome};
use crate::operator::{Method, Request, path};
use document::Rows;
use faults::Faults;
use header::{ColumnMap, Header};

/// Prints a file to begin with.
pub(super) fn print_template(out: &mut dyn Write, kind: CsvKind) -> Outcome {
    Ok(out.write_all(kind.template().as_bytes())?)
}

/// What the rows of a file are; `None` where it is no CSV.
pub(super) fn kind_of(arguments: &ImportArguments, file: &Path) -> Outcome<Option<CsvKind>> {
    let is_csv = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let is_of_period = arguments.period.is_some();
    let named = file.file_stem().and_then(|stem| stem.to_str()).map(str::to_ascii_lowercase);
    let by_name = || clap::ValueEnum::from_str(named.as_deref().unwrap_or_default(), true).ok();
    match arguments
        .kind
        .or_else(|| is_of_period.then_some(CsvKind::Checks))
        .or_else(|| by_name().filter(|_| is_csv))
    {
        Some(CsvKind::Checks) if !is_of_period => {
            Err(Failure::new("checks need --period, the pay period that they are added to"))
        }
        Some(CsvKind::Workers | CsvKind::Rates) if is_of_period => {
            Err(Failure::new("--period goes with checks alone"))
        }
        Some(kind) => Ok(Some(kind)),
        None if is_csv => {
            Err(Failure::new("what are the rows of the file? Say --as workers, --as rates or --as checks"))
        }
        None if arguments.company.is_some() || arguments.map.is_some() => {
            Err(Failure::new("--company and --map go with CSV: say --as workers, --as rates or --as checks"))
        }
        None => Ok(None),
    }
}

pub(super) async fn run(
    context: Context<'_>,
    arguments: &ImportArguments,
    (kind, file): (CsvKind, &Path),
) -> Outcome {
    let company = arguments.company.as_deref();
    let company =
        company.ok_or_else(|| Failure::new("a CSV file needs --company, which its rows belong to"))?;
    let map = arguments.map.as_deref().map(|map| ColumnMap::read(map, kind)).transpose()?.unwrap_or_default();
    let (bytes, mut errors, mut faults) = (read(file)?, io::stderr(), Faults::default());
    let records = text::decode(&bytes, &mut faults).map(|text| text::records(text, &mut faults));
    faults.tell(&mut errors)?;
    let mut records = records.unwrap_or_default().into_iter();
    let head = records.next().and_then(|head| Header::read(&head, kind, &map, &mut faults));
    faults.tell(&mut errors)?;
    let head = head.ok_or_else(|| Failure::refused("the file has no header"))?;
    let mut rows = Rows::new(kind, head, records.collect(), &mut faults);
    let period = arguments.period.as_deref().unwrap_or_default();
    let document = rows.document(period, &mut faults);
    let mut session = context.session(&arguments.how).await?;
    // What is known to be wrong is judged on, so that all faults are told at once.
    let is_dry = arguments.dry_run || !faults.are_none();
    let path = match kind {
        CsvKind::Workers | CsvKind::Rates => path(&["companies", company, "workerchanges"]),
        CsvKind::Checks => path(&["companies", company, "payperiods", period, "checks"]),
    };
    let request = Request::new(Method::Post, path.with("dryrun", is_dry.then_some(true))).json(&document);
    let judged = session.operator.judge(request).await?;
    if let Err(said) = &judged {
        rows.translate(said, &mut faults);
    }
    faults.tell(&mut errors)?;
    let Ok(answer) = judged else { return Err(Failure::new("the file was refused without a fault")) };
    let counts = answer.one()?;
    let count = |name: &str| counts.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default();
    let [created, changed, unchanged] = ["created", "changed", "unchanged"].map(count);
    let dry = if arguments.dry_run { "Nothing is stored. " } else { "" };
    let sentence = match kind {
        CsvKind::Workers | CsvKind::Rates => {
            format!("{dry}Workers: {created} created, {changed} changed, {unchanged} unchanged.")
        }
        CsvKind::Checks => format!("{dry}Checks: {created} created."),
    };
    session.output.done(&answer, sentence)
}

/// The bytes of a file; `-` is standard input.
fn read(file: &Path) -> Outcome<Vec<u8>> {
    let unreadable = |error: io::Error| Failure::caused(format!("{} cannot be read", file.display()), &error);
    let reader: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(file).map_err(unreadable)?),
    };
    let mut bytes = Vec::new();
    // One more than there may be, which shows that there are more.
    reader.take(text::MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    match bytes.len() as u64 > text::MAX_FILE_BYTES {
        true => {
            Err(Failure::refused(format!("the file has more than {} bytes; split it", text::MAX_FILE_BYTES)))
        }
        false => Ok(bytes),
    }
}
