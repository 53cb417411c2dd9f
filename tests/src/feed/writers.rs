//! Tests the feed while 16 writers change workers of several companies. A reader who follows `next` sees
//! every event once, and the events of a worker in the order of the writes.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;
use payroll_domain::access::Scopes;
use serde_json::{Value, json};

use super::{OPERATOR_FEED, PARTNER_FEED, read_feed};
use crate::support::world::{company, worker};
use crate::support::{
    Caller, Request, Server, Settings, grant_to_application, import_line, on_every_database_with,
};

/// The number of companies. Writers of the same company wait for each other, because each write locks its
/// company.
const COMPANY_COUNT: usize = 4;
/// The number of writers per company, each with its own worker.
const WRITER_COUNT: usize = 4;
/// The number of consecutive changes by each writer.
const CHANGES_PER_WRITER: usize = 24;
/// The number of database connections. Each writer and each reader needs one, so that none waits for another.
const CONNECTION_COUNT: u32 = 20;

fn company_id(number: usize) -> String {
    format!("MANY-{number}")
}

/// Creates the companies and grants. Returns the URLs at which the operator and the partner start to read.
async fn create_companies_and_grants(server: &Server) -> [String; 2] {
    for number in 0..COMPANY_COUNT {
        let id = company_id(number);
        let mut many = company(&id, &format!("0009000{number}"));
        many["workers"] =
            (0..WRITER_COUNT).map(|writer| worker(&format!("{id}-{writer}"), "EMPLOYEE")).collect();
        import_line(&*server.store, &many).await;
        grant_to_application(&*server.store, "partner", &id, Scopes::all()).await;
    }
    let partners = format!("{PARTNER_FEED}?limit=7");
    [
        read_url_after_last_grant(server, Caller::OperatorReader, OPERATOR_FEED).await,
        read_url_after_last_grant(server, Caller::Partner, &partners).await,
    ]
}

/// Reads the feed until the event of the last grant, and returns the URL of the next page. A reader that
/// starts at this URL skips all events from before the writers start.
async fn read_url_after_last_grant(server: &Server, caller: Caller, from: &str) -> String {
    let last = company_id(COMPANY_COUNT - 1);
    let is_last = |event: &Value| event["domain"] == "CLT_ACCESS" && event["companyId"] == last.as_str();
    let mut here = from.to_owned();
    loop {
        let (events, next) = read_feed(server, caller, &here, 1).await;
        here = next;
        if events.iter().any(is_last) {
            return here;
        }
    }
}

/// Changes a worker repeatedly. Returns the domains of the expected events.
async fn write_changes(server: &Server, company: &str, worker: &str) -> Vec<String> {
    let path = format!("/companies/{company}/workers/{worker}");
    let mut expected = Vec::new();
    for number in 0..CHANGES_PER_WRITER {
        let text = number.to_string();
        let (domain, change) = match number % 3 {
            0 => ("WRKR_EMPL", json!({"clockId": text})),
            1 => ("WRKR_DEM", json!({"name": {"givenName": text}})),
            _ => ("WRKR_ASGN", json!({"locationId": if number % 2 == 0 { "SHOP" } else { "MILL" }})),
        };
        let response = server.send(&Request::operator_patch(&path, &change)).await;
        assert_eq!(response.status, 200, "{response:?}");
        expected.push(domain.to_owned());
    }
    expected
}

/// Returns the domains of the events of each worker, in order. Fails if an event occurs twice.
fn events_by_worker(events: &[Value]) -> BTreeMap<String, Vec<String>> {
    let text = |event: &Value, member: &str| event[member].as_str().unwrap_or_default().to_owned();
    let ids: BTreeSet<_> = events.iter().map(|event| text(event, "eventId")).collect();
    assert_eq!(ids.len(), events.len(), "an event came twice");
    let mut reported: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in events {
        reported.entry(text(event, "workerId")).or_default().push(text(event, "domain"));
    }
    reported
}

#[test]
fn a_reader_of_the_feed_of_16_writers_sees_every_event_once() {
    let connections = |settings: &mut Settings| settings.database_connections = CONNECTION_COUNT;
    on_every_database_with(connections, async |server| {
        let [operators, partners] = create_companies_and_grants(server).await;
        let server = &*server;
        let workers: Vec<(String, String)> = (0..COMPANY_COUNT)
            .flat_map(|number| (0..WRITER_COUNT).map(move |writer| (number, writer)))
            .map(|(number, writer)| (company_id(number), format!("{}-{writer}", company_id(number))))
            .collect();
        let writers =
            join_all(workers.iter().map(async |(company, worker)| {
                (worker.clone(), write_changes(server, company, worker).await)
            }));
        let all = COMPANY_COUNT * WRITER_COUNT * CHANGES_PER_WRITER;
        let (written, (operators, _), (partners, _)) = tokio::join!(
            writers,
            read_feed(server, Caller::OperatorReader, &operators, all),
            read_feed(server, Caller::Partner, &partners, all),
        );
        let written: BTreeMap<_, _> = written.into_iter().collect();
        assert_eq!(events_by_worker(&operators), written);
        assert_eq!(events_by_worker(&partners), written);
    });
}
