//! Whether the embedded database was copied lately, where copies are made by `backup`.

use indicatif::HumanBytes;
use payroll_domain::date::Timestamp;

use super::report::Report;
use crate::backup_note;
use crate::config::Settings;

const AREA: &str = "backup";
/// Who makes copies makes them at least once a week: what was changed since would be lost with the disk.
const OLD_SECONDS: i64 = 7 * 24 * 3600;

pub(super) fn look(settings: &Settings, now: Timestamp, report: &mut Report) {
    let Some(database) = settings.database_url.embedded_path() else {
        return report
            .fine(AREA, "PostgreSQL is copied by its own tools, of which this server does not know");
    };
    let Some(last) = backup_note::read(&database) else {
        if !database.exists() {
            return report.fine(AREA, "there is nothing to copy yet");
        }
        return report.warning(
            AREA,
            "no copy by `payroll-server backup` is known",
            "make one, and have a timer make them: `payroll-server backup FILE`. If another tool copies the \
             database, you can ignore this",
        );
    };
    let (made, file, bytes) = (last.made, &last.file, HumanBytes(last.bytes));
    let says = format!("the last copy by `payroll-server backup` was made at {made}: {file}, {bytes}");
    match now.as_seconds() - made.as_seconds() > OLD_SECONDS {
        true => report.warning(
            AREA,
            says,
            "make another one, and have a timer make them: `payroll-server backup FILE`",
        ),
        false => report.fine(AREA, says),
    }
}
