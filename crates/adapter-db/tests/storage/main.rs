//! Storage on both databases: SQLite always, PostgreSQL where `TEST_DATABASE_URL` names a server.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod contract;
mod databases;
mod races;
mod support;
