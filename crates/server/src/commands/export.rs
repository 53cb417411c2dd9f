//! `export`: writes companies to a file that `import` reads. The file has one company per line, parents
//! before their children.
//!
//! Each company is read with a separate request, so only one company is in memory. The file keeps a temporary
//! name until the export is complete.

mod order;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::json;

use super::context::{CommandContext, OperatorCommandContext};
use super::new_file::NewFile;
use super::output::text_member;
use crate::cli::ExportArguments;
use crate::failure::{Failure, Outcome};
use crate::operator::{OperatorClient, Request, path};
use order::{CompanyWithParent, order_parents_first};

/// The number of companies in each page of the list.
const COMPANIES_PER_PAGE: usize = 1_000;
/// The media type for one company per line.
const NDJSON_MEDIA_TYPE: &str = "application/x-ndjson";

pub(super) async fn run(context: CommandContext<'_>, arguments: ExportArguments) -> Outcome {
    let ExportArguments { how, mut words, all, force } = arguments;
    let Some(file) = words.pop() else { return Err(usage_failure()) };
    if words.is_empty() != all {
        return Err(usage_failure());
    }
    let mut session = context.into_operator_context(&how).await?;
    let companies = match all {
        true => list_all_companies(&session.operator).await?,
        false => companies_by_id(&session.operator, words).await?,
    };
    if file == "-" {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = write_companies(&session, companies, all, &mut out).await?;
        out.flush()?;
        return session.print_message(written.sentence("standard output"));
    }
    let path = Path::new(&file);
    let mut new_file = NewFile::begin(path, force)?;
    let mut out = BufWriter::new(new_file.as_file_mut());
    let written = write_companies(&session, companies, all, &mut out).await?;
    out.flush()?;
    drop(out);
    new_file.publish()?;
    match session.output.is_json() {
        true => session.output.print_document(written.document().as_bytes()),
        false => session.output.print_line(written.sentence(&file)),
    }
}

fn usage_failure() -> Failure {
    Failure::new("name companies and a file, or --all and a file: payroll-server export COMPANY FILE")
}

/// The numbers in the summary that an export prints at its end.
#[derive(Default)]
struct ExportedCount {
    companies: u64,
    /// The number of checks in unprocessed pay periods, which the file does not contain.
    omitted_checks: u64,
}

impl ExportedCount {
    fn sentence(&self, file: &str) -> String {
        format!("Companies: {} written to {file}.", self.companies)
    }

    fn document(&self) -> String {
        json!({"companies": self.companies, "checksLeftOut": self.omitted_checks}).to_string()
    }
}

/// Lists every company of the server, with its parent.
async fn list_all_companies(operator: &OperatorClient) -> Outcome<Vec<CompanyWithParent>> {
    let mut all = Vec::new();
    loop {
        let list = path(&["companies"])
            .with_query("offset", Some(all.len()))
            .with_query("limit", Some(COMPANIES_PER_PAGE));
        let found = operator.send(Request::get(list)).await?.content()?;
        let is_last = found.len() < COMPANIES_PER_PAGE;
        all.extend(
            found
                .iter()
                .map(|company| company_with_parent(text_member(company, "companyId").to_owned(), company)),
        );
        if is_last {
            return Ok(all);
        }
    }
}

/// Reads the companies with these ids, to find their parents.
async fn companies_by_id(operator: &OperatorClient, ids: Vec<String>) -> Outcome<Vec<CompanyWithParent>> {
    let mut all: Vec<CompanyWithParent> = Vec::with_capacity(ids.len());
    for id in ids {
        let company = operator.send(Request::get(path(&["companies", &id]))).await?.single_object()?;
        all.push(company_with_parent(id, &company));
    }
    Ok(all)
}

fn company_with_parent(company_id: String, company: &serde_json::Value) -> CompanyWithParent {
    let parent = text_member(company, "parentCompanyId");
    CompanyWithParent { company_id, parent: (!parent.is_empty()).then(|| parent.to_owned()) }
}

/// Writes the companies. Prints to standard error each reason for which an import of the file would be
/// rejected. With `all`, a company that was deleted after it was listed is skipped.
async fn write_companies(
    session: &OperatorCommandContext<'_>,
    companies: Vec<CompanyWithParent>,
    all: bool,
    out: &mut dyn Write,
) -> Outcome<ExportedCount> {
    let ordered = order_parents_first(companies);
    for CompanyWithParent { company_id, parent } in &ordered.above_missing {
        let parent = parent.as_deref().unwrap_or_default();
        session.print_message(format_args!(
            "the parent {parent} of company {company_id} is not exported. An import requires that it exists"
        ))?;
    }
    let mut written = ExportedCount::default();
    for company_id in ordered.company_ids {
        let line = path(&["export"]).with_query("companyid", Some(&company_id));
        let request = Request::get(line).accept(NDJSON_MEDIA_TYPE);
        let response = match all {
            true => session.operator.find(request).await?,
            false => Some(session.operator.send(request).await?),
        };
        let Some(response) = response else { continue };
        out.write_all(response.body())?;
        written.companies += 1;
        let left_out = response.omitted_check_count();
        written.omitted_checks += left_out;
        if left_out > 0 {
            session.print_message(format_args!(
                "company {company_id}: checks of pay periods that are not processed are not exported: {left_out}"
            ))?;
        }
    }
    Ok(written)
}
