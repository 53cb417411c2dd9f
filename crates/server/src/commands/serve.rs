//! `serve`: the server, until it is told to stop.

use std::io::Write;

use tokio::signal::unix::{SignalKind, signal};

use super::Context;
use crate::app::{self, App};
use crate::failure::{Failure, Outcome};

pub(super) async fn run(context: Context<'_>) -> Outcome {
    let app = app::build(&context.settings, context.clock, context.randomness).await?;
    tracing::info!(address = %app.base_address(), "serving the partner API");
    if app.store().is_empty().await? {
        tell_newcomer(context.out)?;
    }
    until_told_to_stop(app).await
}

/// Serves until SIGTERM or SIGINT, then lets requests under way end.
pub(super) async fn until_told_to_stop(app: App) -> Outcome {
    let no_signals = |error| Failure::caused("signals cannot be received", &error);
    let mut terminate = signal(SignalKind::terminate()).map_err(no_signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(no_signals)?;
    let stopper = app.stopper();
    let mut served = std::pin::pin!(app.run());
    let name = tokio::select! {
        ended = &mut served => return ended,
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    };
    tracing::info!(signal = name, "stopping: requests under way may end");
    let (ended, ()) = tokio::join!(served, stopper.stop());
    tracing::info!("stopped");
    ended
}

fn tell_newcomer(out: &mut dyn Write) -> Outcome {
    writeln!(
        out,
        "The database is empty. Beside this server, in another terminal:\n  \
           payroll-server import companies.ndjson      stores companies\n  \
           payroll-server app create \"First partner\"   makes an application, prints its key and secret\n  \
           payroll-server app grant APP COMPANY        lets it reach a company\n\
         Or stop it and run `payroll-server demo`, which does all of this with made-up data."
    )?;
    Ok(())
}
