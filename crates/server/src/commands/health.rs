//! `health`: queries whether the server of these settings is ready. A container without a shell can use the
//! command as its health check.

use std::time::Duration;

use super::context::CommandContext;
use crate::failure::{Failure, Outcome};
use crate::readiness::{self, Readiness};

/// The time limit for the response, which is shorter than the default timeout of container health checks (30
/// seconds).
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);

pub(super) async fn run(context: CommandContext<'_>) -> Outcome {
    let settings = &context.settings;
    let address = settings.listen;
    if address.port() == 0 {
        return Err(Failure::new(
            "`listen` has port 0, so the port of the server is unknown. Set a fixed port",
        ));
    }
    let readiness =
        readiness::query_readiness(address, !settings.tls_certificate_file.is_empty(), REQUEST_TIMEOUT).await;
    match readiness {
        Ok(Readiness { ready: true, .. }) => Ok(writeln!(context.out, "ready")?),
        Ok(Readiness { problems, .. }) => {
            Err(Failure::refused(format!("not ready: {}", problems.join("; "))))
        }
        Err(problem) => Err(Failure::refused(format!("`listen` {address}: {problem}"))),
    }
}
