//! Storage on SQLite (the embedded default) and PostgreSQL (for more than one machine).
//!
//! [`open`] is the only place that asks which database it is. Both databases compile the same
//! queries (`store`), each with its own `Conn`, `Db` and `dialect`; what a query says differently
//! is in the two `dialect` modules and nowhere else:
//!
//! | Written twice | Because |
//! |---|---|
//! | `Conn`, `Db` | SQLite runs a unit of work in one hop on a blocking thread, with one writer, who leaves room for other processes; PostgreSQL pools connections and sends independent statements together |
//! | `Db::queued` | on SQLite one process sends; on PostgreSQL any number, which notify each other by `NOTIFY` (`postgres/news.rs`) |
//! | `dialect::any!`, `dialect::list`, `dialect::numbers` | a list is an array on PostgreSQL, a JSON text on SQLite |
//! | `dialect::in_company!` | PostgreSQL may be distributed, and has to know the company of a statement; SQLite would take it for another index |
//! | `dialect::by_index` | PostgreSQL guesses what one of many owns, SQLite takes the index that fits |
//! | `dialect::lock_rows!` | SQLite has one writer, who needs no locks |
//! | `dialect::alone_among_parents` | SQLite has one writer, PostgreSQL an advisory lock |
//! | `dialect::bulk`, `dialect::bulk_update`, `dialect::erase` | PostgreSQL takes many rows as arrays in one statement, SQLite runs a prepared one for each |
//! | `dialect::feed`, `dialect::settle_restored` | PostgreSQL commits in another order than it hands out positions, and counts transactions for each cluster |
//! | `fan_out::tell` | PostgreSQL inserts events and their deliveries in one statement (with the row of the trail, where there is one of each), SQLite runs prepared ones for each event |
//! | `queue::CLAIM`, `queue::record` | PostgreSQL locks what it claims and passes over what is locked, and takes many results as arrays |
//! | `errors::failure` | PostgreSQL reports an SQLSTATE, SQLite has words |
//! | the migrations | collations, and tables without row ids |

#![expect(clippy::duplicate_mod, reason = "the queries are compiled once for each database")]

mod backup;
mod columns;
mod connections;
mod error;
mod fan_out;
mod fixed;
mod inspect;
mod keys;
#[cfg(test)]
mod migrated;
mod migrations;
mod opening;
#[cfg(test)]
mod plans;
mod postgres;
mod rows;
mod seal;
mod settings;
mod sqlite;
#[cfg(test)]
mod statements;
mod table;
mod texts;
mod transfer;
mod writable;

pub use crate::backup::{Copied, back_up};
pub use crate::inspect::{
    EmbeddedInspection, Inspected, Inspection, PostgresInspection, inspect, replica_is_recent,
};
pub use crate::keys::{MissingKey, OpenError, Resealed, list_of_keys};
pub use crate::migrations::newest as newest_schema_version;
pub use crate::opening::{distribute, migrate, open, open_replica, partition, reseal};
pub use crate::postgres::distributed::ClusterInspection;
pub use crate::postgres::durability::{Weakness, weaknesses};
pub use crate::postgres::partition::{MOST_PARTITIONS, Partitioned};
pub use crate::settings::{ReplicaSettings, Settings, embedded_file};
pub use crate::transfer::{Amounts, Anonymise, Move, MoveError, Moved, Progress, transfer};
