//! `demo`: serves generated companies in a new database, with two applications, an operator key and a
//! receiver of notifications. The command prints command lines to paste.

mod hook;
mod page;
mod seed;

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use payroll_ports::secrets::signing_secret_text;
use serde_json::json;

use super::context::CommandContext;
use super::nouns::{application, operator_key};
use super::output::{Output, text_member};
use super::serve::Signals;
use super::{listen, serve};
use crate::app::{self, App};
use crate::cli::DemoArguments;
use crate::config::{DatabaseUrl, KeyList, PauseSeconds, SettingOrigin};
use crate::demo_data::{GeneratedPopulation, MAX_TOTAL_WORKERS};
use crate::failure::{Failure, Outcome};
use crate::operator::{Method, OperatorClient, Request, path};
use crate::receiver::SigningKey;
use crate::sandbox::SandboxSeed;
use page::DemoPage;
use seed::{DemoSeed, PARTNER_NAME, READER_NAME};

/// The name of the operator key. Each start replaces the key, because the server does not store the value of
/// a key.
const OPERATOR_NAME: &str = "Demo desk";

/// The settings whose values the demo determines. The demo rejects the flags for these settings.
const DEMO_SETTINGS: [&str; 12] = [
    "database_url",
    "direct_database_url",
    "replica_database_url",
    "keys",
    "key_file",
    "public_base_url",
    "listen",
    "operator_listen",
    "tls_certificate_file",
    "tls_key_file",
    "operator_tls_certificate_file",
    "operator_tls_key_file",
];

pub(super) async fn run(mut context: CommandContext<'_>, arguments: DemoArguments) -> Outcome {
    reject_ignored_flags(&context)?;
    // A temporary folder is deleted when the demo ends. A folder that the user gave with `--keep` is never
    // deleted.
    let temporary = tempfile::tempdir()
        .map_err(|error| Failure::with_cause("a folder for the demo cannot be created", &error))?;
    let folder = arguments.keep.as_deref().unwrap_or(temporary.path());
    apply_demo_settings(&mut context, folder, &arguments);
    let receiver = hook::bind_receiver(&mut context.settings).await?;
    let population = requested_population(&arguments)?;
    let seed = Arc::new(DemoSeed::new(context.clock.clone(), population));
    let (clock, randomness) = (context.clock.clone(), context.randomness.clone());
    let app = app::build_app_with_seed(&context.settings, clock, randomness, Arc::clone(&seed) as _).await?;
    // From here on, the context uses the clock of the sandbox, which operators can set forward.
    context.clock = app.clock();
    let operator = open_operator_api(&context, &app)?;
    if app.store().is_empty().await? {
        create_application(&operator, READER_NAME).await?;
        create_application(&operator, PARTNER_NAME).await?;
        seed.fill_store(&*app.store()).await?;
    } else if population.is_some() {
        return Err(Failure::new(
            "the folder of --keep already contains companies. Use --companies only with a new folder",
        ));
    }
    let (page, key) = create_demo_page(&context, &app, &operator).await?;
    let signals = Signals::register_handlers()?;
    page.print(context.out)?;
    let mut output = Output::new(context.out, false);
    let receiving = receiver.run(hook::REPLY_SETTINGS, Some(&key), context.clock, |received| {
        // If printing fails because the output was closed, the demo continues.
        let _unread = listen::print_request(&mut output, received);
        Ok(())
    });
    tokio::select! {
        ended = serve::run_until_signal(app, signals) => ended,
        failed = receiving => failed,
    }
}

/// Returns the generated companies that the arguments request in addition to the companies of the demo, if
/// any.
fn requested_population(arguments: &DemoArguments) -> Outcome<Option<GeneratedPopulation>> {
    let DemoArguments { seed, workers_per_company: workers, .. } = *arguments;
    let Some(companies) = arguments.companies else { return Ok(None) };
    if u64::from(companies) * u64::from(workers) > MAX_TOTAL_WORKERS {
        return Err(Failure::new(format!(
            "--companies times --workers-per-company must be at most {MAX_TOTAL_WORKERS}"
        )));
    }
    Ok(Some(GeneratedPopulation { seed, companies, workers }))
}

/// Returns the operator API of the demo's own server.
fn open_operator_api(context: &CommandContext<'_>, app: &App) -> Outcome<OperatorClient> {
    let (clock, randomness) = (context.clock.clone(), context.randomness.clone());
    app::create_local_operator(app.store(), &context.settings, clock, randomness).map(OperatorClient::Local)
}

/// Creates a new client secret, operator key and signing secret, and returns the page that the demo prints
/// with these values. The receiver also needs the signing secret.
async fn create_demo_page(
    context: &CommandContext<'_>,
    app: &App,
    operator: &OperatorClient,
) -> Outcome<(DemoPage, SigningKey)> {
    let partner = application::find(operator, PARTNER_NAME).await?;
    let rotated = application::rotate_secret(operator, &partner).await?;
    if let Some(earlier) = operator_key::find(operator, OPERATOR_NAME).await? {
        let request = Request::new(Method::Delete, path(&["keys", text_member(&earlier, "keyId")]));
        operator.send(request).await?;
    }
    let operator_key = operator_key::create(operator, OPERATOR_NAME).await?.single_object()?;
    let secret = hook::register_hook(context, &*app.store(), text_member(&partner, "applicationId")).await?;
    let page = DemoPage {
        base: app.base_address(),
        operator: app.operator_base_address(),
        vendor: context.settings.vendor_token.clone(),
        client_id: text_member(&partner, "clientId").to_owned(),
        client_secret: application::secret_value(&rotated)?,
        operator_key: text_member(&operator_key, "value").to_owned(),
        signing_secret: signing_secret_text(&secret),
    };
    Ok((page, SigningKey::from(&secret)))
}

/// Rejects flags that have no effect in the demo. The same settings in the environment or in a file are
/// silently ignored, because they may be meant for a server.
fn reject_ignored_flags(context: &CommandContext<'_>) -> Outcome {
    let flag = |name: &&&str| matches!(context.sources.get(name), Some((_, SettingOrigin::Flag)));
    match DEMO_SETTINGS.iter().find(flag) {
        None => Ok(()),
        Some(name) => Err(Failure::new(format!(
            "the demo does not accept --{}, because it has its own database, keys and addresses: see \
             --keep, --port and --operator-port",
            name.replace('_', "-")
        ))),
    }
}

/// Replaces the settings for database, keys and addresses, so that the demo does not depend on the user's
/// settings.
fn apply_demo_settings(context: &mut CommandContext<'_>, folder: &Path, arguments: &DemoArguments) {
    let settings = &mut context.settings;
    settings.database_url = DatabaseUrl::embedded(&folder.join("demo.db"));
    settings.keys = KeyList::default();
    settings.key_file = String::new();
    settings.public_base_url = String::new();
    settings.sandbox = true;
    settings.mcp = true;
    // A pause of 0 seconds lets Ctrl-C end the demo at once.
    settings.shutdown_pause_seconds = PauseSeconds(Some(0));
    for file in [
        &mut settings.tls_certificate_file,
        &mut settings.tls_key_file,
        &mut settings.operator_tls_certificate_file,
        &mut settings.operator_tls_key_file,
    ] {
        file.clear();
    }
    settings.listen = ([127, 0, 0, 1], arguments.port).into();
    settings.operator_listen = ([127, 0, 0, 1], operator_port(arguments)).into();
}

/// Returns the port of the operator listener: the port after the partner port if it is free, otherwise 0 for
/// any free port.
fn operator_port(arguments: &DemoArguments) -> u16 {
    let next = || arguments.port.checked_add(1).filter(|_| arguments.port != 0);
    let free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    arguments.operator_port.or_else(|| next().filter(free)).unwrap_or(0)
}

/// Creates an application without permissions. The seed adds the grants of the application together with the
/// companies.
async fn create_application(operator: &OperatorClient, name: &str) -> Outcome {
    let document = json!({"name": name, "webhookScopes": ["read:webhooks", "write:webhooks"]});
    application::create(operator, document).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_listener_uses_a_free_port_if_the_next_one_is_in_use() {
        let arguments = |port, operator_port| DemoArguments {
            keep: None,
            port,
            operator_port,
            seed: 1,
            companies: None,
            workers_per_company: 0,
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(operator_port(&arguments(port - 1, None)), 0);
        assert_eq!(operator_port(&arguments(port - 1, Some(port))), port);
        assert_eq!((operator_port(&arguments(0, None)), operator_port(&arguments(u16::MAX, None))), (0, 0));
    }
}
