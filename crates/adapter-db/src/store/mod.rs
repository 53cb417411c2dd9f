//! The queries for both databases. This folder is compiled twice: as a module of `sqlite.rs` and as a module
//! of `postgres.rs`. Each module uses the `Conn`, the `Db` and the `dialect` of its parent.

mod access;
mod applications;
mod audit;
mod audit_log;
mod blobs;
mod checks;
mod companies;
mod custom_fields;
mod deliveries;
mod events;
mod export;
mod files;
mod filters;
mod hooks;
mod idempotency;
mod import;
mod lists;
mod objects;
mod operators;
mod parts;
mod periods;
mod requests;
mod reseal;
mod resources;
mod sandbox;
mod schema;
mod search;
mod setup;
mod streams;
mod unreadable_companies;
mod windows;
mod withdrawal;
mod workers;

use std::sync::Arc;

use payroll_domain::id::CompanyId;

use super::{Conn, Db, dialect, fan_out, queue};
use crate::seal::Sealer;
use unreadable_companies::UnreadableCompanies;

#[cfg(test)]
pub(crate) use companies::STATEMENTS_OF_A_PAGE_OF_COMPANIES;
#[cfg(test)]
pub(crate) use resources::SELECT_CHECKS_OF_WORKER;
#[cfg(test)]
pub(crate) use workers::{
    SELECT_DUE_STATUSES, STATEMENTS_OF_CHANGED, STATEMENTS_OF_FAMILY_NAME, STATEMENTS_OF_LAST_FOUR,
};

/// A database with the keys for its encrypted values.
#[derive(Clone)]
pub(crate) struct Store {
    db: Db,
    sealer: Arc<Sealer>,
    unreadable_companies: Arc<UnreadableCompanies>,
}

/// Returns a caller's text in a form for lookups. A query with a NUL character would fail, because
/// PostgreSQL's text cannot contain NUL. NUL is therefore replaced by a character that no stored text
/// contains.
fn remove_nul(text: &str) -> String {
    text.replace('\0', "\u{1}")
}

impl Store {
    /// Creates a store over an open database.
    pub(crate) fn new(db: Db, sealer: Arc<Sealer>) -> Self {
        Self { db, sealer, unreadable_companies: Arc::default() }
    }

    /// Returns a store on the same database for work that concerns one company. On a distributed database,
    /// the returned store uses the node of the company. The work must not store events, because events are
    /// only inserted on the coordinator.
    async fn route_to_node(&self, company_id: &CompanyId) -> Self {
        Self { db: self.db.route_to_node(company_id.as_str()).await, ..self.clone() }
    }
}
