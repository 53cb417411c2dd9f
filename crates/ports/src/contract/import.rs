//! Contract tests for the import of companies.

use std::collections::HashSet;
use std::sync::Arc;

use payroll_domain::access::Scope;
use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::tax_id::{LegalId, LegalIdType};

use super::world::{
    NOW, company, component, create_company_and_caller, empty_company, grant_scopes, id,
    import_audit_context, import_company, operator_lock_until, period, worker,
};
use crate::Store;
use crate::import::{ImportCounts, ImportOutcome, ImportRules};
use crate::write::AuditContext;

async fn import_and_count_objects(
    store: &Arc<dyn Store>,
    complete: &payroll_domain::complete_company::CompleteCompany,
) -> ImportCounts {
    match store
        .import_company(complete.into(), ImportRules::default(), &import_audit_context())
        .await
        .unwrap()
    {
        ImportOutcome::Stored(counts) => counts,
        other => panic!("{other:?}"),
    }
}

pub(super) async fn importing_again_changes_nothing(store: Arc<dyn Store>) {
    let first = import_and_count_objects(&store, &company("acme")).await;
    assert_eq!((first.changed, first.unchanged), (0, 0));
    let second = import_and_count_objects(&store, &company("acme")).await;
    let nothing = ImportCounts { created: 0, changed: 0, unchanged: first.created };
    assert_eq!(second, nothing);
}

pub(super) async fn a_dry_run_stores_no_company(store: Arc<dyn Store>) {
    let validate = async |complete: &payroll_domain::complete_company::CompleteCompany, expected: &[&str]| {
        let expected = expected.iter().map(|it| id(it)).collect();
        store
            .validate_company(complete.into(), &expected, ImportRules::default(), &import_audit_context())
            .await
            .unwrap()
    };
    let ImportOutcome::Stored(validated) = validate(&company("acme"), &[]).await else {
        panic!("it is right")
    };
    assert_eq!(import_and_count_objects(&store, &company("acme")).await, validated);
    let mut below = empty_company("below");
    below.company.parent_company_id = Some(id("above"));
    assert!(matches!(validate(&below, &[]).await, ImportOutcome::Refused(_)));
    assert!(matches!(validate(&below, &["above"]).await, ImportOutcome::Stored(_)));
    assert!(matches!(
        store.import_company((&below).into(), ImportRules::default(), &import_audit_context()).await.unwrap(),
        ImportOutcome::Refused(_)
    ));
}

pub(super) async fn an_imported_change_is_counted_and_increases_versions(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let caller = super::world::create_application(&store, "partner").await;
    let all = payroll_domain::access::Scopes::all();
    grant_scopes(&store, &caller, "acme", all).await;
    let version = async || {
        let guarded = store.company(&caller, &id("acme"), false).await.unwrap();
        let (_, view) = guarded.open_for_scope(&caller, Scope::ReadCompanies, NOW.date()).unwrap();
        view.unwrap().version
    };
    let before = version().await;
    let mut changed = empty_company("acme");
    changed.company.legal_name = "Acme Renamed LLC".to_owned();
    changed.pay_components = vec![component("hourly"), component("bonus")];
    let counts = import_and_count_objects(&store, &changed).await;
    assert_eq!((counts.created, counts.changed), (1, 1));
    assert!(version().await > before);
}

pub(super) async fn a_locked_company_is_not_imported(store: Arc<dyn Store>) {
    let mut complete = company("acme");
    complete.lock = Some(operator_lock_until(None));
    import_company(&store, &complete).await;
    let mut changed = empty_company("acme");
    changed.company.legal_name = "Changed".to_owned();
    assert_eq!(
        store.import_company(changed.into(), ImportRules::default(), &import_audit_context()).await.unwrap(),
        ImportOutcome::Locked
    );
}

pub(super) async fn rejects_an_id_of_another_company(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let mut thief = empty_company("bravo");
    thief.workers = vec![worker("acme-w1")];
    let outcome =
        store.import_company(thief.into(), ImportRules::default(), &import_audit_context()).await.unwrap();
    assert!(matches!(&outcome, ImportOutcome::Refused(reasons) if !reasons.is_empty()), "{outcome:?}");
    let caller = super::world::create_application(&store, "partner").await;
    let access = store.read_access(&caller, Some(&id("bravo"))).await.unwrap();
    assert!(access.company.is_none(), "nothing of it is stored");
}

pub(super) async fn rejects_completing_an_open_period_if_two_operators_are_required(store: Arc<dyn Store>) {
    let with = |status: PeriodStatus| {
        let mut complete = empty_company("acme");
        complete.pay_periods = vec![period("now", status), period("old", PeriodStatus::Completed)];
        complete
    };
    let two = ImportRules { two_person_completion: true };
    for open in [PeriodStatus::Initial, PeriodStatus::Entry, PeriodStatus::Processing] {
        let outcome = store.import_company(with(open).into(), two, &import_audit_context()).await.unwrap();
        assert!(matches!(outcome, ImportOutcome::Stored(_)), "{open} {outcome:?}");
        let completed = with(PeriodStatus::Completed);
        let imported = store.import_company((&completed).into(), two, &import_audit_context()).await.unwrap();
        assert!(
            matches!(&imported, ImportOutcome::Refused(reasons) if reasons.len() == 1),
            "{open} {imported:?}"
        );
        let validated =
            store.validate_company((&completed).into(), &HashSet::new(), two, &import_audit_context()).await;
        assert_eq!(validated.unwrap(), imported, "{open}");
    }
    let completed = with(PeriodStatus::Completed);
    let alone = store
        .import_company(completed.into(), ImportRules::default(), &import_audit_context())
        .await
        .unwrap();
    assert!(matches!(alone, ImportOutcome::Stored(_) | ImportOutcome::Locked), "without the rule: {alone:?}");
}

pub(super) async fn rejects_a_reference_to_a_missing_object(store: Arc<dyn Store>) {
    let mut orphan = empty_company("acme");
    orphan.company.parent_company_id = Some(id("nowhere"));
    let outcome =
        store.import_company(orphan.into(), ImportRules::default(), &import_audit_context()).await.unwrap();
    assert!(matches!(outcome, ImportOutcome::Refused(_)), "{outcome:?}");
    let mut complete = company("acme");
    complete.workers.iter_mut().for_each(|one| one.organization_id = Some(id("nowhere")));
    let outcome =
        store.import_company(complete.into(), ImportRules::default(), &import_audit_context()).await.unwrap();
    assert!(matches!(outcome, ImportOutcome::Refused(_)), "{outcome:?}");
}

pub(super) async fn rejects_a_company_that_is_its_own_ancestor(store: Arc<dyn Store>) {
    let below = |name: &str, parent: &str| {
        let mut complete = empty_company(name);
        complete.company.parent_company_id = Some(id(parent));
        complete
    };
    import_company(&store, &empty_company("top")).await;
    import_company(&store, &below("middle", "top")).await;
    import_company(&store, &below("bottom", "middle")).await;
    let outcome = store
        .import_company(below("top", "bottom").into(), ImportRules::default(), &import_audit_context())
        .await
        .unwrap();
    assert!(matches!(outcome, ImportOutcome::Refused(_)), "{outcome:?}");
}

pub(super) async fn concurrent_imports_create_no_cycle(store: Arc<dyn Store>) {
    let below = |name: &str, parent: Option<&str>| {
        let mut complete = empty_company(name);
        complete.company.parent_company_id = parent.map(id);
        complete
    };
    for _ in 0..10 {
        import_company(&store, &below("one", None)).await;
        import_company(&store, &below("two", None)).await;
        let audit = import_audit_context();
        let (one, two) = futures_util::join!(
            store.import_company(below("one", Some("two")).into(), ImportRules::default(), &audit),
            store.import_company(below("two", Some("one")).into(), ImportRules::default(), &audit),
        );
        let stored = [one, two].map(|outcome| matches!(outcome.unwrap(), ImportOutcome::Stored(_)));
        assert_ne!(stored, [true, true], "each is below the other");
    }
}

pub(super) async fn unchanged_locked_company_can_be_imported(store: Arc<dyn Store>) {
    let mut complete = company("acme");
    complete.lock = Some(operator_lock_until(None));
    import_company(&store, &complete).await;
    let counts = import_and_count_objects(&store, &complete).await;
    assert_eq!((counts.created, counts.changed), (0, 0));
}

pub(super) async fn the_holder_of_the_lock_can_import(store: Arc<dyn Store>) {
    let mut complete = empty_company("acme");
    complete.lock = Some(operator_lock_until(None));
    import_company(&store, &complete).await;
    complete.company.legal_name = "Changed".to_owned();
    let holder = Actor { kind: ActorKind::Operator, name: operator_lock_until(None).holder };
    let audit = AuditContext { actor: holder, ..import_audit_context() };
    let outcome = store.import_company(complete.into(), ImportRules::default(), &audit).await.unwrap();
    assert!(matches!(outcome, ImportOutcome::Stored(counts) if counts.changed == 1), "{outcome:?}");
}

pub(super) async fn tax_ids_are_read_unmasked(store: Arc<dyn Store>) {
    let mut complete = empty_company("solo");
    complete.company.legal_id = LegalId::parse(LegalIdType::Ssn, "123456789");
    import_company(&store, &complete).await;
    let caller = create_company_and_caller(&store).await;
    let all = payroll_domain::access::Scopes::all();
    grant_scopes(&store, &caller, "solo", all).await;
    let guarded = store.company(&caller, &id("solo"), false).await.unwrap();
    let (_, view) = guarded.open_for_scope(&caller, Scope::ReadCompanies, NOW.date()).unwrap();
    assert_eq!(view.unwrap().company.legal_id, complete.company.legal_id);
}
