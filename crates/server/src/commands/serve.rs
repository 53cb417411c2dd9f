//! `serve`: runs the server until a signal stops it.

use std::io::Write;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::context::CommandContext;
use crate::app::{self, App};
use crate::cli::ServeArguments;
use crate::config::Setting;
use crate::database_file;
use crate::failure::{Failure, Outcome};
use crate::webhooks;

pub(super) async fn run(context: CommandContext<'_>, arguments: ServeArguments) -> Outcome {
    if !arguments.create {
        database_file::check_database_not_lost(&context.settings)?;
    }
    let app = app::build_app(&context.settings, context.clock, context.randomness).await?;
    // The handlers are registered before the server reports that it serves, because from then on a supervisor
    // may stop the server with a signal.
    let signals = Signals::register_handlers()?;
    let (version, database) = (env!("CARGO_PKG_VERSION"), context.settings.database_url.show());
    let (operator, [certificate_ends, operator_certificate_ends]) =
        (app.operator_base_address(), app.certificate_expiries());
    tracing::info!(
        address = %app.base_address(),
        operator,
        certificate_ends,
        operator_certificate_ends,
        database,
        version,
        "serving"
    );
    let unusable = webhooks::find_unusable_source_addresses(&context.settings);
    unusable.iter().for_each(|says| tracing::warn!("{says}"));
    // The query only decides whether a hint is printed. The server also starts if the query fails.
    if app.store().is_empty().await.unwrap_or(false) {
        print_first_steps(context.out)?;
    }
    run_until_signal(app, signals).await
}

/// Serves until SIGTERM or SIGINT, then lets requests in progress finish. A second signal stops the server
/// immediately.
pub(super) async fn run_until_signal(app: App, mut signals: Signals) -> Outcome {
    let stopper = app.stop_handle();
    let mut served = std::pin::pin!(app.run());
    let name = tokio::select! {
        ended = &mut served => return ended,
        name = signals.next() => name,
    };
    tracing::info!(signal = name, "the server is stopping, and completes the requests in progress");
    let drained = async { tokio::join!(served, stopper.stop()).0 };
    tokio::select! {
        ended = drained => {
            tracing::info!("stopped");
            ended
        }
        name = signals.next() => {
            Err(Failure::new(format!("received a second {name} before all requests in progress had ended")))
        }
    }
}

/// The signals that stop the server.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn register_handlers() -> Outcome<Self> {
        let listen =
            |kind| signal(kind).map_err(|error| Failure::with_cause("signals cannot be received", &error));
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    /// Waits for a signal and returns its name.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

fn print_first_steps(out: &mut dyn Write) -> Outcome {
    writeln!(
        out,
        "The database is empty. Run these commands on this machine, in another terminal:\n  \
           payroll-server operator-key create NAME     creates an operator key and prints it once\n  \
           payroll-server import companies.ndjson      stores companies\n  \
           payroll-server app create \"First partner\"   creates an application and prints its key and secret\n  \
           payroll-server app grant APP COMPANY        gives it access to a company\n\
         Or stop the server and run `payroll-server demo`, which does all of this with sample data."
    )?;
    Ok(())
}
