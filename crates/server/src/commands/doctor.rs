//! `doctor`: looks whether all is as it has to be, and says in words what is not.
//!
//! It changes nothing, makes no file, and calls nobody but the database, the resolver of names and
//! this machine's own listeners. What it looks at is in the files below, one for each part.

mod keys;
mod network;
mod report;
mod settings;
mod storage;

use super::context::Context;
use crate::cli::DoctorArguments;
use crate::failure::{Failure, Outcome};
use report::Report;

pub(super) async fn run(context: Context<'_>, arguments: DoctorArguments) -> Outcome {
    let Context { settings, clock, randomness, out, .. } = context;
    let mut report = Report::default();
    settings::look(&settings, clock.now(), &mut report);
    let keys = keys::look(&settings, &mut report);
    let addresses = storage::look(&settings, keys, (&*clock, randomness), &mut report).await;
    network::look_at_listeners(&settings, &mut report).await;
    network::look_at_receivers(&settings, &addresses, &arguments.host, &mut report).await;
    match arguments.json {
        true => report.print_json(out)?,
        false => report.print(out)?,
    }
    match report.problems() {
        0 => Ok(()),
        1 => Err(Failure::refused("there is a problem")),
        problems => Err(Failure::refused(format!("there are {problems} problems"))),
    }
}
