//! `demo`: made-up companies on a fresh database, two applications, and four lines to paste.

use std::io::{self, Write};
use std::path::Path;

use indicatif::ProgressBar;
use payroll_domain::access::{Scope, Scopes};
use payroll_domain::id::CompanyId;
use payroll_ports::Store;

use super::application::{self, Made, Wanted};
use super::import::{self, Lines};
use super::{Context, serve};
use crate::app;
use crate::cli::DemoArguments;
use crate::config::{DatabaseUrl, KeyList};
use crate::demo_data::{self, COMPANY_ID, HOURLY_COMPONENT_ID, OPEN_PERIOD_ID, WORKER_ID};
use crate::failure::{Failure, Outcome};

/// The application that may do everything, on every company but the last.
const PARTNER: &str = "Demo partner";
/// The application that may only read, one company.
const READER: &str = "Demo reader";

pub(super) async fn run(mut context: Context<'_>, arguments: DemoArguments) -> Outcome {
    // Removed when the demo ends; a kept folder is never removed.
    let temporary = tempfile::tempdir()
        .map_err(|error| Failure::caused("a folder for the demo cannot be made", &error))?;
    let folder = arguments.keep.as_deref().unwrap_or(temporary.path());
    adjust(&mut context, folder, arguments.port);
    let app = app::build(&context.settings, context.clock.clone(), context.randomness.clone()).await?;
    let store = app.store();
    if store.is_empty().await? {
        fill(&context, &*store).await?;
    }
    let partner = application::find(&*store, PARTNER).await?;
    let partner = application::rotate(&context, &*store, &partner).await?;
    print(context.out, &app.base_address(), &context.settings.vendor_token, &partner)?;
    serve::until_told_to_stop(app).await
}

/// The demo stands for itself: what other settings say of database, keys and address is not its.
fn adjust(context: &mut Context<'_>, folder: &Path, port: u16) {
    let settings = &mut context.settings;
    settings.database_url = DatabaseUrl::embedded(&folder.join("demo.db"));
    settings.keys = KeyList::default();
    settings.key_file = String::new();
    settings.public_base_url = String::new();
    settings.listen = ([127, 0, 0, 1], port).into();
}

async fn fill(context: &Context<'_>, store: &dyn Store) -> Outcome {
    let data = demo_data::companies(context.clock.now().date());
    let mut reader = data.as_bytes();
    let mut lines = Lines { reader: &mut reader, number: 0, progress: &ProgressBar::hidden() };
    let summary = import::import(store, &*context.clock, &mut lines, &mut io::stderr()).await?;
    if summary.refused > 0 {
        return Err(Failure::new("the demo's own data is refused: see the lines above"));
    }
    let mut companies = import::company_ids(&data);
    // One company stays out of the partner's reach, so that there is something to be refused.
    companies.truncate(companies.len().saturating_sub(1));
    let read_only = [Scope::ReadCompanies, Scope::ReadPayroll].into_iter().collect();
    make_application(context, store, READER, companies.get(..1).unwrap_or_default(), read_only).await?;
    make_application(context, store, PARTNER, &companies, application::company_scopes()).await
}

async fn make_application(
    context: &Context<'_>,
    store: &dyn Store,
    name: &str,
    companies: &[CompanyId],
    scopes: Scopes,
) -> Outcome {
    let wanted =
        Wanted { name: name.to_owned(), correlation_per_pay_period: false, rate_limit_per_minute: None };
    application::create(context, store, wanted).await?;
    let made = application::find(store, name).await?;
    for company_id in companies {
        store.grant(&made.application_id, company_id, scopes).await?.map_err(application::refused)?;
    }
    Ok(())
}

/// Prints the address, the key, the secret and four lines; each can be pasted again and again.
fn print(out: &mut dyn Write, base: &str, vendor: &str, partner: &Made) -> Outcome {
    let Made { client_id, secret } = partner;
    let curl = r"curl -sS -w '\nHTTP %{http_code}\n'";
    let checks = format!(
        "{curl} {base}/companies/{COMPANY_ID}/checks -H \"Authorization: Bearer $TOKEN\" \
         -H 'Content-Type: application/vnd.{vendor}.payroll.checks.v1+json'"
    );
    let form = format!("-d grant_type=client_credentials -d client_id={client_id} -d client_secret={secret}");
    writeln!(
        out,
        r#"A payroll API with made-up companies: nothing in it is real.

  base address   {base}
  client_id      {client_id}
  client_secret  {secret}

Paste these into another terminal, from the first to the last; each can be pasted again.

# A token (200), kept for the lines below
TOKEN=$({curl} {base}/auth/oauth/v2/token {form} | tee /dev/stderr | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')

# The companies that it may reach (200)
{curl} {base}/companies -H "Authorization: Bearer $TOKEN"

# A check, stored (201)
{checks} -d '{good}'

# Two checks with several faults: nothing is stored (400)
{checks} -d '{bad}'

Ctrl-C stops the demo."#,
        good = good_checks(),
        bad = bad_checks(),
    )?;
    Ok(out.flush()?)
}

/// A check that passes every rule.
fn good_checks() -> String {
    format!(
        r#"[{{"payPeriodId":"{OPEN_PERIOD_ID}","workerId":"{WORKER_ID}","checkCorrelationId":"demo-1","earnings":[{{"componentId":"{HOURLY_COMPONENT_ID}","payHours":"8"}}]}}]"#
    )
}

/// A worker of nobody, an amount that is too large, a component that is not there, and one
/// correlation id for both.
fn bad_checks() -> String {
    format!(
        r#"[{{"payPeriodId":"{OPEN_PERIOD_ID}","workerId":"NOBODY","checkCorrelationId":"demo-2","earnings":[{{"componentId":"{HOURLY_COMPONENT_ID}","payHours":"8"}}]}},{{"payPeriodId":"{OPEN_PERIOD_ID}","workerId":"{WORKER_ID}","checkCorrelationId":"demo-2","earnings":[{{"componentId":"{HOURLY_COMPONENT_ID}","payAmount":"10000"}},{{"componentId":"NOTHING","payHours":"1"}}]}}]"#
    )
}
