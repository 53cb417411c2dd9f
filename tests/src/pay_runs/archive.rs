//! Tests of archiving checks after their retention period (specification §10.29), and of reading the archive.
//! An interruption must not lose data.

mod folders;

use std::fs;
use std::path::{Path, PathBuf};

use futures_util::future::join;
use payroll_domain::date::Timestamp;
use payroll_ports::archive::{ArchiveClaim, ArchiveFile, ArchiveOutcome, PackChecksOutcome, PeriodKey};
use payroll_ports::write::AuditContext;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{add_and_process_checks, completion_request, transition_request};
use crate::support::{OPEN, Request, Server, check_with_correlation_id, on_every_database_with, with_member};

/// A time in seconds after which the server archives every completed period of the test data.
const SECONDS_UNTIL_ARCHIVING: i64 = 60 * 86_400;
/// A time in seconds that exceeds the lifetime of a claim.
const LONGER_THAN_CLAIM: i64 = 3_600;
/// The number of checks that the partner adds to the archived period. The checks fill more than one block of
/// the archive, and the last block only partly.
const CHECK_COUNT: usize = 300;

/// Returns the folder of the archives for the database with this URL. The URL may be a direct one or that of
/// a pooler.
fn archive_folder(root: &Path, url: &str) -> PathBuf {
    let name =
        url.rsplit_once('@').and_then(|(_, place)| place.split_once('/')).map_or(url, |(_, name)| name);
    root.join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"))
}

/// Runs a test on servers that archive the checks of a period one day after the check date.
fn run_with_archiving(test: impl AsyncFn(&mut Server, &Path)) {
    let root = tempfile::tempdir().expect("a folder");
    let set = |settings: &mut crate::support::Settings| {
        let folder = archive_folder(root.path(), settings.database_url.expose());
        fs::create_dir_all(&folder).expect("a folder");
        settings.check_retention_days = 1;
        settings.check_archive_folder = folder.to_string_lossy().into_owned();
    };
    on_every_database_with(set, async |server| {
        let folder = archive_folder(root.path(), &server.database.url());
        test(server, &folder).await;
    });
}

/// Adds the partner's checks to a period, and completes it with a tax and a deduction for the first check.
/// Returns the ids of the checks.
async fn complete_period(server: &Server) -> Vec<String> {
    let batch =
        |at: usize| -> Value { (0..100).map(|n| check_with_correlation_id(&format!("c{at}-{n}"))).collect() };
    let mut ids = Vec::new();
    for at in 0..CHECK_COUNT / 100 - 1 {
        ids.extend(server.send(&Request::post_checks(OPEN, &batch(at))).await.members("paycheckId"));
    }
    ids.extend(add_and_process_checks(server, &batch(9)).await);
    let handed_in = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "17",
        "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}],
        "deductions": [{"componentId": "GARNISHMENT", "amount": 20}]}]});
    assert_eq!(server.send(&completion_request(&handed_in)).await.status, 200);
    ids
}

/// Advances the clock until the server may archive all completed periods. Returns a housekeeper that has
/// already run once and therefore trusts the clock.
async fn housekeeper(server: &Server) -> payroll_server::app::Housekeeper {
    let mut housekeeper = server.housekeeper();
    housekeeper.run_once().await;
    server.clock.advance_seconds(SECONDS_UNTIL_ARCHIVING);
    server.discard_tokens().await;
    housekeeper
}

fn get_period_request(subpath: &str) -> Request {
    Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY{subpath}"))
}

/// Reads the period, its payroll register and its journal, which archiving must not change. Returns the
/// status, media type, entity tag and body of each response.
async fn read_register_and_journal(server: &Server) -> Vec<(u16, String, String, String)> {
    let json = ["", "/register", "/register?limit=7", "/register?offset=249&limit=2", "/journal"];
    let mut requests: Vec<_> = json.map(get_period_request).into();
    requests.extend(["/register", "/journal"].map(|subpath| get_period_request(subpath).accept("text/csv")));
    let mut shown = Vec::new();
    for request in requests {
        let response = server.send(&request).await;
        let [kind, tag] = ["content-type", "etag"].map(|name| response.header(name).to_owned());
        shown.push((response.status, kind, tag, response.text()));
    }
    shown.push((200, String::new(), String::new(), export_company(server).await));
    shown
}

/// Exports the company `OPEN` as a line that can be imported.
async fn export_company(server: &Server) -> String {
    let request = Request::operator_get(&format!("/export?companyid={OPEN}"));
    server.send_unchecked(&request.accept("application/x-ndjson")).await.text()
}

/// Returns the export of the company. The archived period and its checks have another check date.
async fn export_with_other_date(server: &Server) -> String {
    let mut company: Value = serde_json::from_str(&export_company(server).await).expect("a line");
    let periods = company["payPeriods"].as_array_mut().expect("periods");
    let archived = periods.iter_mut().find(|period| period["payPeriodId"] == "ENTRY").expect("the period");
    archived["checkDate"] = json!("2026-12-24");
    for check in archived["checks"].as_array_mut().expect("checks") {
        if check.get("checkDate").is_some() {
            check["checkDate"] = json!("2026-12-24");
        }
    }
    company.to_string()
}

async fn count_unarchived_checks(server: &Server) -> i64 {
    server.database.query_number("SELECT count(*) FROM checks WHERE pay_period_id = 'ENTRY'").await
}

fn archive_file(folder: &Path) -> PathBuf {
    folder.join(OPEN).join("ENTRY.ndjson")
}

fn read_archived_lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(archive_file(folder)).expect("the archive");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_checks_of_an_old_period_are_archived_and_its_register_is_kept() {
    run_with_archiving(async |server, folder| {
        let ids = complete_period(server).await;
        let before = read_register_and_journal(server).await;
        let mut housekeeper = housekeeper(server).await;
        let events = server.database.query_number("SELECT count(*) FROM events").await;
        assert!(!archive_file(folder).exists());
        housekeeper.run_once().await;
        assert_eq!(count_unarchived_checks(server).await, 0);
        assert_eq!(read_register_and_journal(server).await, before);
        let archived = read_archived_lines(folder);
        let named: Vec<_> = archived.iter().map(|check| check["paycheckId"].as_str().unwrap_or("")).collect();
        assert_eq!(named, ids);
        assert_eq!(
            (&archived[0]["payPeriodId"], &archived[0]["netPay"], &archived[0]["taxes"][0]["amount"]),
            (&json!("ENTRY"), &json!("111.67"), &json!("28.33"))
        );
        assert_eq!(server.database.query_number("SELECT count(*) FROM events").await, events);
        let audit_log =
            server.send(&Request::operator_get("/audit?kind=checks&resourceid=ENTRY&limit=1")).await;
        let row = audit_log.content().remove(0);
        let hash = Sha256::digest(fs::read(archive_file(folder)).expect("the archive"));
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((&row["after"]["sha256"], &row["after"]["checks"]), (&json!(hash), &json!(CHECK_COUNT)));
        assert_eq!(row["actor"]["kind"], "server");
        // The housekeeper also archives the period `COMPLETED` of the test data. A later run writes no
        // archive again.
        assert!(folder.join(OPEN).join("COMPLETED.ndjson").exists());
        let written =
            fs::metadata(archive_file(folder)).and_then(|found| found.modified()).expect("an instant");
        housekeeper.run_once().await;
        assert_eq!(
            fs::metadata(archive_file(folder)).and_then(|found| found.modified()).expect("one"),
            written
        );
    });
}

#[test]
fn requests_for_archived_checks_are_rejected_with_the_reason() {
    run_with_archiving(async |server, _| {
        let ids = complete_period(server).await;
        let list = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"));
        let tag = server.send(&list).await.header("etag").to_owned();
        housekeeper(server).await.run_once().await;
        let own = Request { target: format!("{}&filterbyuserid=true", list.target), ..list.clone() };
        let head = Request { method: Method::HEAD, ..list.clone() };
        let reversal = format!("/companies/{OPEN}/payperiods/INITIAL/reversals");
        let line = export_company(server).await;
        let again = with_member(
            with_member(check_with_correlation_id("again"), "payPeriodId", "INITIAL"),
            "paycheckId",
            ids[0].as_str(),
        );
        for (request, expected) in [
            (Request::post_checks(OPEN, &json!([again])), "405 API-51"),
            (list.clone(), "410 API-410"),
            (list.clone().header("if-none-match", tag), "410 API-410"),
            (own, "410 API-410"),
            (Request::get("/workers/EMPLOYEE/checks?payperiodid=ENTRY&limit=1"), "410 API-410"),
            (list.accept("text/html"), "406 API-75"),
            (Request::get(format!("/workers/EMPLOYEE/checks/{}", ids[0])), "404 API-7"),
            (get_period_request("/checks"), "410 API-410"),
            (Request::operator_post(&reversal, &json!({"paycheckId": ids[0]})), "409 API-409"),
            (Request::operator_post(&reversal, &json!({"paycheckId": "NOBODYS"})), "400 API-48"),
            (transition_request(OPEN, "ENTRY", "reopen"), "409 API-409"),
            (
                Request::operator(
                    Method::DELETE,
                    &format!("/companies/{OPEN}/payperiods/ENTRY/checks/{}", ids[0]),
                ),
                "409 API-409",
            ),
        ] {
            assert_eq!(server.send(&request).await.status_and_code(), expected, "{request:?}");
        }
        assert_eq!(server.send(&head).await.status, 410);
        let words = server.send(&get_period_request("/checks")).await.errors()[0]["description"].to_string();
        assert!(words.contains("were archived"), "{words}");
        let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
        server.database.execute("DELETE FROM checks WHERE worker_id = 'EMPLOYEE'").await;
        let delete = Request::operator_delete(&worker)
            .if_match(server.send(&Request::operator_get(&worker)).await.header("etag"));
        let refused = server.send(&delete).await;
        let words = refused.errors()[0]["description"].to_string();
        assert!(refused.status == 409 && words.contains("the worker has archived checks"), "{words}");
        let period = server.send(&get_period_request("")).await;
        assert_eq!(period.content()[0]["totals"]["checks"], CHECK_COUNT);
        let delete = Request::operator_delete(&format!("/companies/{OPEN}/payperiods/ENTRY"));
        let delete = delete.if_match(period.header("etag"));
        assert_eq!(server.send(&delete).await.status_and_code(), "409 API-409");
        // The export contains the archived checks. Importing it again creates no check.
        let import =
            Request::operator(Method::POST, "/import").header("content-type", "application/x-ndjson");
        let imported = server.send_unchecked(&import.clone().body(line)).await;
        let response: Value = serde_json::from_str(imported.text().trim()).expect("a line");
        assert_eq!(
            (&response["result"], &response["counts"]["created"]),
            (&json!("stored"), &json!(0)),
            "{response}"
        );
        assert_eq!(count_unarchived_checks(server).await, 0);
        let other = export_company(server).await.replace("\"checkNumber\":\"17\"", "\"checkNumber\":\"18\"");
        let refused = server.send_unchecked(&import.clone().body(other)).await.text();
        assert!(refused.contains("API-409") && refused.contains("ENTRY was archived"), "{refused}");
        // A change of the check date is rejected, because the register and the archive contain the date.
        let refused = server.send_unchecked(&import.body(export_with_other_date(server).await)).await.text();
        assert!(refused.contains("so its check date cannot be changed (/payPeriods/"), "{refused}");
    });
}

/// Returns the period that the tests archive.
fn period_key() -> PeriodKey {
    PeriodKey { company_id: OPEN.parse().expect("an id"), pay_period_id: "ENTRY".parse().expect("an id") }
}

fn archive_claim(now: Timestamp) -> ArchiveClaim {
    ArchiveClaim { attempt: "killed".to_owned(), now, expires_at: now.plus_seconds(900) }
}

/// Executes an archiving attempt until just before it writes the file. The test thereby simulates a process
/// that is killed at this point.
async fn run_until_packed(server: &Server) -> ArchiveClaim {
    let claim = archive_claim(payroll_ports::Clock::now(&*server.clock));
    server.store.begin_archive(&period_key(), &claim).await.expect("a store").expect("a claim");
    while server.store.pack_next_checks(&period_key(), &claim).await.expect("a store")
        == PackChecksOutcome::More
    {}
    claim
}

#[test]
fn a_killed_archiving_attempt_starts_again() {
    run_with_archiving(async |server, folder| {
        complete_period(server).await;
        let before = read_register_and_journal(server).await;
        let mut housekeeper = housekeeper(server).await;
        run_until_packed(server).await;
        fs::create_dir_all(folder.join(OPEN)).expect("a folder");
        for left in ["ENTRY.ndjson", "ENTRY.ndjson.killed.part", "ENTRY-2.ndjson.other.part"] {
            fs::write(folder.join(OPEN).join(left), "{\"cut\": ").expect("a file");
        }
        housekeeper.run_once().await;
        assert_eq!(
            count_unarchived_checks(server).await,
            i64::try_from(CHECK_COUNT).expect("few"),
            "the claim holds"
        );
        assert_eq!(read_register_and_journal(server).await, before);
        server.clock.advance_seconds(LONGER_THAN_CLAIM);
        server.discard_tokens().await;
        housekeeper.run_once().await;
        assert_eq!(
            (count_unarchived_checks(server).await, read_archived_lines(folder).len()),
            (0, CHECK_COUNT)
        );
        assert_eq!(read_register_and_journal(server).await, before);
        assert!(!folder.join(OPEN).join("ENTRY.ndjson.killed.part").exists());
        assert!(folder.join(OPEN).join("ENTRY-2.ndjson.other.part").exists(), "that is of another period");
    });
}

#[test]
fn an_archiving_killed_before_the_removal_continues_if_the_file_is_complete() {
    run_with_archiving(async |server, folder| {
        complete_period(server).await;
        let before = read_register_and_journal(server).await;
        let mut housekeeper = housekeeper(server).await;
        let claim = run_until_packed(server).await;
        let content = "what was written\n";
        let sha256 = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        let written = ArchiveFile { checks: CHECK_COUNT as u64, sha256 };
        let audit = AuditContext::for_server_component("housekeeping", claim.now);
        let ended = server.store.end_archive(&period_key(), &claim, &written, &audit).await;
        assert_eq!(ended.expect("a store"), ArchiveOutcome::Done);
        // The archiving is now recorded as complete, so reads use the archive. The checks are still in the
        // database.
        assert_eq!(read_register_and_journal(server).await, before);
        let list = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"));
        assert_eq!(server.send(&list).await.status_and_code(), "410 API-410");
        fs::create_dir_all(folder.join(OPEN)).expect("a folder");
        for content in [None, Some("what was"), Some("what was written\nand more")] {
            if let Some(content) = content {
                fs::write(archive_file(folder), content).expect("a file");
            }
            housekeeper.run_once().await;
            assert_eq!(
                count_unarchived_checks(server).await,
                i64::try_from(CHECK_COUNT).expect("few"),
                "{content:?}"
            );
        }
        fs::write(archive_file(folder), content).expect("a file");
        let store = &server.store;
        let some = store.erase_archived_checks(&period_key(), claim.now, 7).await.expect("a store");
        assert_eq!(some, 7);
        housekeeper.run_once().await;
        assert_eq!(count_unarchived_checks(server).await, 0);
        assert_eq!(fs::read_to_string(archive_file(folder)).expect("a file"), content);
        assert_eq!(read_register_and_journal(server).await, before);
    });
}

#[test]
fn two_simultaneous_housekeepers_archive_each_period_once() {
    run_with_archiving(async |server, folder| {
        complete_period(server).await;
        let before = read_register_and_journal(server).await;
        let mut one = server.housekeeper();
        one.run_once().await;
        let mut other = housekeeper(server).await;
        join(one.run_once(), other.run_once()).await;
        // A housekeeper skips a period that another housekeeper has claimed. One more run therefore archives
        // the remaining periods.
        one.run_once().await;
        assert_eq!(
            (count_unarchived_checks(server).await, read_archived_lines(folder).len()),
            (0, CHECK_COUNT)
        );
        assert_eq!(read_register_and_journal(server).await, before);
        let rows = "SELECT count(*) FROM audit WHERE kind = 'checks' AND actor_kind = 'server'";
        assert_eq!(server.database.query_number(rows).await, 2);
        let left = fs::read_dir(folder.join(OPEN)).expect("a folder").count();
        assert_eq!(left, 2, "no draft is left");
    });
}

#[test]
fn a_change_restarts_the_retention_and_unprocessed_periods_stay() {
    run_with_archiving(async |server, folder| {
        complete_period(server).await;
        let mut housekeeper = housekeeper(server).await;
        let now = payroll_ports::Clock::now(&*server.clock).as_micros();
        let changed = format!("UPDATE pay_periods SET modified = {now} WHERE pay_period_id = 'ENTRY'");
        server.database.execute(&changed).await;
        let open = server.send(&Request::post_checks(OPEN, &check_of_period("INITIAL"))).await;
        assert_eq!(open.status, 201);
        housekeeper.run_once().await;
        assert_eq!(count_unarchived_checks(server).await, i64::try_from(CHECK_COUNT).expect("few"));
        assert!(folder.join(OPEN).join("COMPLETED.ndjson").exists() && !archive_file(folder).exists());
        server.clock.advance_seconds(2 * 86_400);
        server.discard_tokens().await;
        housekeeper.run_once().await;
        assert_eq!(count_unarchived_checks(server).await, 0);
        let open = server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=INITIAL"))).await;
        assert_eq!(open.content().len(), 1);
    });
}

fn check_of_period(period: &str) -> Value {
    crate::support::with_member(check_with_correlation_id("open"), "payPeriodId", period)
}
