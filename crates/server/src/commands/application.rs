//! `app …`: partner applications, their secrets and their grants.

use std::io::Write;

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::id::CompanyId;
use payroll_ports::applications::{Application, ApplicationRefusal, NewApplication};
use payroll_ports::{Store, id_sequence};
use serde_json::json;

use super::Context;
use crate::app;
use crate::cli::ApplicationCommand;
use crate::failure::{Failure, Outcome};
use crate::secrets::{new_client_id, new_secret};

/// Scopes that belong to an application, not to one of its companies.
const WITHOUT_COMPANY: [Scope; 2] = [Scope::ReadWebhooks, Scope::WriteWebhooks];

pub(super) async fn run(mut context: Context<'_>, command: ApplicationCommand) -> Outcome {
    let store = app::open_store(&context.settings, context.randomness.clone()).await?;
    let store = &*store;
    match command {
        ApplicationCommand::Create { name, correlation_per_pay_period, rate_limit_per_minute } => {
            let wanted = Wanted { name, correlation_per_pay_period, rate_limit_per_minute };
            let made = create(&context, store, wanted).await?;
            made.print(context.out)
        }
        ApplicationCommand::List { json: true } => print_json(context.out, &store.applications().await?),
        ApplicationCommand::List { json: false } => print_table(context.out, &store.applications().await?),
        ApplicationCommand::Rotate { app } => {
            let application = find(store, &app).await?;
            rotate(&context, store, &application).await?.print(context.out)
        }
        ApplicationCommand::Disable { app } => set_enabled(&mut context, store, &app, false).await,
        ApplicationCommand::Enable { app } => set_enabled(&mut context, store, &app, true).await,
        ApplicationCommand::Grant { app, company, scopes } => {
            let scopes = read_scopes(&scopes)?.unwrap_or_else(usual_scopes);
            change_grant(&mut context, store, (&app, &company), |held| held.union(scopes)).await
        }
        ApplicationCommand::Revoke { app, company, scopes } => {
            let scopes = read_scopes(&scopes)?.unwrap_or_else(Scopes::all);
            change_grant(&mut context, store, (&app, &company), |held| held.difference(scopes)).await
        }
    }
}

/// An application that is to be made.
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) correlation_per_pay_period: bool,
    pub(super) rate_limit_per_minute: Option<u32>,
}

/// An API key with a secret that was just made.
pub(super) struct Made {
    pub(super) client_id: String,
    pub(super) secret: String,
}

impl Made {
    fn print(&self, out: &mut dyn Write) -> Outcome {
        writeln!(out, "client_id      {}\nclient_secret  {}", self.client_id, self.secret)?;
        writeln!(out, "The secret is shown this once: only its hash is kept.")?;
        Ok(())
    }
}

/// Makes an application with its first secret.
///
/// # Errors
/// The name is empty or taken, or the database fails.
pub(super) async fn create(context: &Context<'_>, store: &dyn Store, wanted: Wanted) -> Outcome<Made> {
    let name = wanted.name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(Failure::refused("an application's name has 1 to 100 characters"));
    }
    let (text, secret) = new_secret(&*context.clock, &*context.randomness);
    let new = NewApplication {
        application_id: id_sequence(&*context.clock, &*context.randomness).next_id(),
        name: name.to_owned(),
        client_id: new_client_id(&*context.randomness),
        correlation_ids_last_for_the_pay_period: wanted.correlation_per_pay_period,
        rate_limit_per_minute: wanted.rate_limit_per_minute,
        secret,
    };
    store.create_application(&new).await?.map_err(refused)?;
    Ok(Made { client_id: new.client_id, secret: text })
}

/// Makes an application's next secret.
///
/// # Errors
/// The application is gone, or the database fails.
pub(super) async fn rotate(
    context: &Context<'_>,
    store: &dyn Store,
    application: &Application,
) -> Outcome<Made> {
    let (text, secret) = new_secret(&*context.clock, &*context.randomness);
    store.add_secret(&application.application_id, &secret).await?.map_err(refused)?;
    Ok(Made { client_id: application.client_id.clone(), secret: text })
}

/// Finds an application by its id, API key or name.
///
/// # Errors
/// There is none, or the database fails.
pub(super) async fn find(store: &dyn Store, said: &str) -> Outcome<Application> {
    let applications = store.applications().await?;
    let is_meant = |application: &Application| {
        [application.application_id.as_str(), &application.client_id, &application.name].contains(&said)
    };
    applications.into_iter().find(is_meant).ok_or_else(|| {
        Failure::refused(format!(
            "no application has the id, API key or name {said:?}; `app list` shows them"
        ))
    })
}

async fn set_enabled(context: &mut Context<'_>, store: &dyn Store, said: &str, enabled: bool) -> Outcome {
    let application = find(store, said).await?;
    store.set_enabled(&application.application_id, enabled).await?.map_err(refused)?;
    let state = if enabled { "enabled" } else { "disabled" };
    Ok(writeln!(context.out, "{} is {state}.", application.name)?)
}

async fn change_grant(
    context: &mut Context<'_>,
    store: &dyn Store,
    (said, company): (&str, &str),
    change: impl FnOnce(Scopes) -> Scopes,
) -> Outcome {
    let application = find(store, said).await?;
    let company_id: CompanyId = company
        .parse()
        .map_err(|error| Failure::refused(format!("{company:?} is no company id: {error}")))?;
    let held = application.grants.iter().find(|(granted, _)| *granted == company_id);
    let scopes = change(held.map_or(Scopes::NONE, |(_, scopes)| *scopes));
    store.grant(&application.application_id, &company_id, scopes).await?.map_err(refused)?;
    let scopes = if scopes.is_empty() { "nothing".to_owned() } else { scopes.to_string() };
    Ok(writeln!(context.out, "{} now has on {company_id}: {scopes}", application.name)?)
}

/// The scopes that were named; `None` when none was.
fn read_scopes(words: &[String]) -> Outcome<Option<Scopes>> {
    if words.is_empty() {
        return Ok(None);
    }
    let scopes = Scopes::parse(&words.join(" ").replace(',', " ")).map_err(|unknown| {
        Failure::refused(format!("{unknown:?} is no scope; there are: {}", company_scopes()))
    })?;
    match WITHOUT_COMPANY.into_iter().find(|scope| scopes.contains(*scope)) {
        Some(scope) => {
            let scope = scope.as_str();
            Err(Failure::refused(format!(
                "{scope} is not granted on a company; there are: {}",
                company_scopes()
            )))
        }
        None => Ok(Some(scopes)),
    }
}

/// Every scope that is granted on a company.
pub(super) fn company_scopes() -> Scopes {
    Scopes::all().difference(WITHOUT_COMPANY.into_iter().collect())
}

/// What is granted when nothing is named: whole tax identities are asked for by name.
fn usual_scopes() -> Scopes {
    company_scopes().difference([Scope::ReadTaxIds].into_iter().collect())
}

/// Why the store said no, for people.
pub(super) fn refused(refusal: ApplicationRefusal) -> Failure {
    Failure::refused(match refusal {
        ApplicationRefusal::UnknownApplication => "the application is gone",
        ApplicationRefusal::UnknownCompany => "no company has that id; `import` stores companies",
        ApplicationRefusal::Taken => "another application has that name",
    })
}

fn print_table(out: &mut dyn Write, applications: &[Application]) -> Outcome {
    if applications.is_empty() {
        writeln!(out, "There are no applications; `app create NAME` makes one.")?;
    }
    for application in applications {
        let state = if application.enabled { "enabled" } else { "disabled" };
        let secrets = application.secrets.len();
        writeln!(out, "{} ({state})", application.name)?;
        writeln!(out, "    id {}   API key {}", application.application_id, application.client_id)?;
        writeln!(out, "    secrets {secrets}   correlation ids unique per {}", correlation(application))?;
        if let Some(limit) = application.rate_limit_per_minute {
            writeln!(out, "    {limit} requests a minute")?;
        }
        for (company_id, scopes) in &application.grants {
            writeln!(out, "    on {company_id}: {scopes}")?;
        }
    }
    Ok(())
}

const fn correlation(application: &Application) -> &'static str {
    if application.correlation_ids_last_for_the_pay_period { "payPeriod" } else { "request" }
}

fn print_json(out: &mut dyn Write, applications: &[Application]) -> Outcome {
    let documents: Vec<_> = applications.iter().map(as_json).collect();
    Ok(writeln!(out, "{:#}", serde_json::Value::Array(documents))?)
}

fn as_json(application: &Application) -> serde_json::Value {
    let secrets = application.secrets.iter();
    let grants = application.grants.iter();
    let mut document = json!({
        "applicationId": application.application_id.as_str(),
        "name": application.name,
        "clientId": application.client_id,
        "enabled": application.enabled,
        "correlationScope": correlation(application),
        "secrets": secrets.map(|(id, created)| json!({"secretId": id.as_str(), "createdDate": created.to_string()}))
            .collect::<Vec<_>>(),
        "grants": grants.map(|(id, scopes)| json!({"companyId": id.as_str(), "scopes": scope_words(*scopes)}))
            .collect::<Vec<_>>(),
    });
    if let (Some(limit), Some(members)) = (application.rate_limit_per_minute, document.as_object_mut()) {
        members.insert("rateLimitPerMinute".to_owned(), limit.into());
    }
    document
}

fn scope_words(scopes: Scopes) -> Vec<&'static str> {
    scopes.iter().map(Scope::as_str).collect()
}
