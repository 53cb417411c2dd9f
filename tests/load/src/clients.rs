//! Operations with different numbers of clients, each of which sends one request after another.

use crate::Failure;
use crate::database::Database;
use crate::measure::{RunPlan, measure_operations};
use crate::report::{TABLE_HEAD, format_rows};
use crate::stage::LoadFixture;

/// The numbers of simultaneous clients.
const CLIENTS: [usize; 4] = [1, 8, 64, 256];

const BATCH: &str = "POST 100 checks of 3 lines";
/// The names of the measured operations.
const OPERATIONS: [&str; 5] =
    ["POST one check of 3 lines", BATCH, "PATCH a communication", "token", "GET companies"];
/// The maximum number of clients that add batches. More batches in progress need more memory than the server
/// gives to one application, so some of them would get 429.
const MAX_BATCH_CLIENTS: usize = 64;

/// Measures on both databases and prints the table of docs/benchmarks.md.
pub(crate) async fn measure(plan: RunPlan, only: &str, postgres: &str) -> Result<(), Failure> {
    println!("{TABLE_HEAD}");
    for database in [Database::create_sqlite()?, Database::create_postgres(postgres).await?] {
        let stage = LoadFixture::set_up(&database).await?;
        for operation in OPERATIONS.into_iter().filter(|name| name.starts_with(only)) {
            for clients in CLIENTS {
                if operation == BATCH && clients > MAX_BATCH_CLIENTS {
                    continue;
                }
                for row in measure_operations(&stage, RunPlan { clients, ..plan }, operation).await? {
                    println!("{}", format_rows(&row));
                }
            }
        }
    }
    Ok(())
}
