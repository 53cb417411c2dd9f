//! `doctor`: checks the setup, and describes each problem.

use super::context::CommandContext;
use crate::cli::DoctorArguments;
use crate::doctor::run_diagnostics;
use crate::failure::{Failure, Outcome};

pub(super) async fn run(context: CommandContext<'_>, arguments: DoctorArguments) -> Outcome {
    let CommandContext { settings, clock, randomness, out, .. } = context;
    let report = run_diagnostics(&settings, (&*clock, randomness), &arguments.host).await;
    match arguments.json {
        true => report.print_json(out)?,
        false => report.print(out)?,
    }
    match report.count_problems() {
        0 => Ok(()),
        1 => Err(Failure::refused("there is a problem")),
        problems => Err(Failure::refused(format!("there are {problems} problems"))),
    }
}
