//! Storage in SQLite (embedded, the default) and PostgreSQL (for more than one machine).
//!
//! Only [`open`] distinguishes the two databases. The modules of both databases compile the same queries
//! (`store`), each with its own `Conn`, `Db` and `dialect`. Differences in the text of a query are only in
//! the two `dialect` modules:
//!
//! | Written twice | Because |
//! |---|---|
//! | `Conn`, `Db` | SQLite runs a complete unit of work on one blocking thread. Its single writer pauses so that other processes can write. PostgreSQL pools connections and pipelines independent statements. |
//! | `Db::wait_for_deliveries` | With SQLite, only one process sends deliveries. With PostgreSQL, several processes send, and notify each other by `NOTIFY` (`postgres/notifications.rs`). |
//! | `dialect::equals_any!`, `dialect::bind_list`, `dialect::bind_numbers` | A list is an array on PostgreSQL and a JSON text on SQLite. |
//! | `dialect::same_company_condition!` | A distributed PostgreSQL must know the company of a statement. SQLite would choose a different index because of the condition. |
//! | `dialect::prefer_index_scans` | PostgreSQL estimates the rows of one owner from the average of all owners, and may therefore sort instead of using the index. SQLite uses the index. |
//! | `dialect::lock_rows!` | SQLite has one writer and needs no row locks. |
//! | `dialect::lock_company_parents`, `lock_operator_key_creation` | SQLite has one writer. PostgreSQL needs an advisory lock. |
//! | `dialect::bulk_insert`, `dialect::bulk_update`, `dialect::bulk_delete` | PostgreSQL accepts many rows as arrays in one statement. SQLite runs a prepared statement for each row. |
//! | `dialect::feed`, `dialect::lower_restored_transaction_ids` | PostgreSQL may commit events in a different order than it assigns their positions. Each PostgreSQL cluster numbers its transactions independently. |
//! | `fan_out::insert_events` | PostgreSQL inserts events and their deliveries in one statement. If a change has exactly one event and one audit row, the statement also inserts the audit row. SQLite runs prepared statements for each event. |
//! | `queue::CLAIM_DELIVERIES`, `queue::record_attempts` | PostgreSQL locks the rows that it claims and skips locked ones. PostgreSQL accepts many results as arrays. |
//! | `errors::to_failure` | PostgreSQL reports an SQLSTATE, and SQLite a message. |
//! | the migrations | PostgreSQL needs a collation for each text column. SQLite has tables without row ids. |

#![expect(clippy::duplicate_mod, reason = "the queries are compiled once for each database")]

mod backup;
mod columns;
mod connections;
mod error;
mod fan_out;
mod inspect;
mod keys;
#[cfg(test)]
mod migrated;
mod migrations;
mod one_or_many;
mod opening;
mod postgres;
#[cfg(test)]
mod query_plans;
mod rows;
mod seal;
mod settings;
mod sqlite;
mod statement;
#[cfg(test)]
mod statements;
mod table;
mod texts;
mod transfer;
mod write_availability;

pub use crate::backup::{BackupContents, back_up};
pub use crate::inspect::{
    EmbeddedInspection, Inspection, InspectionTarget, PostgresInspection, inspect, is_replica_recent,
};
pub use crate::keys::{MissingKey, OpenError, ResealProgress, format_missing_keys};
pub use crate::migrations::newest_schema_version;
pub use crate::opening::{distribute, migrate, open, open_replica, partition, reseal};
pub use crate::postgres::address::check_url;
pub use crate::postgres::distributed::ClusterInspection;
pub use crate::postgres::durability::{DurabilityWeakness, find_weaknesses};
pub use crate::postgres::partition::{MAX_PARTITIONS, PartitionResult};
pub use crate::settings::{DatabaseSettings, ReplicaSettings, embedded_file};
pub use crate::transfer::{
    AmountTreatment, AnonymiseSettings, CopyError, CopyJob, CopyProgress, CopySummary, transfer_database,
};
