//! `listen`: a receiver of notifications, for people who build one.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use hyper::StatusCode;

use super::context::Context;
use super::output::Output;
use super::serve::Signals;
use crate::cli::ListenArguments;
use crate::config::SIGNING_SECRET_VARIABLE;
use crate::failure::{Failure, Outcome};
use crate::receiver::{Answering, Forwarding, ReceivedRequest, Receiver, SigningKey};
use crate::terminal::Table;

pub(super) async fn run(context: Context<'_>, arguments: ListenArguments) -> Outcome {
    let key = key(&arguments)?;
    let status = StatusCode::from_u16(arguments.status)
        .map_err(|error| Failure::caused("--status cannot be answered", &error))?;
    let forwarding = arguments.forward_to.as_deref().map(Forwarding::to).transpose()?;
    let answering = Answering { status, delay: Duration::from_millis(arguments.delay.into()), forwarding };
    let mut signals = Signals::listen()?;
    let receiver = Receiver::bind(SocketAddr::new(arguments.address, arguments.port)).await?;
    tell_begin(&receiver, key.is_some())?;
    let mut output = Output::new(context.out, arguments.json);
    tokio::select! {
        ended = receiver.run(answering, key.as_ref(), context.clock, |received| show(&mut output, received)) => ended,
        _ = signals.next() => Ok(()),
    }
}

/// The secret that signatures are held to, if one is given.
fn key(arguments: &ListenArguments) -> Outcome<Option<SigningKey>> {
    let variable = std::env::var(SIGNING_SECRET_VARIABLE).ok().filter(|text| !text.is_empty());
    let given = arguments.secret.as_ref().map(|secret| secret.expose()).or(variable.as_deref());
    let no_secret = || Failure::new("the signing secret must be whsec_ and the base64 of 24 to 64 bytes");
    given.map(|text| SigningKey::read(text.trim()).ok_or_else(no_secret)).transpose()
}

fn tell_begin(receiver: &Receiver, with_key: bool) -> Outcome {
    let about = if with_key { "" } else { " Without --secret no signature is checked." };
    let address = receiver.address();
    Ok(writeln!(std::io::stderr(), "Notifications are taken at http://{address}.{about} Ctrl-C ends it.")?)
}

/// Shows a request, as a row for people or a document for programs.
pub(super) fn show(output: &mut Output<'_>, received: &ReceivedRequest) -> Outcome {
    if output.is_json() {
        return output.document(received.document().to_string().as_bytes());
    }
    let mut table = Table::default();
    table.row(received.row());
    output.table(&table)
}
