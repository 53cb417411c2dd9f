//! Tests of the retention of checks (specification §10.29): archiving, reading the archive, and that
//! interruptions lose nothing.

use std::fs;
use std::path::{Path, PathBuf};

use futures_util::future::join;
use payroll_domain::date::Timestamp;
use payroll_ports::archive::{ArchiveClaim, ArchiveFile, ArchiveOutcome, PackOutcome, PeriodKey};
use payroll_ports::write::AuditContext;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{complete_with, processed, transition_request};
use crate::support::{OPEN, Request, Response, Server, check, on_every_database_with, with};

/// A time in seconds after which every pay period of the test data is due for archiving.
const LONG_ENOUGH: i64 = 60 * 86_400;
/// A time in seconds that exceeds the lifetime of a claim.
const AFTER_A_CLAIM: i64 = 3_600;
/// The number of checks that the partner adds to the archived period. It is more than one block, and not a
/// multiple of a block.
const CHECKS: usize = 300;

/// Returns the folder of archives for the database with this URL, direct or through a pooler.
fn folder_in(root: &Path, url: &str) -> PathBuf {
    let name =
        url.rsplit_once('@').and_then(|(_, place)| place.split_once('/')).map_or(url, |(_, name)| name);
    root.join(name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"))
}

/// Runs a test on servers that archive checks one day after they were paid.
fn with_archiving(test: impl AsyncFn(&mut Server, &Path)) {
    let root = tempfile::tempdir().expect("a folder");
    let set = |settings: &mut crate::support::Settings| {
        let folder = folder_in(root.path(), settings.database_url.expose());
        fs::create_dir_all(&folder).expect("a folder");
        settings.check_retention_days = 1;
        settings.check_archive_folder = folder.to_string_lossy().into_owned();
    };
    on_every_database_with(set, async |server| {
        let folder = folder_in(root.path(), &server.database.url());
        test(server, &folder).await;
    });
}

/// Completes a period of the partner with taxes, and with a deduction in one of its checks. Returns the ids
/// of the checks.
async fn complete_period(server: &Server) -> Vec<String> {
    let batch = |at: usize| -> Value { (0..100).map(|n| check(&format!("c{at}-{n}"))).collect() };
    let mut ids = Vec::new();
    for at in 0..CHECKS / 100 - 1 {
        ids.extend(server.send(&Request::post_checks(OPEN, &batch(at))).await.members("paycheckId"));
    }
    ids.extend(processed(server, &batch(9)).await);
    let handed_in = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "17",
        "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}],
        "deductions": [{"componentId": "GARNISHMENT", "amount": 20}]}]});
    assert_eq!(server.send(&complete_with(&handed_in)).await.status, 200);
    ids
}

/// Advances the clock until all periods are due for archiving. Returns a housekeeper that trusts the clock.
async fn housekeeper(server: &Server) -> payroll_server::app::Housekeeper {
    let mut housekeeper = server.housekeeper();
    housekeeper.run_once().await;
    server.clock.move_seconds(LONG_ENOUGH);
    server.forget_tokens().await;
    housekeeper
}

fn period_request(below: &str) -> Request {
    Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY{below}"))
}

/// Returns all data that must not change, each with status, media type, entity tag and body.
async fn register_and_journal(server: &Server) -> Vec<(u16, String, String, String)> {
    let json = ["", "/register", "/register?limit=7", "/register?offset=249&limit=2", "/journal"];
    let mut requests: Vec<_> = json.map(period_request).into();
    requests.extend(["/register", "/journal"].map(|below| period_request(below).accept("text/csv")));
    let mut shown = Vec::new();
    for request in requests {
        let response = server.send(&request).await;
        let [kind, tag] = ["content-type", "etag"].map(|name| response.header(name).to_owned());
        shown.push((response.status, kind, tag, response.text()));
    }
    shown.push((200, String::new(), String::new(), exported(server).await));
    shown
}

/// Returns the company as a line of an import.
async fn exported(server: &Server) -> String {
    let request = Request::operator_get(&format!("/export?companyid={OPEN}"));
    server.send_unchecked(&request.accept("application/x-ndjson")).await.text()
}

/// Returns the export of the company with another check date of the archived period.
async fn with_other_date(server: &Server) -> String {
    let mut company: Value = serde_json::from_str(&exported(server).await).expect("a line");
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

async fn live_checks(server: &Server) -> i64 {
    server.database.number("SELECT count(*) FROM checks WHERE pay_period_id = 'ENTRY'").await
}

fn file(folder: &Path) -> PathBuf {
    folder.join(OPEN).join("ENTRY.ndjson")
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file(folder)).expect("the archive");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_checks_of_an_old_period_are_archived_and_its_register_is_kept() {
    with_archiving(async |server, folder| {
        let ids = complete_period(server).await;
        let before = register_and_journal(server).await;
        let mut housekeeper = housekeeper(server).await;
        let events = server.database.number("SELECT count(*) FROM events").await;
        assert!(!file(folder).exists());
        housekeeper.run_once().await;
        assert_eq!(live_checks(server).await, 0);
        assert_eq!(register_and_journal(server).await, before);
        let archived = lines(folder);
        let named: Vec<_> = archived.iter().map(|check| check["paycheckId"].as_str().unwrap_or("")).collect();
        assert_eq!(named, ids);
        assert_eq!(
            (&archived[0]["payPeriodId"], &archived[0]["netPay"], &archived[0]["taxes"][0]["amount"]),
            (&json!("ENTRY"), &json!("111.67"), &json!("28.33"))
        );
        assert_eq!(server.database.number("SELECT count(*) FROM events").await, events);
        let trail = server.send(&Request::operator_get("/audit?kind=checks&resourceid=ENTRY&limit=1")).await;
        let row = trail.content().remove(0);
        let hash = Sha256::digest(fs::read(file(folder)).expect("the archive"));
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((&row["after"]["sha256"], &row["after"]["checks"]), (&json!(hash), &json!(CHECKS)));
        assert_eq!(row["actor"]["kind"], "server");
        // The completed period of the test data is archived too. It is archived only once.
        assert!(folder.join(OPEN).join("COMPLETED.ndjson").exists());
        let written = fs::metadata(file(folder)).and_then(|found| found.modified()).expect("an instant");
        housekeeper.run_once().await;
        assert_eq!(fs::metadata(file(folder)).and_then(|found| found.modified()).expect("one"), written);
    });
}

#[test]
fn requests_for_archived_checks_are_rejected_with_the_reason() {
    with_archiving(async |server, _| {
        let ids = complete_period(server).await;
        let list = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"));
        let tag = server.send(&list).await.header("etag").to_owned();
        housekeeper(server).await.run_once().await;
        let own = Request { target: format!("{}&filterbyuserid=true", list.target), ..list.clone() };
        let head = Request { method: Method::HEAD, ..list.clone() };
        let reversal = format!("/companies/{OPEN}/payperiods/INITIAL/reversals");
        let line = exported(server).await;
        let again = with(with(check("again"), "payPeriodId", "INITIAL"), "paycheckId", ids[0].as_str());
        for (request, expected) in [
            (Request::post_checks(OPEN, &json!([again])), "405 API-51"),
            (list.clone(), "410 API-410"),
            (list.clone().header("if-none-match", tag), "410 API-410"),
            (own, "410 API-410"),
            (Request::get("/workers/EMPLOYEE/checks?payperiodid=ENTRY&limit=1"), "410 API-410"),
            (list.accept("text/html"), "406 API-75"),
            (Request::get(format!("/workers/EMPLOYEE/checks/{}", ids[0])), "404 API-7"),
            (period_request("/checks"), "410 API-410"),
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
            assert_eq!(server.send(&request).await.refusal(), expected, "{request:?}");
        }
        assert_eq!(server.send(&head).await.status, 410);
        let words = server.send(&period_request("/checks")).await.errors()[0]["description"].to_string();
        assert!(words.contains("were archived"), "{words}");
        let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
        server.database.execute("DELETE FROM checks WHERE worker_id = 'EMPLOYEE'").await;
        let delete = Request::operator_delete(&worker)
            .if_match(server.send(&Request::operator_get(&worker)).await.header("etag"));
        let refused = server.send(&delete).await;
        let words = refused.errors()[0]["description"].to_string();
        assert!(refused.status == 409 && words.contains("they have archived checks"), "{words}");
        let period = server.send(&period_request("")).await;
        assert_eq!(period.content()[0]["totals"]["checks"], CHECKS);
        let delete = Request::operator_delete(&format!("/companies/{OPEN}/payperiods/ENTRY"));
        let delete = delete.if_match(period.header("etag"));
        assert_eq!(server.send(&delete).await.refusal(), "409 API-409");
        // An import of the export changes nothing.
        let import =
            Request::operator(Method::POST, "/import").header("content-type", "application/x-ndjson");
        let imported = server.send_unchecked(&import.clone().body(line)).await;
        let response: Value = serde_json::from_str(imported.text().trim()).expect("a line");
        assert_eq!(
            (&response["result"], &response["counts"]["created"]),
            (&json!("stored"), &json!(0)),
            "{response}"
        );
        assert_eq!(live_checks(server).await, 0);
        let other = exported(server).await.replace("\"checkNumber\":\"17\"", "\"checkNumber\":\"18\"");
        let refused = server.send_unchecked(&import.clone().body(other)).await.text();
        assert!(refused.contains("API-409") && refused.contains("ENTRY was archived"), "{refused}");
        // The register and the file contain the check date.
        let refused = server.send_unchecked(&import.body(with_other_date(server).await)).await.text();
        assert!(refused.contains("so its check date cannot be changed (/payPeriods/"), "{refused}");
    });
}

/// Returns the period that the tests archive.
fn period() -> PeriodKey {
    PeriodKey { company_id: OPEN.parse().expect("an id"), pay_period_id: "ENTRY".parse().expect("an id") }
}

fn claim(now: Timestamp) -> ArchiveClaim {
    ArchiveClaim { attempt: "killed".to_owned(), now, expires_at: now.plus_seconds(900) }
}

/// Executes the part of an archiving attempt that precedes its file, like a process that is killed
/// afterwards.
async fn begin_and_pack(server: &Server) -> ArchiveClaim {
    let claim = claim(payroll_ports::Clock::now(&*server.clock));
    server.store.begin_archive(&period(), &claim).await.expect("a store").expect("a claim");
    while server.store.pack_checks(&period(), &claim).await.expect("a store") == PackOutcome::More {}
    claim
}

#[test]
fn an_archiving_killed_before_its_end_starts_again() {
    with_archiving(async |server, folder| {
        complete_period(server).await;
        let before = register_and_journal(server).await;
        let mut housekeeper = housekeeper(server).await;
        begin_and_pack(server).await;
        fs::create_dir_all(folder.join(OPEN)).expect("a folder");
        for left in ["ENTRY.ndjson", "ENTRY.ndjson.killed.part", "ENTRY-2.ndjson.other.part"] {
            fs::write(folder.join(OPEN).join(left), "{\"cut\": ").expect("a file");
        }
        housekeeper.run_once().await;
        assert_eq!(live_checks(server).await, i64::try_from(CHECKS).expect("few"), "the claim holds");
        assert_eq!(register_and_journal(server).await, before);
        server.clock.move_seconds(AFTER_A_CLAIM);
        server.forget_tokens().await;
        housekeeper.run_once().await;
        assert_eq!((live_checks(server).await, lines(folder).len()), (0, CHECKS));
        assert_eq!(register_and_journal(server).await, before);
        assert!(!folder.join(OPEN).join("ENTRY.ndjson.killed.part").exists());
        assert!(folder.join(OPEN).join("ENTRY-2.ndjson.other.part").exists(), "that is of another period");
    });
}

#[test]
fn an_archiving_killed_before_the_removal_continues_if_the_file_is_complete() {
    with_archiving(async |server, folder| {
        complete_period(server).await;
        let before = register_and_journal(server).await;
        let mut housekeeper = housekeeper(server).await;
        let claim = begin_and_pack(server).await;
        let content = "what was written\n";
        let sha256 = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        let written = ArchiveFile { checks: CHECKS as u64, sha256 };
        let audit = AuditContext::server("housekeeping", claim.now);
        let ended = server.store.end_archive(&period(), &claim, &written, &audit).await;
        assert_eq!(ended.expect("a store"), ArchiveOutcome::Done);
        // From here on all reads use the archive, although the checks are still in the database.
        assert_eq!(register_and_journal(server).await, before);
        let list = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"));
        assert_eq!(server.send(&list).await.refusal(), "410 API-410");
        fs::create_dir_all(folder.join(OPEN)).expect("a folder");
        for content in [None, Some("what was"), Some("what was written\nand more")] {
            if let Some(content) = content {
                fs::write(file(folder), content).expect("a file");
            }
            housekeeper.run_once().await;
            assert_eq!(live_checks(server).await, i64::try_from(CHECKS).expect("few"), "{content:?}");
        }
        fs::write(file(folder), content).expect("a file");
        let store = &server.store;
        let some = store.erase_archived(&period(), claim.now, 7).await.expect("a store");
        assert_eq!(some, 7);
        housekeeper.run_once().await;
        assert_eq!(live_checks(server).await, 0);
        assert_eq!(fs::read_to_string(file(folder)).expect("a file"), content);
        assert_eq!(register_and_journal(server).await, before);
    });
}

#[test]
fn archiving_pauses_while_its_folder_is_unusable() {
    with_archiving(async |server, folder| {
        complete_period(server).await;
        let mut housekeeper = housekeeper(server).await;
        let all = i64::try_from(CHECKS).expect("few");
        let elsewhere = folder.with_extension("away");
        fs::rename(folder, &elsewhere).expect("a folder");
        housekeeper.run_once().await;
        assert_eq!(live_checks(server).await, all);
        fs::write(folder, "a file in its place").expect("a file");
        housekeeper.run_once().await;
        assert_eq!(live_checks(server).await, all);
        fs::remove_file(folder).expect("a file");
        fs::rename(&elsewhere, folder).expect("a folder");
        // The folder of archives is writable, but the folder of the company cannot be created.
        fs::write(folder.join(OPEN), "a file in its place").expect("a file");
        housekeeper.run_once().await;
        assert_eq!(live_checks(server).await, all);
        let claims = server.database.number("SELECT count(*) FROM check_archives").await;
        let blocks = server.database.number("SELECT count(*) FROM archived_checks").await;
        assert_eq!((claims, blocks), (0, 0), "the attempt was given up");
        fs::remove_file(folder.join(OPEN)).expect("a file");
        housekeeper.run_once().await;
        assert_eq!((live_checks(server).await, lines(folder).len()), (0, CHECKS));
    });
}

#[test]
fn two_housekeepers_at_once_archive_each_period_once() {
    with_archiving(async |server, folder| {
        complete_period(server).await;
        let before = register_and_journal(server).await;
        let mut one = server.housekeeper();
        one.run_once().await;
        let mut other = housekeeper(server).await;
        join(one.run_once(), other.run_once()).await;
        // A housekeeper skips a period that the other one has claimed, so one more turn completes the work.
        one.run_once().await;
        assert_eq!((live_checks(server).await, lines(folder).len()), (0, CHECKS));
        assert_eq!(register_and_journal(server).await, before);
        let rows = "SELECT count(*) FROM audit WHERE kind = 'checks' AND actor_kind = 'server'";
        assert_eq!(server.database.number(rows).await, 2);
        let left = fs::read_dir(folder.join(OPEN)).expect("a folder").count();
        assert_eq!(left, 2, "no draft is left");
    });
}

#[test]
fn a_change_restarts_the_retention_and_unprocessed_periods_stay() {
    with_archiving(async |server, folder| {
        complete_period(server).await;
        let mut housekeeper = housekeeper(server).await;
        let now = payroll_ports::Clock::now(&*server.clock).as_micros();
        let changed = format!("UPDATE pay_periods SET modified = {now} WHERE pay_period_id = 'ENTRY'");
        server.database.execute(&changed).await;
        let open = server.send(&Request::post_checks(OPEN, &with_period("INITIAL"))).await;
        assert_eq!(open.status, 201);
        housekeeper.run_once().await;
        assert_eq!(live_checks(server).await, i64::try_from(CHECKS).expect("few"));
        assert!(folder.join(OPEN).join("COMPLETED.ndjson").exists() && !file(folder).exists());
        server.clock.move_seconds(2 * 86_400);
        server.forget_tokens().await;
        housekeeper.run_once().await;
        assert_eq!(live_checks(server).await, 0);
        let open = server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=INITIAL"))).await;
        assert_eq!(open.content().len(), 1);
    });
}

fn with_period(period: &str) -> Value {
    crate::support::with(check("open"), "payPeriodId", period)
}

#[test]
fn a_server_without_a_usable_folder_does_not_start() {
    let refused = async |server: &Server, folder: &Path| -> String {
        let mut settings = crate::support::settings(&server.database);
        settings.check_retention_days = 1;
        settings.check_archive_folder = folder.to_string_lossy().into_owned();
        let clock = std::sync::Arc::new(crate::support::ManualClock::new());
        let chance = std::sync::Arc::new(crate::support::RepeatedChance::new());
        let built = payroll_server::app::build(&settings, clock, chance).await;
        built.err().expect("it is refused").to_string()
    };
    with_archiving(async |server, folder| {
        let absent = refused(server, &folder.join("absent")).await;
        assert!(absent.contains("check_archive_folder") && absent.contains("cannot be written"), "{absent}");
        fs::write(folder.join("file"), "").expect("a file");
        let no_folder = refused(server, &folder.join("file")).await;
        assert!(no_folder.contains("is not a folder"), "{no_folder}");
        let response: Response = server.send(&period_request("/register")).await;
        assert_eq!(response.status, 200);
    });
}
