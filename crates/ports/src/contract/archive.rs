//! Contract tests for archiving the checks of processed pay periods.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::TryStreamExt;
use payroll_domain::access::{Caller, Scope};
use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::check::RegisterCheck;
use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::date::Timestamp;

use super::totals::processed_check;
use super::world::{NOW, company, create_company_and_caller, day, id, import_audit_context, import_company};
use crate::archive::{
    ArchiveClaim, ArchiveCriteria, ArchiveFile, ArchiveOutcome, DuePeriod, PackChecksOutcome, PeriodKey,
};
use crate::audit::AuditQuery;
use crate::checks::{CheckKey, CheckRows, ChecksQuery};
use crate::export::ExportItem;
use crate::import::{ImportOutcome, ImportRules};
use crate::periods::PeriodRegister;
use crate::reversals::OriginalCheck;
use crate::write::AuditContext;
use crate::{Store, Window};

/// The number of checks in these tests, which fill more than two blocks.
const CHECK_COUNT: u64 = 601;
/// An instant at which all test data meets the criteria for the archive.
const MONTH_LATER: Timestamp = NOW.plus_seconds(30 * 86_400);

fn closed_period() -> PeriodKey {
    PeriodKey { company_id: id("acme"), pay_period_id: id("closed") }
}

fn archive_criteria(before: &str, unchanged_since: Timestamp) -> ArchiveCriteria {
    ArchiveCriteria { paid_before: day(before), unchanged_since }
}

fn archive_claim(attempt: &str, now: Timestamp) -> ArchiveClaim {
    ArchiveClaim { attempt: attempt.to_owned(), now, expires_at: now.plus_seconds(60) }
}

fn archive_file(checks: u64) -> ArchiveFile {
    ArchiveFile { checks, sha256: "0a".repeat(32) }
}

fn housekeeping_audit_context() -> AuditContext {
    AuditContext::for_server_component("housekeeping", MONTH_LATER)
}

/// Returns a company whose closed period has the given number of checks.
fn company_with_paid_checks(checks: u64) -> CompleteCompany {
    let mut complete = company("acme");
    let of = |at: u64| processed_check(&format!("p{at:04}"), &format!("acme-w{}", 1 + at % 2), "92.35");
    complete.pay_periods.last_mut().unwrap().processed_checks = (0..checks).map(of).collect();
    complete
}

/// Packs all checks of the closed period, and returns the last result.
async fn pack_checks(store: &Arc<dyn Store>, attempt: &str) -> PackChecksOutcome {
    loop {
        match store.pack_next_checks(&closed_period(), &archive_claim(attempt, MONTH_LATER)).await.unwrap() {
            PackChecksOutcome::More => {}
            ended => return ended,
        }
    }
}

/// Archives the closed period, which must have the given number of checks. The original checks still exist
/// afterwards.
async fn archive_period(store: &Arc<dyn Store>, checks: u64) {
    let claimed =
        store.begin_archive(&closed_period(), &archive_claim("a", MONTH_LATER)).await.unwrap().unwrap();
    assert_eq!(claimed.checks, checks);
    assert_eq!(pack_checks(store, "a").await, PackChecksOutcome::All);
    let ended = store
        .end_archive(
            &closed_period(),
            &archive_claim("a", MONTH_LATER),
            &archive_file(checks),
            &housekeeping_audit_context(),
        )
        .await;
    assert_eq!(ended.unwrap(), ArchiveOutcome::Done);
}

/// Deletes the archived original checks and returns their number.
async fn erase_checks(store: &Arc<dyn Store>) -> u64 {
    let mut erased = 0;
    loop {
        match store.erase_archived_checks(&closed_period(), MONTH_LATER, 250).await.unwrap() {
            0 => return erased,
            some => erased += some,
        }
    }
}

async fn read_register(store: &Arc<dyn Store>, offset: u32, limit: u32) -> (u64, i64, Vec<RegisterCheck>) {
    let window = Window { offset, limit: NonZeroU32::new(limit) };
    let Some(PeriodRegister::Checks(found)) =
        store.read_register(&id("acme"), &id("closed"), window).await.unwrap()
    else {
        panic!("there is a register")
    };
    (found.total, found.version, found.rows.into_vec().await.unwrap())
}

async fn export_company_parts(store: &Arc<dyn Store>) -> Vec<ExportItem> {
    let exported = store.export_company(&id("acme"), MONTH_LATER).await.unwrap().unwrap();
    assert_eq!(exported.omitted_checks, 0);
    exported.parts.try_concat().await.unwrap()
}

pub(super) async fn an_archived_period_keeps_its_register_and_its_export(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    import_company(&store, &company_with_paid_checks(CHECK_COUNT)).await;
    let pages = [(0, 0), (0, 20), (249, 2), (499, 251), (600, 5), (601, 5)];
    let mut before = Vec::new();
    for (offset, limit) in pages {
        before.push(read_register(&store, offset, limit).await);
    }
    let (summary, export) = (
        store.period_summary(&id("acme"), &id("closed")).await.unwrap().unwrap(),
        export_company_parts(&store).await,
    );
    archive_period(&store, CHECK_COUNT).await;
    for erased in [0, CHECK_COUNT] {
        assert!(erased == 0 || erase_checks(&store).await == erased);
        for ((offset, limit), before) in pages.into_iter().zip(&before) {
            assert_eq!(read_register(&store, offset, limit).await, *before, "{offset} {limit}");
        }
        assert_eq!(export_company_parts(&store).await, export);
        let now = store.period_summary(&id("acme"), &id("closed")).await.unwrap().unwrap();
        assert_eq!((now.value, now.version), (summary.value.clone(), summary.version));
        assert_partners_do_not_see_archived_checks(&store, &caller).await;
    }
}

/// Asserts that partners do not get archived checks. The operator's list contains these checks, because the
/// register and the journal need them.
async fn assert_partners_do_not_see_archived_checks(store: &Arc<dyn Store>, caller: &Caller) {
    let found = store.checks_of_period(&id("acme"), &id("closed"), Window::default()).await;
    let CheckRows::Archived(Some(rows)) = found.unwrap().unwrap().rows else { panic!("archived") };
    assert_eq!(u64::try_from(rows.into_vec().await.unwrap().len()).unwrap(), CHECK_COUNT);
    for (worker_id, only_own) in [(None, false), (Some(id("acme-w1")), false), (None, true)] {
        let query = ChecksQuery {
            company_id: id("acme"),
            pay_period_id: id("closed"),
            only_own,
            worker_id,
            window: Window::default(),
        };
        let guarded = store.read_checks(caller, &query).await.unwrap();
        let found =
            guarded.open_for_scope(caller, Scope::ReadPayroll, MONTH_LATER.date()).unwrap().1.unwrap();
        assert!(matches!(found.rows, CheckRows::Archived(None)) && found.total == 0);
    }
    let key = CheckKey { company_id: id("acme"), worker_id: id("acme-w1"), paycheck_id: id("p0000") };
    let guarded = store.read_check(caller, &key).await.unwrap();
    assert!(guarded.open_for_scope(caller, Scope::ReadPayroll, MONTH_LATER.date()).unwrap().1.is_none());
}

pub(super) async fn archiving_writes_an_audit_row(store: Arc<dyn Store>) {
    import_company(&store, &company_with_paid_checks(3)).await;
    archive_period(&store, 3).await;
    let query = AuditQuery {
        before: None,
        company_id: Some(id("acme")),
        visible_companies: None,
        kind: Some(AuditedKind::Checks),
        resource_id: Some("closed".to_owned()),
        from: None,
        until: None,
        limit: NonZeroU32::MIN,
    };
    let row = store.read_audit_log(&query).await.unwrap().rows.pop().unwrap();
    assert_eq!(
        (row.action, row.at, row.actor),
        (AuditAction::Update, MONTH_LATER, housekeeping_audit_context().actor)
    );
    assert_eq!(row.before.unwrap(), r#"{"checks":3}"#);
    let hash = format!(r#""sha256":"{}""#, "0a".repeat(32));
    assert!(row.after.unwrap().contains(&hash));
}

pub(super) async fn old_processed_periods_with_checks_are_found_in_order(store: Arc<dyn Store>) {
    let found = async |due: &ArchiveCriteria, after: Option<&DuePeriod>, limit| {
        store.periods_to_archive(due, after, limit).await.unwrap()
    };
    let anything = archive_criteria("2999-01-01", MONTH_LATER);
    import_company(&store, &company("acme")).await;
    assert!(found(&anything, None, 9).await.is_empty(), "there are no checks");
    let mut other = company("beta");
    let check = processed_check("b1", "beta-w1", "92.35");
    other.pay_periods.last_mut().unwrap().processed_checks = vec![check];
    import_company(&store, &other).await;
    import_company(&store, &company_with_paid_checks(2)).await;
    let all = found(&anything, None, 9).await;
    let companies: Vec<_> = all.iter().map(|due| due.period.company_id.as_str()).collect();
    assert_eq!((companies, &all.first().unwrap().period), (vec!["acme", "beta"], &closed_period()));
    assert_eq!(found(&anything, None, 1).await, all.get(..1).unwrap());
    assert_eq!(found(&anything, all.first(), 9).await, all.get(1..).unwrap());
    assert!(found(&anything, all.last(), 9).await.is_empty());
    // The checks were paid on 2026-05-18, and their last change was at `NOW`.
    assert!(found(&archive_criteria("2026-05-18", MONTH_LATER), None, 9).await.is_empty());
    assert_eq!(found(&archive_criteria("2026-05-19", MONTH_LATER), None, 9).await, all);
    assert!(found(&archive_criteria("2026-05-19", NOW), None, 9).await.is_empty());
    assert_eq!(found(&archive_criteria("2026-05-19", NOW.plus_seconds(1)), None, 9).await, all);
    archive_period(&store, 2).await;
    assert_eq!(found(&anything, None, 9).await, all.get(1..).unwrap());
}

/// Begins an attempt to archive the closed period. Returns whether the attempt has got the claim.
async fn begin_archive(store: &Arc<dyn Store>, attempt: &str, now: Timestamp) -> bool {
    store.begin_archive(&closed_period(), &archive_claim(attempt, now)).await.unwrap().is_some()
}

async fn pack_next_checks_at(store: &Arc<dyn Store>, attempt: &str, now: Timestamp) -> PackChecksOutcome {
    store.pack_next_checks(&closed_period(), &archive_claim(attempt, now)).await.unwrap()
}

async fn end_archive(store: &Arc<dyn Store>, attempt: &str, now: Timestamp, checks: u64) -> ArchiveOutcome {
    store
        .end_archive(
            &closed_period(),
            &archive_claim(attempt, now),
            &archive_file(checks),
            &housekeeping_audit_context(),
        )
        .await
        .unwrap()
}

pub(super) async fn a_period_is_archived_by_one_attempt_at_a_time(store: Arc<dyn Store>) {
    import_company(&store, &company_with_paid_checks(300)).await;
    let after = |seconds| MONTH_LATER.plus_seconds(seconds);
    let started =
        [begin_archive(&store, "slow", MONTH_LATER).await, begin_archive(&store, "next", after(59)).await];
    let packed = pack_next_checks_at(&store, "slow", after(30)).await;
    // Packing has extended the claim of the first attempt.
    let next =
        [begin_archive(&store, "next", after(89)).await, begin_archive(&store, "next", after(90)).await];
    assert_eq!((started, packed, next), ([true, false], PackChecksOutcome::More, [false, true]));
    // The first attempt has lost its claim, so its steps have no effect on the second attempt.
    let lost = (
        pack_next_checks_at(&store, "slow", after(91)).await,
        end_archive(&store, "slow", after(91), 300).await,
    );
    assert_eq!(lost, (PackChecksOutcome::Lost, ArchiveOutcome::Lost));
    store.abandon_archive(&closed_period(), "slow").await.unwrap();
    while pack_next_checks_at(&store, "next", after(92)).await == PackChecksOutcome::More {}
    let mut ended = Vec::new();
    // The test tries to end the second attempt three times: first after the claim has expired, then twice
    // while the claim is valid.
    for seconds in [152, 93, 93] {
        ended.push(end_archive(&store, "next", after(seconds), 300).await);
    }
    assert_eq!(ended, [ArchiveOutcome::Lost, ArchiveOutcome::Done, ArchiveOutcome::Lost]);
    store.abandon_archive(&closed_period(), "next").await.unwrap();
    assert!(!begin_archive(&store, "third", after(9_999)).await);
    assert_eq!((erase_checks(&store).await, read_register(&store, 0, 0).await.2.len()), (300, 300));
}

pub(super) async fn only_processed_periods_are_archived(store: Arc<dyn Store>) {
    import_company(&store, &company_with_paid_checks(1)).await;
    for pay_period in ["nowhere", "open"] {
        let period = PeriodKey { company_id: id("acme"), pay_period_id: id(pay_period) };
        assert!(store.begin_archive(&period, &archive_claim("x", MONTH_LATER)).await.unwrap().is_none());
        assert_eq!(store.erase_archived_checks(&period, MONTH_LATER, 9).await.unwrap(), 0);
    }
}

pub(super) async fn a_changed_period_is_not_archived(store: Arc<dyn Store>) {
    import_company(&store, &company_with_paid_checks(3)).await;
    store.begin_archive(&closed_period(), &archive_claim("a", MONTH_LATER)).await.unwrap().unwrap();
    assert_eq!(pack_checks(&store, "a").await, PackChecksOutcome::All);
    let end = async |attempt: &str, checks| end_archive(&store, attempt, MONTH_LATER, checks).await;
    assert_eq!(end("a", 2).await, ArchiveOutcome::Changed, "the file lacks a check");
    import_company(&store, &company_with_paid_checks(4)).await;
    assert_eq!(pack_checks(&store, "a").await, PackChecksOutcome::Lost);
    for checks in [3, 4] {
        assert_eq!(end("a", checks).await, ArchiveOutcome::Changed);
    }
    assert_eq!(erase_checks(&store).await, 0);
    store.abandon_archive(&closed_period(), "a").await.unwrap();
    store.begin_archive(&closed_period(), &archive_claim("b", MONTH_LATER)).await.unwrap().unwrap();
    assert_eq!(end("b", 4).await, ArchiveOutcome::Changed, "nothing is packed");
    assert_eq!(pack_checks(&store, "b").await, PackChecksOutcome::All);
    assert_eq!(end("b", 4).await, ArchiveOutcome::Done);
    assert_eq!(erase_checks(&store).await, 4);
}

pub(super) async fn only_archived_checks_are_deleted(store: Arc<dyn Store>) {
    import_company(&store, &company_with_paid_checks(3)).await;
    let left = async || store.periods_to_erase(None, 9).await.unwrap();
    assert_eq!((erase_checks(&store).await, left().await.len()), (0, 0));
    archive_period(&store, 3).await;
    let found = left().await;
    let first = found.first().unwrap();
    assert_eq!(
        (&first.period, first.archived, &first.file),
        (&closed_period(), MONTH_LATER, &archive_file(3))
    );
    assert!(store.periods_to_erase(found.last(), 9).await.unwrap().is_empty());
    assert_eq!(store.erase_archived_checks(&closed_period(), MONTH_LATER, 2).await.unwrap(), 2);
    assert_eq!(left().await, found);
    assert_eq!((erase_checks(&store).await, left().await.len()), (1, 0));
}

pub(super) async fn an_archived_check_cannot_change_and_its_id_stays_reserved(store: Arc<dyn Store>) {
    import_company(&store, &company_with_paid_checks(3)).await;
    archive_period(&store, 3).await;
    for _ in 0..2 {
        let ImportOutcome::Stored(counts) = store
            .import_company(
                (&company_with_paid_checks(3)).into(),
                ImportRules::default(),
                &import_audit_context(),
            )
            .await
            .unwrap()
        else {
            panic!("an unchanged company is imported")
        };
        assert_eq!((counts.created, counts.changed), (0, 0));
        let mut other = company_with_paid_checks(3);
        let checks = &mut other.pay_periods.last_mut().unwrap().processed_checks;
        checks.first_mut().unwrap().check_type = "Manual".to_owned();
        let mut duplicate = company("beta");
        let check = processed_check("p0001", "beta-w1", "92.35");
        duplicate.pay_periods.last_mut().unwrap().processed_checks = vec![check];
        for complete in [company_with_paid_checks(4), other, duplicate] {
            let outcome = store
                .import_company((&complete).into(), ImportRules::default(), &import_audit_context())
                .await
                .unwrap();
            assert!(matches!(outcome, ImportOutcome::Refused(_)), "{outcome:?}");
        }
        let facts =
            store.reversal_validation_data(&id("acme"), &id("open"), &id("p0001")).await.unwrap().unwrap();
        assert_eq!(facts.original, Some(OriginalCheck::Archived));
        erase_checks(&store).await;
    }
}

pub(super) async fn a_reversal_is_archived_after_its_original(store: Arc<dyn Store>) {
    let mut complete = company_with_paid_checks(2);
    let mut later = super::world::period("later", payroll_domain::pay_period::PeriodStatus::Completed);
    let mut reversal = processed_check("r1", "acme-w1", "-92.35");
    (reversal.pay_period_id, reversal.reversal_of) = (id("later"), Some(id("p0001")));
    later.processed_checks = vec![reversal];
    complete.pay_periods.push(later);
    import_company(&store, &complete).await;
    let later = PeriodKey { company_id: id("acme"), pay_period_id: id("later") };
    let begin = async || store.begin_archive(&later, &archive_claim("l", MONTH_LATER)).await.unwrap();
    assert!(begin().await.is_none(), "the check could be taken back once more");
    archive_period(&store, 2).await;
    assert!(begin().await.is_some());
}
