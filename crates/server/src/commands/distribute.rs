//! `distribute`: distributes the tables of a PostgreSQL database over the nodes of its cluster.

use super::context::Context;
use crate::app;
use crate::cli::DistributeArguments;
use crate::failure::Outcome;

pub(super) async fn run(context: Context<'_>, arguments: DistributeArguments) -> Outcome {
    match app::distribute(&context.settings, arguments.shards).await?.len() {
        0 => writeln!(context.out, "Nothing is left to do: the tables are distributed.")?,
        1 => writeln!(context.out, "1 table is distributed now, as the others are.")?,
        count => writeln!(
            context.out,
            "{count} tables are distributed. `payroll-server doctor` looks whether all machines are well."
        )?,
    }
    Ok(())
}
