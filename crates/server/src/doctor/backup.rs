//! Checks that there is a recent backup of the embedded database.

mod litestream;

use indicatif::HumanBytes;
use payroll_domain::date::Timestamp;

use super::report::DiagnosticsReport;
use crate::backup::scheduled_backup_folder;
use crate::backup_note;
use crate::config::Settings;

const AREA: &str = "backup";
const SECONDS_OF_AN_HOUR: i64 = 3_600;
/// The advice if there is no recent backup.
const BACKUP_ADVICE: &str =
    "create one with `payroll-server backup FILE`, and set `backup_folder` for scheduled backups";

pub(super) fn check_backups(settings: &Settings, now: Timestamp, report: &mut DiagnosticsReport) {
    let Some(database) = settings.database_url.embedded_path() else {
        return report.add_ok(
            AREA,
            "PostgreSQL is backed up with its own tools, and this server cannot see those backups",
        );
    };
    check_folder(settings, report);
    let Some(last) = backup_note::read_backup_note(&database) else {
        if !database.exists() {
            return report.add_ok(AREA, "there is no database to back up yet");
        }
        if let Some(replication) = litestream::Replication::find_replica(&database) {
            return replication.add_to_report(AREA, report);
        }
        return report.add_warning(
            AREA,
            "no backup by `payroll-server backup` is known",
            format!("{BACKUP_ADVICE}. If another tool copies the database, you can ignore this"),
        );
    };
    let (created, file, bytes) = (last.created, &last.file, HumanBytes(last.bytes));
    let says =
        format!("the last backup by `payroll-server backup` was created at {created}: {file}, {bytes}");
    let max_age_seconds = i64::from(settings.backup_max_age_hours) * SECONDS_OF_AN_HOUR;
    if now.as_seconds() - created.as_seconds() <= max_age_seconds {
        return report.add_ok(AREA, says);
    }
    if let Some(replication) = litestream::Replication::find_replica(&database) {
        return replication.add_to_report(AREA, report);
    }
    let advice = match settings.backup_folder.is_empty() {
        true => BACKUP_ADVICE,
        false => "the server's log has the reason why scheduled backups fail: search it for `backup`",
    };
    report.add_warning(AREA, says, advice);
}

/// Checks that the folder of scheduled backups exists. The server does not start without this folder.
fn check_folder(settings: &Settings, report: &mut DiagnosticsReport) {
    let Some(folder) = scheduled_backup_folder(settings).filter(|folder| !folder.is_dir()) else { return };
    let says = format!("`backup_folder` {} is not a folder", folder.display());
    report.add_problem(AREA, says, "create it for the user who runs the server");
}
