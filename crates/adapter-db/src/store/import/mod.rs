//! Import: a whole company in one transaction, writing only what differs.
//!
//! What is stored of the company is read, compared in memory with the file's rows, and the
//! difference is written in bulk: importing the same file again writes nothing.

mod company;
mod diff;
mod lists;
mod periods;
mod references;
mod workers;

use async_trait::async_trait;
use payroll_domain::company::WholeCompany;
use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::import::{ImportCounts, ImportStore, Imported};

use super::{Conn, Store, dialect};
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, command};
use crate::seal::Sealer;

#[async_trait]
impl ImportStore for Store {
    async fn import_company(&self, whole: &WholeCompany, now: Timestamp) -> Result<Imported, StoreError> {
        let (whole, sealer) = (whole.clone(), self.sealer.clone());
        let import = Import { whole, now, sealer };
        match self.db.write(move |conn| Box::pin(async move { store(conn, &import).await })).await {
            Err(Failure::Refused(problems)) => Ok(Imported::Refused(problems)),
            Err(Failure::Taken(name)) => {
                Ok(Imported::Refused(vec![format!("An id or a name is in use already ({name}).")]))
            }
            other => Ok(other?),
        }
    }
}

/// One company of a file, with what storing it needs.
struct Import {
    whole: WholeCompany,
    now: Timestamp,
    sealer: std::sync::Arc<Sealer>,
}

impl Import {
    fn company_id(&self) -> &str {
        self.whole.company.company_id.as_str()
    }

    /// The objects of a list, each with its place in the order of creation.
    fn numbered<'a, T>(&self, objects: &'a [T]) -> impl Iterator<Item = (i64, &'a T)> {
        let from = self.now.as_micros();
        objects.iter().enumerate().map(move |(place, object)| {
            (from.saturating_add(i64::try_from(place).unwrap_or(i64::MAX)), object)
        })
    }
}

async fn store(conn: &Conn, import: &Import) -> Outcome<Imported> {
    const NEW_VERSION: &str = "UPDATE companies SET version = version + 1 WHERE company_id = $1";
    let stored = company::lock(conn, import).await?;
    if stored.as_ref().is_some_and(|row| company::is_locked(row, import.now)) {
        return Ok(Imported::Locked);
    }
    references::check(conn, import).await?;
    let mut counts = company::store(conn, import, stored).await?;
    add(&mut counts, lists::store(conn, import).await?);
    add(&mut counts, periods::store(conn, import).await?);
    add(&mut counts, workers::store(conn, import).await?);
    if counts.created + counts.changed > 0 {
        conn.execute(command(NEW_VERSION, binds![import.company_id()])).await?;
    }
    Ok(Imported::Stored(counts))
}

fn add(sum: &mut ImportCounts, more: ImportCounts) {
    sum.created += more.created;
    sum.changed += more.changed;
    sum.unchanged += more.unchanged;
}
