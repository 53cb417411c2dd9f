//! Tests of archive folders that cannot be used.

use super::{
    CHECK_COUNT, complete_period, count_unarchived_checks, get_period_request, housekeeper,
    read_archived_lines, run_with_archiving,
};
use crate::support::{OPEN, Response, Server};
use std::fs;
use std::path::Path;

#[test]
fn a_server_without_a_usable_folder_does_not_start() {
    let refused = async |server: &Server, folder: &Path| -> String {
        let mut settings = crate::support::settings(&server.database);
        settings.check_retention_days = 1;
        settings.check_archive_folder = folder.to_string_lossy().into_owned();
        let clock = std::sync::Arc::new(crate::support::ManualClock::new());
        let chance = std::sync::Arc::new(crate::support::RepeatableRandomness::new());
        let built = payroll_server::app::build_app(&settings, clock, chance).await;
        built.err().expect("it is refused").to_string()
    };
    run_with_archiving(async |server, folder| {
        let absent = refused(server, &folder.join("absent")).await;
        assert!(absent.contains("check_archive_folder") && absent.contains("cannot be written"), "{absent}");
        fs::write(folder.join("file"), "").expect("a file");
        let no_folder = refused(server, &folder.join("file")).await;
        assert!(no_folder.contains("is not a folder"), "{no_folder}");
        let response: Response = server.send(&get_period_request("/register")).await;
        assert_eq!(response.status, 200);
    });
}

#[test]
fn archiving_pauses_while_its_folder_is_unusable() {
    run_with_archiving(async |server, folder| {
        complete_period(server).await;
        let mut housekeeper = housekeeper(server).await;
        let all = i64::try_from(CHECK_COUNT).expect("few");
        let elsewhere = folder.with_extension("away");
        fs::rename(folder, &elsewhere).expect("a folder");
        housekeeper.run_once().await;
        assert_eq!(count_unarchived_checks(server).await, all);
        fs::write(folder, "a file in its place").expect("a file");
        housekeeper.run_once().await;
        assert_eq!(count_unarchived_checks(server).await, all);
        fs::remove_file(folder).expect("a file");
        fs::rename(&elsewhere, folder).expect("a folder");
        // The archive folder is writable, but a file prevents the creation of the company's folder.
        fs::write(folder.join(OPEN), "a file in its place").expect("a file");
        housekeeper.run_once().await;
        assert_eq!(count_unarchived_checks(server).await, all);
        let claims = server.database.query_number("SELECT count(*) FROM check_archives").await;
        let blocks = server.database.query_number("SELECT count(*) FROM archived_checks").await;
        assert_eq!((claims, blocks), (0, 0), "the attempt was given up");
        fs::remove_file(folder.join(OPEN)).expect("a file");
        housekeeper.run_once().await;
        assert_eq!(
            (count_unarchived_checks(server).await, read_archived_lines(folder).len()),
            (0, CHECK_COUNT)
        );
    });
}
