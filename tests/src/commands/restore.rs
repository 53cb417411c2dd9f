//! Tests of `restore`. Afterwards, a server serves the data of the backup, and the previous data are kept.
//! Scheduled backups can be restored too.

use std::path::{Path, PathBuf};

use crate::support::command_line::CommandResult;
use crate::support::process::run_with_variables;
use crate::support::receiver::wait_until;
use crate::support::{
    Database, DatabaseKind, Process, TEST_KEYS, on_every_database_kind, run, run_with_keys,
};

const COUNT_COMPANIES: &str = "SELECT count(*) FROM companies";

/// Creates a backup of the database. Returns the temporary folder, which is deleted when this value is
/// dropped, and the path of the backup.
fn create_backup(database: &Database) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("copy.db").display().to_string();
    assert!(run(database, &["backup", &file], "").status.success());
    (folder, file)
}

fn run_restore(database: &Database, arguments: &[&str]) -> CommandResult {
    run(database, &[&["restore"], arguments].concat(), "").into()
}

fn assert_rejected(result: &CommandResult, reason: &str) {
    assert!(result.code == Some(2) && result.errors.contains(reason), "{reason}: {result:?}");
}

/// Returns the folder of an embedded database.
fn database_folder(database: &Database) -> PathBuf {
    Path::new(&database.url()).parent().expect("a folder").to_owned()
}

/// Returns the names of the files in a folder that begin with this prefix.
fn file_names(folder: &Path, beginning: &str) -> Vec<String> {
    let entries =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let names = entries.map(|name| name.into_string().expect("Unicode"));
    names.filter(|name| name.starts_with(beginning)).collect()
}

#[test]
fn a_restored_backup_is_served_and_the_command_reports_its_contents() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let (_folder, file) = create_backup(database);
        let companies = database.query_number(COUNT_COMPANIES).await;
        let target = Database::Sqlite(tempfile::tempdir().expect("a folder"));
        let result = run_restore(&target, &[&file]);
        assert_eq!(result.code, Some(0), "{result:?}");
        for words in [&format!("({companies} companies"), "The keys decrypt it", "schema"] {
            assert!(result.out.contains(words), "{words}: {result:?}");
        }
        assert_eq!(target.query_number(COUNT_COMPANIES).await, companies);
        assert!(Process::serve(&target).stop_and_read_log().contains("stopped"));
    });
}

#[test]
fn a_database_is_replaced_only_with_force_and_renamed() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let (_folder, file) = create_backup(database);
        let before = database.query_number(COUNT_COMPANIES).await;
        database.execute("CREATE TABLE made_later (number INTEGER)").await;
        assert_rejected(&run_restore(database, &[&file]), "--force");
        let server = Process::serve(database);
        assert_rejected(&run_restore(database, &[&file, "--force"]), "another payroll-server serves");
        drop(server);

        let result = run_restore(database, &[&file, "--force"]);
        assert!(result.code == Some(0) && result.out.contains("The previous database is"), "{result:?}");
        assert_eq!(database.query_number(COUNT_COMPANIES).await, before);
        let later = "SELECT count(*) FROM sqlite_schema WHERE name = 'made_later'";
        assert_eq!(database.query_number(later).await, 0);
        let renamed_files = file_names(&database_folder(database), "payroll.db.before-restore-");
        let renamed_database =
            renamed_files.iter().find(|name| name.ends_with('Z')).expect("the previous database");
        let previous = tempfile::tempdir().expect("a folder");
        for name in file_names(&database_folder(database), renamed_database) {
            let renamed = name.replace(renamed_database, "payroll.db");
            std::fs::copy(database_folder(database).join(&name), previous.path().join(renamed))
                .expect("a copy");
        }
        assert_eq!(
            Database::Sqlite(previous).query_number(later).await,
            1,
            "a change that the backup lacks is kept"
        );
    });
}

#[test]
fn a_file_that_is_no_complete_backup_changes_nothing() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let (copies, file) = create_backup(database);
        let in_folder = |name: &str| copies.path().join(name).display().to_string();
        let write = |name: &str, bytes: &[u8]| std::fs::write(in_folder(name), bytes).expect("a file");
        let complete = std::fs::read(&file).expect("a backup");
        write("letter.txt", b"Dear Sir or Madam");
        write("torn.db", &complete[..complete.len() / 2]);
        let target = Database::Sqlite(tempfile::tempdir().expect("a folder"));
        for (name, reason) in [
            ("missing.db", "there is no file"),
            ("letter.txt", "not an SQLite"),
            ("torn.db", "complete backup"),
        ] {
            assert_rejected(&run_restore(&target, &[&in_folder(name)]), reason);
        }
        let newer = Database::Sqlite(tempfile::tempdir().expect("a folder"));
        std::fs::copy(&file, newer.url()).expect("a copy");
        newer.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99999999999999')").await;
        assert_rejected(&run_restore(&target, &[&newer.url()]), "newer release");
        assert_eq!(file_names(&database_folder(&target), "payroll.db"), ["payroll.db.lock"]);
        assert_eq!(file_names(&database_folder(&target), ".payroll"), [""; 0], "no unfinished copy stays");
        assert_rejected(&run_restore(database, &[&database.url(), "--force"]), "the database itself");
    });
}

#[test]
fn a_backup_of_other_keys_is_rejected_and_missing_keys_are_reported() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let (_folder, file) = create_backup(database);
        let other = "test:HxAeDx0OHA0bDBoLGQoYCRcIFgcVBhQFEwQSAxECEAE=";
        let target = Database::Sqlite(tempfile::tempdir().expect("a folder"));
        let rejected: CommandResult = run_with_keys(&target, other, &["restore", &file]).into();
        assert_rejected(&rejected, "do not decrypt the backup");
        let restored: CommandResult = run_with_keys(&target, "", &["restore", &file]).into();
        assert!(restored.code == Some(0) && restored.out.contains("payroll.db.keys too"), "{restored:?}");
    });
}

#[test]
fn postgresql_is_restored_with_its_own_tools() {
    let url =
        [("PAYROLL_DATABASE_URL", "postgres://pay:hunter2@127.0.0.1:1/pay"), ("PAYROLL_KEYS", TEST_KEYS)];
    let result: CommandResult = run_with_variables(&url, &["restore", "copy.db"], "").into();
    assert_rejected(&result, "pg_restore");
    let result: CommandResult = run_with_variables(&url, &["doctor", "--backup-folder", "/tmp"], "").into();
    assert_rejected(&result, "setting `backup_folder` requires the embedded database");
}

#[test]
fn a_server_makes_scheduled_backups_that_can_be_restored() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let database = Database::with_test_data(DatabaseKind::Sqlite).await;
        let backups = tempfile::tempdir().expect("a folder");
        let folder = backups.path().to_str().expect("Unicode");
        let server = Process::serve_with(&database, &["--backup-folder", folder]);
        wait_until(|| !file_names(backups.path(), "payroll-2").is_empty(), "a scheduled backup").await;
        let other = Database::with_test_data(DatabaseKind::Sqlite).await;
        let second: CommandResult = run(
            &other,
            &[
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--operator-listen",
                "127.0.0.1:0",
                "--backup-folder",
                folder,
            ],
            "",
        )
        .into();
        assert_rejected(&second, "another payroll-server uses");
        let log = server.stop_and_read_log();
        assert!(log.contains("the scheduled backup is complete"), "{log}");

        let file = backups.path().join(&file_names(backups.path(), "payroll-2")[0]);
        let target = Database::Sqlite(tempfile::tempdir().expect("a folder"));
        let result = run_restore(&target, &[file.to_str().expect("Unicode")]);
        assert_eq!(result.code, Some(0), "{result:?}");
        assert_eq!(target.query_number(COUNT_COMPANIES).await, database.query_number(COUNT_COMPANIES).await);
    });
}
