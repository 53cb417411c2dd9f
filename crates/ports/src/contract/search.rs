//! Contract tests for the search over all companies.

use std::sync::Arc;

use payroll_domain::pay_period::PeriodStatus;

use super::world::{company, id, import_company, period, worker};
use crate::Store;
use crate::search::{MAX_HITS_PER_KIND, SearchHit};

/// Returns the results of a search. Each result is returned as its kind and its id.
async fn find_hits(store: &Arc<dyn Store>, text: &str) -> Vec<(&'static str, String)> {
    let hits = store.search(text, None).await.unwrap();
    let reported = |hit: SearchHit| match hit {
        SearchHit::Company { company_id, .. } => ("company", company_id.to_string()),
        SearchHit::Worker { worker_id, .. } => ("worker", worker_id.to_string()),
        SearchHit::PayPeriod { company_id, pay_period_id, .. } => {
            ("period", format!("{company_id}/{pay_period_id}"))
        }
        SearchHit::Check { paycheck_id, .. } => ("check", paycheck_id.to_string()),
        SearchHit::Application { application_id, .. } => ("application", application_id.to_string()),
    };
    hits.into_iter().map(reported).collect()
}

/// Imports two companies with different workers, and with pay periods that have the same id.
async fn create_two_companies(store: &Arc<dyn Store>) {
    for (company_id, people) in [
        ("acme", &[("w1", "Ann", "Meyer"), ("w2", "Ben", "Annson"), ("w3", "José", "Élan")][..]),
        ("baker", &[("w4", "ANN", "Smith"), ("w5", "Anna", "Meyerhold")]),
    ] {
        let mut whole = company(company_id);
        whole.company.legal_name = format!("The {company_id} Company");
        whole.company.display_id = format!("00{company_id}1");
        whole.pay_periods = vec![period("shared", PeriodStatus::Entry)];
        whole.workers = people
            .iter()
            .map(|(worker_id, given, family)| {
                let mut worker = worker(worker_id);
                worker.name.given_name = (*given).to_owned();
                worker.name.family_name = (*family).to_owned();
                worker.employee_id = Some(format!("nr-{worker_id}"));
                worker
            })
            .collect();
        import_company(store, &whole).await;
    }
}

pub(super) async fn workers_of_all_companies_are_found_by_the_start_of_a_name(store: Arc<dyn Store>) {
    create_two_companies(&store).await;
    let workers = async |text: &str| {
        let mut ids: Vec<String> = find_hits(&store, text).await.into_iter().map(|(_, id)| id).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(workers("ann").await, ["w1", "w2", "w4", "w5"]);
    assert_eq!(workers("MEYER").await, ["w1", "w5"]);
    assert_eq!(workers("ann mey").await, ["w1"], "the given name is complete");
    assert_eq!(workers("élan").await, ["w3"]);
    assert_eq!(workers("eyer").await, <[String; 0]>::default(), "the middle of a name is no beginning");
    for text in ["ann%", "a_n", "nobody", "ann\u{0}", "'; --"] {
        assert_eq!(workers(text).await, <[String; 0]>::default(), "{text}");
    }
    let hits = store.search("Meyerhold", None).await.unwrap();
    let expected = SearchHit::Worker {
        company_id: id("baker"),
        company_name: "The baker Company".to_owned(),
        worker_id: id("w5"),
        name: "Anna Meyerhold".to_owned(),
        employee_id: Some("nr-w5".to_owned()),
    };
    assert_eq!(hits, [expected]);
}

pub(super) async fn ids_and_numbers_match_only_completely(store: Arc<dyn Store>) {
    create_two_companies(&store).await;
    let one = |kind: &'static str, id: &str| vec![(kind, id.to_owned())];
    assert_eq!(find_hits(&store, "w4").await, one("worker", "w4"));
    assert_eq!(find_hits(&store, "nr-w2").await, one("worker", "w2"));
    assert_eq!(find_hits(&store, "nr-w").await, []);
    assert_eq!(
        find_hits(&store, "00-ACME1").await,
        one("company", "acme"),
        "as account numbers are compared"
    );
    let periods = [("period", "acme/shared".to_owned()), ("period", "baker/shared".to_owned())];
    assert_eq!(find_hits(&store, "shared").await, periods);
    assert_eq!(find_hits(&store, "acme").await, one("company", "acme"), "by id and by name, and once");
    let both = [("company", "acme".to_owned()), ("company", "baker".to_owned())];
    assert_eq!(find_hits(&store, "he").await, both, "a part of a company's name");
}

pub(super) async fn limits_the_results_of_each_kind(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    whole.workers = (0..=MAX_HITS_PER_KIND)
        .map(|number| {
            let mut worker = worker(&format!("many-{number}"));
            worker.name.family_name = "Everybody".to_owned();
            worker
        })
        .collect();
    import_company(&store, &whole).await;
    assert_eq!(find_hits(&store, "every").await.len(), MAX_HITS_PER_KIND as usize);
}
