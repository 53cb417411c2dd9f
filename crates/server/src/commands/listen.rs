//! `listen`: receives and prints notifications, for developers of webhook receivers.

mod registration;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;

use super::context::CommandContext;
use super::output::Output;
use super::serve::Signals;
use crate::cli::ListenArguments;
use crate::config::SIGNING_SECRET_VARIABLE;
use crate::failure::{Failure, Outcome};
use crate::receiver::{Forwarding, ReceivedRequest, Receiver, ReplySettings, SigningKey};
use crate::terminal::Table;
use registration::Registration;

pub(super) async fn run(context: CommandContext<'_>, arguments: ListenArguments) -> Outcome {
    let given = read_signing_key(&arguments)?;
    let status = StatusCode::from_u16(arguments.status)
        .map_err(|error| Failure::with_cause("--status is invalid", &error))?;
    let forwarding = arguments.forward_to.as_deref().map(Forwarding::to_address).transpose()?;
    let answering =
        ReplySettings { status, delay: Duration::from_millis(arguments.delay.into()), forwarding };
    let mut signals = Signals::register_handlers()?;
    let receiver = Receiver::bind(SocketAddr::new(arguments.address, arguments.port)).await?;
    let registration = match &arguments.registering.register {
        Some(base) => {
            let registering = Registration::register_hook(&arguments.registering, base, &*context.randomness);
            let clock = Arc::clone(&context.clock);
            Some(receiver.run_during_registration(clock, registering).await?)
        }
        None => None,
    };
    let registered = registration.as_ref().and_then(|hook| SigningKey::read(hook.signing_secret.expose()));
    let key = registered.or(given);
    let hook_id = registration.as_ref().map(Registration::hook_id);
    let mut output = Output::new(context.out, arguments.json);
    let ended = match print_listening_message(&receiver, key.is_some(), hook_id) {
        Ok(()) => tokio::select! {
            ended = receiver.run(answering, key.as_ref(), context.clock, |received| print_request(&mut output, received)) => ended,
            _ = signals.next() => Ok(()),
        },
        failed => failed,
    };
    // The hook is removed even after an error. Otherwise its deliveries would stay queued without a receiver.
    let removed = match registration {
        Some(hook) => hook.remove_hook().await,
        None => Ok(()),
    };
    ended.and(removed)
}

/// Returns the key that verifies signatures: from the arguments, or else from the environment. `None` if
/// neither contains a key.
fn read_signing_key(arguments: &ListenArguments) -> Outcome<Option<SigningKey>> {
    let variable = std::env::var(SIGNING_SECRET_VARIABLE).ok().filter(|text| !text.is_empty());
    let given = arguments.secret.as_ref().map(|secret| secret.expose()).or(variable.as_deref());
    let no_secret = || {
        Failure::new(
            "the signing secret must be whsec_ and the base64 of 24 to 64 bytes, or a public key: whpk_ and the base64 of 32 \
         bytes",
        )
    };
    given.map(|text| SigningKey::read(text.trim()).ok_or_else(no_secret)).transpose()
}

fn print_listening_message(receiver: &Receiver, with_key: bool, hook_id: Option<&str>) -> Outcome {
    let about = match hook_id {
        Some(hook_id) => format!(" Hook {hook_id} is registered until then."),
        None if with_key => String::new(),
        None => " Without --secret no signature is checked.".to_owned(),
    };
    let address = receiver.address();
    Ok(writeln!(
        std::io::stderr(),
        "Notifications are accepted at http://{address}.{about} Press Ctrl-C to stop."
    )?)
}

/// Prints a received request: a row of a table, or a JSON document with `--json`.
pub(super) fn print_request(output: &mut Output<'_>, received: &ReceivedRequest) -> Outcome {
    if output.is_json() {
        return output.print_document(received.document().to_string().as_bytes());
    }
    let mut table = Table::default();
    table.add_row(received.table_row());
    output.print_table(&table)
}
