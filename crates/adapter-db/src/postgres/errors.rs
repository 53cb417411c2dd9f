//! Classifies PostgreSQL's errors by their SQLSTATE ("PostgreSQL Error Codes" in its manual).

use super::reports::{ErrorReport, RecentErrorReports};
use crate::error::Failure;

/// Source files of PostgreSQL that write data. An exceeded quota and a read-only file system have no SQLSTATE
/// of their own. PostgreSQL reports these failures as an internal error (XX000) or a missing permission
/// (42501), from one of these files.
const STORAGE_SOURCE_FILES: [&str; 8] =
    ["buffile.c", "copydir.c", "fd.c", "md.c", "relmapper.c", "slru.c", "smgr.c", "xlog.c"];

/// Converts an error of PostgreSQL to the failure that matches its SQLSTATE.
pub(crate) fn to_failure(error: diesel::result::Error, reports: &RecentErrorReports) -> Failure {
    Failure::from_diesel_error(error, |message| {
        report_to_failure(&reports.find_by_message(message)?, message)
    })
}

fn report_to_failure(report: &ErrorReport, message: &str) -> Option<Failure> {
    let unavailable = || Some(Failure::Unavailable(message.to_owned()));
    let unwritable = || Some(Failure::Unwritable(message.to_owned()));
    match (report.code.as_str(), report.code.get(..2).unwrap_or_default()) {
        // The statement failed because of a deadlock or a lock timeout.
        ("40P01" | "55P03", _) => Some(Failure::Busy),
        // A sum or a cast exceeds 64 bits (numeric_value_out_of_range).
        ("22003", _) => Some(Failure::TotalTooLarge),
        // The server is read-only.
        ("25006", _) => unwritable(),
        // The disk is full or broken, or temporary files exceed their limit.
        ("53100" | "53400" | "58030", _) => unwritable(),
        ("XX000" | "42501", _) if STORAGE_SOURCE_FILES.contains(&report.file.as_str()) => unwritable(),
        // A standby cancelled the read because of replication, or the transaction ran or was idle for too
        // long.
        ("40001" | "25P03" | "25P04", _) => unavailable(),
        // The database accepts no connections. A pooler reports this error in a session that already exists.
        ("55000", _) => unavailable(),
        // The connection broke, the server has too little memory or too many connections, the statement timed
        // out, or the server stops or starts.
        (_, "08" | "53" | "57") => unavailable(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_errors_by_their_code() {
        let meaning = |code: &str, file: &str| {
            let report =
                ErrorReport { code: code.to_owned(), file: file.to_owned(), ..ErrorReport::default() };
            match report_to_failure(&report, "lock timeout") {
                Some(Failure::Busy) => "busy",
                Some(Failure::Unavailable(_)) => "unavailable",
                Some(Failure::Unwritable(_)) => "unwritable",
                Some(Failure::TotalTooLarge) => "too large",
                _ => "bug",
            }
        };
        for (code, file, expected) in [
            ("40P01", "deadlock.c", "busy"),
            ("55P03", "postgres.c", "busy"),
            ("22003", "numeric.c", "too large"),
            ("25006", "utility.c", "unwritable"),
            ("53100", "md.c", "unwritable"),
            ("53400", "fd.c", "unwritable"),
            ("58030", "md.c", "unwritable"),
            ("XX000", "md.c", "unwritable"),
            ("42501", "fd.c", "unwritable"),
            ("40001", "postgres.c", "unavailable"),
            ("08006", "", "unavailable"),
            ("08P01", "", "unavailable"),
            ("25P03", "postgres.c", "unavailable"),
            ("53200", "mcxt.c", "unavailable"),
            ("53300", "proc.c", "unavailable"),
            ("55000", "postinit.c", "unavailable"),
            ("57014", "postgres.c", "unavailable"),
            ("57P01", "postgres.c", "unavailable"),
            ("57P02", "postgres.c", "unavailable"),
            ("57P03", "postmaster.c", "unavailable"),
            ("42501", "aclchk.c", "bug"),
            ("XX000", "execMain.c", "bug"),
            ("42601", "scan.l", "bug"),
            ("", "", "bug"),
        ] {
            assert_eq!(meaning(code, file), expected, "{code} {file}");
        }
    }
}
