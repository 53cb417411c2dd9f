//! Tests that the previous release still works after each migration (migrations/README.md, rule 2).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Migrations to which rule 2 does not apply, because no release was published before these migrations.
const MIGRATIONS_BEFORE_FIRST_RELEASE: [&str; 4] = [
    "2026-01-01-000000_core",
    "2026-11-22-300000_check_lines",
    "2026-11-24-000000_ids",
    "2026-11-24-100000_compression",
];

/// Returns the reason why a statement breaks rule 2. `None` if the statement follows the rule.
fn find_rule_violation(statement: &str) -> Option<&'static str> {
    let words: Vec<String> = statement.split_whitespace().map(str::to_uppercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let has = |phrase: &[&str]| words.windows(phrase.len()).any(|window| window == phrase);
    match words.as_slice() {
        ["DROP", "INDEX", ..] => None,
        ["DROP", ..] => Some("something is dropped that the release before uses"),
        ["CREATE", "UNIQUE", ..] => Some("what the release before writes may be rejected"),
        ["ALTER", "TABLE", ..] if has(&["DROP"]) => Some("something is dropped that the release before uses"),
        ["ALTER", "TABLE", ..] if has(&["RENAME"]) => Some("the release before uses the old name"),
        ["ALTER", "TABLE", ..] if has(&["ADD", "CONSTRAINT"]) || has(&["SET", "NOT", "NULL"]) => {
            Some("what the release before writes may be rejected")
        }
        ["ALTER", "TABLE", ..] if has(&["TYPE"]) => Some("the release before reads the old type"),
        ["ALTER", "TABLE", ..] if has(&["NOT", "NULL"]) && !has(&["DEFAULT"]) => {
            Some("the release before does not write the column, so it needs a default")
        }
        ["ALTER", "TABLE", _, "ADD", "COLUMN", ..] | ["CREATE", "TABLE" | "INDEX", ..] => None,
        ["INSERT" | "UPDATE", ..] => None,
        _ => Some("whether the release before works with it is not known"),
    }
}

/// Returns the SQL statements of a migration, without comments.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join("\n");
    text.split(';').map(str::trim).filter(|statement| !statement.is_empty()).map(str::to_owned).collect()
}

fn migrations_directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(name)
}

fn migrations(name: &str) -> BTreeSet<String> {
    let folders = std::fs::read_dir(migrations_directory(name)).unwrap();
    folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_previous_release_works_after_every_migration() {
    let mut faults = Vec::new();
    for name in ["sqlite", "postgres"] {
        let bound = |migration: &String| !MIGRATIONS_BEFORE_FIRST_RELEASE.contains(&migration.as_str());
        let later: Vec<_> = migrations(name).into_iter().filter(bound).collect();
        assert!(!later.is_empty());
        for migration in later {
            let text =
                std::fs::read_to_string(migrations_directory(name).join(&migration).join("up.sql")).unwrap();
            let found = statements(&text).into_iter().filter_map(|statement| {
                find_rule_violation(&statement)
                    .map(|fault| format!("{name}/{migration}: {fault}: {statement}"))
            });
            faults.extend(found);
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn both_databases_have_the_same_migrations() {
    assert_eq!(migrations("sqlite"), migrations("postgres"));
}

#[test]
fn detects_statements_that_break_the_previous_release() {
    for bad in [
        "DROP TABLE hooks",
        "alter table hooks drop column uri",
        "ALTER TABLE hooks RENAME COLUMN uri TO address",
        "ALTER TABLE hooks RENAME TO receivers",
        "ALTER TABLE hooks ADD COLUMN weight BIGINT NOT NULL",
        "ALTER TABLE hooks ALTER COLUMN company_id SET NOT NULL",
        "ALTER TABLE hooks ALTER COLUMN failures TYPE INT",
        "ALTER TABLE hooks ADD CONSTRAINT one UNIQUE (uri)",
        "CREATE UNIQUE INDEX one ON hooks (uri)",
        "CREATE TRIGGER one",
    ] {
        assert!(find_rule_violation(bad).is_some(), "{bad}");
    }
    for good in [
        "ALTER TABLE hooks ADD COLUMN weight BIGINT NOT NULL DEFAULT 1",
        "ALTER TABLE hooks ADD COLUMN note TEXT COLLATE \"C\"",
        "CREATE TABLE notes (note TEXT NOT NULL)",
        "CREATE INDEX notes_in_order ON notes (note)",
    ] {
        assert_eq!(find_rule_violation(good), None, "{good}");
    }
    let commented = "-- DROP TABLE hooks;\nCREATE TABLE a (b TEXT); -- DROP\n";
    assert_eq!(statements(commented), ["CREATE TABLE a (b TEXT)"]);
}
