//! `partition`: divides the checks of a PostgreSQL database into partitions.

use super::context::CommandContext;
use crate::app;
use crate::cli::PartitionArguments;
use crate::failure::Outcome;

pub(super) async fn run(context: CommandContext<'_>, arguments: PartitionArguments) -> Outcome {
    let partition_count = arguments.count;
    let done = app::partition_checks(&context.settings, partition_count).await?;
    let state = match partition_count {
        1 => "in one table".to_owned(),
        count => format!("in {count} partitions"),
    };
    match done.previous_partitions == partition_count {
        true => writeln!(context.out, "The checks are already {state}.")?,
        false => writeln!(context.out, "The checks are {state} now; {} were moved.", done.checks)?,
    }
    Ok(())
}
