//! The queries, written once and compiled for both databases: the folder is mounted by
//! `sqlite.rs` and by `postgres.rs`, and sees the `Conn`, the `Db` and the `dialect` of its parent.

mod access;
mod add_checks;
mod applications;
mod check_facts;
mod check_pages;
mod companies;
mod custom_fields;
mod idempotency;
mod import;
mod lists;
mod schema;
mod streams;

use std::sync::Arc;

use super::{Conn, Db, dialect};
use crate::seal::Sealer;

/// A database with the keys that its secrets are sealed with.
#[derive(Clone)]
pub(crate) struct Store {
    db: Db,
    sealer: Arc<Sealer>,
}

impl Store {
    /// A store over an open database.
    pub(crate) fn new(db: Db, sealer: Arc<Sealer>) -> Self {
        Self { db, sealer }
    }
}
