//! `import` of CSV files from spreadsheets. Each file becomes one document for the operator API, which stores
//! all rows or none. The CSV is parsed by the same code as in the API. This module reads the file and the
//! column map, and prints the faults.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use payroll_adapter_http::csv::{ColumnMap, CsvFault, FileFaults, RowKind, read_rows};
use payroll_domain::code::Reason;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::{CsvKind, ImportArguments};
use crate::commands::context::CommandContext;
use crate::failure::{Failure, Outcome};
use crate::operator::{Fault, Method, Request, path};
use crate::terminal::replace_control_characters;

/// The maximum size of a file in bytes. The limit is enough for ten thousand rows of long texts, and the
/// complete file fits in memory.
const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;
/// The maximum size of a column map in bytes. The limit is enough for some hundred columns.
const MAX_MAP_BYTES: u64 = 64 * 1024;

impl From<CsvKind> for RowKind {
    fn from(kind: CsvKind) -> Self {
        match kind {
            CsvKind::Workers => Self::Workers,
            CsvKind::Rates => Self::Rates,
            CsvKind::Checks => Self::Checks,
        }
    }
}

/// The content of a column map: a TOML file that assigns columns to the names in a header.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnMapFile {
    /// The column for each name in the header. A name with an empty column is ignored.
    columns: HashMap<String, String>,
}

/// Prints an example file for this kind of rows.
pub(super) fn print_template(out: &mut dyn Write, kind: CsvKind) -> Outcome {
    Ok(out.write_all(RowKind::from(kind).csv_template().as_bytes())?)
}

/// Determines the kind of the rows in a file. `None` if the file is not CSV.
pub(super) fn choose_kind(arguments: &ImportArguments, file: &Path) -> Outcome<Option<CsvKind>> {
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
            Err(Failure::new("checks require --period, the pay period that they are added to"))
        }
        Some(CsvKind::Workers | CsvKind::Rates) if is_of_period => {
            Err(Failure::new("--period requires --as checks"))
        }
        Some(kind) => Ok(Some(kind)),
        None if is_csv => Err(Failure::new("a CSV file requires --as workers, --as rates or --as checks")),
        None if arguments.company.is_some() || arguments.map.is_some() => Err(Failure::new(
            "--company and --map require a CSV file: add --as workers, --as rates or --as checks",
        )),
        None => Ok(None),
    }
}

pub(super) async fn run(
    context: CommandContext<'_>,
    arguments: &ImportArguments,
    (kind, file): (CsvKind, &Path),
) -> Outcome {
    let company = arguments.company.as_deref();
    let company =
        company.ok_or_else(|| Failure::new("a CSV file requires --company, the company of its rows"))?;
    let map = arguments
        .map
        .as_deref()
        .map(|map| read_column_map(map, kind.into()))
        .transpose()?
        .unwrap_or_default();
    let (bytes, mut errors) = (read_file(file)?, io::stderr());
    let (mut rows, mut faults) = match read_rows(&bytes, kind.into(), &map) {
        Ok(read) => read,
        Err(faults) => return report_faults(&faults, &mut errors),
    };
    let period = arguments.period.as_deref().unwrap_or_default();
    let document = rows.build_document(period, &mut faults);
    let mut session = context.into_operator_context(&arguments.how).await?;
    // If rows have faults, the other rows are sent as a dry run. All faults are then reported at once.
    let is_dry = arguments.dry_run || !faults.is_empty();
    let path = match kind {
        CsvKind::Workers | CsvKind::Rates => path(&["companies", company, "workerchanges"]),
        CsvKind::Checks => path(&["companies", company, "payperiods", period, "checks"]),
    };
    let request =
        Request::new(Method::Post, path.with_query("dryrun", is_dry.then_some(true))).json(&document);
    let result = session.operator.send_document(request).await?;
    if let Err(found) = &result {
        rows.translate_faults(found.iter().map(validation_fault), &mut faults);
    }
    report_faults(&faults, &mut errors)?;
    let Ok(response) = result else { return Err(Failure::new("the file was rejected without a fault")) };
    let counts = response.single_object()?;
    let count = |name: &str| counts.get(name).and_then(Value::as_u64).unwrap_or_default();
    let [created, changed, unchanged] = ["created", "changed", "unchanged"].map(count);
    let dry = if arguments.dry_run { "Nothing is stored. " } else { "" };
    let sentence = match kind {
        CsvKind::Workers | CsvKind::Rates => {
            format!("{dry}Workers: {created} created, {changed} changed, {unchanged} unchanged.")
        }
        CsvKind::Checks => format!("{dry}Checks: {created} created."),
    };
    session.output.print_result(&response, sentence)
}

/// Converts a fault from the operator API to a fault of the CSV file. A newer server may use a code that this
/// program does not know. The code is then shown in the description.
fn validation_fault(fault: &Fault) -> CsvFault<'_> {
    let known = Reason::ALL.iter().copied().find(|reason| reason.code() == fault.code());
    let description = match known {
        Some(_) => fault.description().into(),
        None => format!("({}) {}", fault.code(), fault.description()).into(),
    };
    CsvFault { reason: known.unwrap_or(Reason::FieldInvalid), pointer: fault.pointer(), description }
}

/// Reads the bytes of a file. `-` is standard input.
fn read_file(file: &Path) -> Outcome<Vec<u8>> {
    let unreadable =
        |error: io::Error| Failure::with_cause(format!("{} cannot be read", file.display()), &error);
    let reader: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(file).map_err(unreadable)?),
    };
    let mut bytes = Vec::new();
    // The reader is limited to one byte more than the maximum. If that byte exists, the file is too large.
    reader.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    match bytes.len() as u64 > MAX_FILE_BYTES {
        true => Err(Failure::refused(format!("the file has more than {MAX_FILE_BYTES} bytes. Split it"))),
        false => Ok(bytes),
    }
}

/// Reads a column map: a TOML file with the table `columns`.
fn read_column_map(path: &Path, kind: RowKind) -> Outcome<ColumnMap> {
    let shown = path.display();
    let unreadable = |error: io::Error| Failure::with_cause(format!("{shown} cannot be read"), &error);
    if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_MAP_BYTES {
        return Err(Failure::new(format!(
            "{shown} has more than {MAX_MAP_BYTES} bytes, the maximum for a map"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let ColumnMapFile { columns } = toml::from_str(&text).map_err(|error| {
        Failure::new(format!(
            "{shown} is not a map of columns such as [columns] \"Emp No\" = \"employeeId\": {error}"
        ))
    })?;
    ColumnMap::new(columns, kind).map_err(|unknown| {
        Failure::refused(format!(
            "{shown}: \"{}\" is mapped to \"{}\", which is not a column of {}. {}",
            unknown.name,
            unknown.target,
            kind.as_str(),
            unknown.known_columns
        ))
    })
}

/// Prints each fault as one line on `errors`.
///
/// # Errors
/// Fails if there are faults, because the server then stores no row of the file.
fn report_faults(faults: &FileFaults, errors: &mut dyn Write) -> Outcome {
    if faults.is_empty() {
        return Ok(());
    }
    for fault in faults.sorted_faults() {
        writeln!(errors, "{}", replace_control_characters(&fault.to_string()))?;
    }
    if faults.omitted_count() > 0 {
        writeln!(errors, "There are {} more faults.", faults.omitted_count())?;
    }
    let failure = Failure::refused(format!("nothing was stored. Faults: {}", faults.count()));
    Err(failure.with_document(faults_document(faults).to_string()))
}

fn faults_document(faults: &FileFaults) -> Value {
    let all = faults.sorted_faults().into_iter().map(|fault| {
        let mut document = json!({"line": fault.line, "description": fault.description()});
        if let (Some((_, column)), Some(members)) = (&fault.column, document.as_object_mut()) {
            members.insert("column".to_owned(), column.as_str().into());
        }
        document
    });
    json!({"faults": all.collect::<Vec<_>>(), "faultsLeftOut": faults.omitted_count()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_map_requires_a_table_of_known_columns() {
        let map = |text: &str| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            write!(file, "{text}").unwrap();
            read_column_map(file.path(), RowKind::Workers)
        };
        map("[columns]\n\"Emp No\" = \"workerId\"\n\"Notes\" = \"\"\n").unwrap();
        for (text, fault) in [
            ("[columns]\n\"Emp No\" = \"employeeid\"", "which is not a column of workers"),
            ("[column]\n", "not a map of columns"),
            ("nonsense", "not a map of columns"),
        ] {
            let failure = map(text).unwrap_err().to_string();
            assert!(failure.contains(fault), "{failure}");
        }
    }
}
