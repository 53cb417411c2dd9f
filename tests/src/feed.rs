//! Tests of the event feed over HTTP (specification §9.4): which caller sees which events, and that a reader
//! who follows `next` sees every event once.

mod writers;

use serde_json::{Value, json};

use crate::support::{
    Caller, FOREIGN, GRANTED_COMPANIES, OPEN, Request, Server, grant_to_application, on_every_database,
};
use payroll_domain::access::{Scope, Scopes};

const PARTNER_FEED: &str = "/management/events";
const OPERATOR_FEED: &str = "/operator/v1/events";

/// The maximum number of reads, which take about a minute. If no event has arrived by then, the test fails.
const MAX_READS: usize = 20_000;

/// Reads the feed to its end by following `next`. Continues until at least `at_least` events have arrived,
/// because older transactions may delay events. Returns the events and the URL at which to continue.
pub(crate) async fn read_feed(
    server: &Server,
    caller: Caller,
    from: &str,
    at_least: usize,
) -> (Vec<Value>, String) {
    let (mut seen, mut here) = (Vec::new(), from.to_owned());
    for _ in 0..MAX_READS {
        let response = server.send(&Request::get(here.as_str()).with_caller(caller)).await;
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(response.json()["metadata"]["contentItemCount"], json!(response.content().len()));
        seen.extend(response.content());
        let next = url_target(&response.link("next").expect("a feed always goes on"));
        if next == here && seen.len() >= at_least {
            return (seen, here);
        }
        here = next;
    }
    panic!("{} of {at_least} events have come: {seen:#?}", seen.len());
}

/// Returns the path and query of an absolute URL.
fn url_target(address: &str) -> String {
    let behind_host = address.split("//").nth(1).and_then(|rest| rest.split_once('/'));
    format!("/{}", behind_host.expect("an absolute address").1)
}

/// Returns each event as a text with its domain, action and company.
fn event_texts(events: &[Value]) -> Vec<String> {
    let text = |event: &Value, member: &str| event[member].as_str().unwrap_or_default().to_owned();
    events.iter().map(|it| ["domain", "action", "companyId"].map(|name| text(it, name)).join(" ")).collect()
}

#[test]
fn a_partners_feed_has_its_grants_and_then_new_events() {
    on_every_database(async |server| {
        let of_access = format!("{PARTNER_FEED}?limit=3&domain=CLT_ACCESS");
        let (events, _) = read_feed(server, Caller::Partner, &of_access, GRANTED_COMPANIES.len()).await;
        let expected: Vec<_> =
            GRANTED_COMPANIES.iter().map(|company| format!("CLT_ACCESS ADD {company}")).collect();
        assert_eq!(event_texts(&events), expected);
        let mut members: Vec<_> = events[0].as_object().expect("an object").keys().cloned().collect();
        members.sort();
        assert_eq!(members, ["action", "asOfDate", "companyId", "domain", "eventId", "notificationType"]);
        assert_eq!(events[0]["asOfDate"], "2026-05-12T12:00:00.000+00:00");
        assert_eq!(events[0]["notificationType"], "CLT_ACCESS_MESSAGE");

        let (_, here) = read_feed(server, Caller::Partner, PARTNER_FEED, GRANTED_COMPANIES.len()).await;
        let complete = "/companies/BUSY/payperiods/BUSY-PROCESSING/complete";
        let completed = server.send(&Request::operator_post(complete, &json!({"allowEmpty": true}))).await;
        assert_eq!(completed.status, 200, "{completed:?}");
        grant_to_application(&*server.store, "partner", OPEN, Scopes::NONE).await;
        let (events, here_now) = read_feed(server, Caller::Partner, &here, 2).await;
        assert_eq!(event_texts(&events), ["CLT_PYRN PAYRUN_COMPLETED BUSY", "CLT_ACCESS DELETE OPEN"]);
        assert_eq!(events[0]["payperiodId"], "BUSY-PROCESSING");
        assert_ne!(here, here_now);
        assert_eq!(read_feed(server, Caller::Partner, &here_now, 0).await, (Vec::new(), here_now));
    });
}

#[test]
fn an_application_sees_events_covered_by_its_current_grant_and_token() {
    on_every_database(async |server| {
        let (_, end) = read_feed(server, Caller::Operator, OPERATOR_FEED, 0).await;
        let complete = "/companies/BUSY/payperiods/BUSY-PROCESSING/complete";
        server.send(&Request::operator_post(complete, &json!({"allowEmpty": true}))).await;
        read_feed(server, Caller::Operator, &end, 1).await;
        let payruns = format!("{PARTNER_FEED}?domain=CLT_PYRN");
        let reported = async |caller| event_texts(&read_feed(server, caller, &payruns, 0).await.0).join(" ");
        assert_eq!(reported(Caller::Partner).await, "CLT_PYRN PAYRUN_COMPLETED BUSY");
        assert_eq!(reported(Caller::Other).await, "", "another's company");
        assert_eq!(reported(Caller::WithoutTaxIds).await, "", "a token that may read companies only");
        grant_to_application(&*server.store, "partner", "BUSY", [Scope::ReadCompanies].into_iter().collect())
            .await;
        assert_eq!(reported(Caller::Partner).await, "", "the grant has less now");
    });
}

#[test]
fn the_next_link_has_the_filters_and_the_position_of_the_last_event() {
    on_every_database(async |server| {
        read_feed(server, Caller::Partner, PARTNER_FEED, GRANTED_COMPANIES.len()).await;
        let filtered = format!("{PARTNER_FEED}?companyid={OPEN}&limit=1&domain=CLT_ACCESS");
        let (events, here) = read_feed(server, Caller::Partner, &filtered, 1).await;
        assert_eq!(event_texts(&events), ["CLT_ACCESS ADD OPEN"]);
        assert!(here.contains(&format!("companyid={OPEN}&limit=1&domain=CLT_ACCESS&after=")), "{here}");
        let (events, everything) =
            read_feed(server, Caller::Partner, &format!("{PARTNER_FEED}?domain=CLT_PROD"), 0).await;
        assert_eq!(events, Vec::<Value>::new());
        assert_eq!(here.split("after=").nth(1), everything.split("after=").nth(1), "both are at the end");
    });
}

#[test]
fn a_reader_at_the_end_gets_304_until_there_is_a_new_event() {
    on_every_database(async |server| {
        let (_, here) = read_feed(server, Caller::Partner, PARTNER_FEED, GRANTED_COMPANIES.len()).await;
        let tag = server.send(&Request::get(here.as_str())).await.header("etag").to_owned();
        let request = Request::get(here.as_str()).header("if-none-match", tag);
        assert_eq!(server.send(&request).await.status, 304);
        grant_to_application(&*server.store, "partner", OPEN, [Scope::ReadPayroll].into_iter().collect())
            .await;
        let mut response = server.send(&request).await;
        while response.status == 304 || response.content().is_empty() {
            response = server.send(&request).await;
        }
        assert_eq!(event_texts(&response.content()), ["CLT_ACCESS UPDATE OPEN"]);
    });
}

#[test]
fn the_operator_sees_all_events_with_position_and_application() {
    on_every_database(async |server| {
        let of_access = format!("{OPERATOR_FEED}?domain=CLT_ACCESS");
        let (events, _) =
            read_feed(server, Caller::OperatorReader, &of_access, GRANTED_COMPANIES.len() + 4).await;
        let of = |company: &str| -> Vec<_> {
            let about = events.iter().filter(|event| event["companyId"] == company);
            about.map(|event| event["applicationId"].as_str().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(
            (of(OPEN), of(FOREIGN)),
            (
                ["partner", "period-scoped", "limited"].map(str::to_owned).to_vec(),
                ["other", "limited"].map(str::to_owned).to_vec(),
            )
        );
        assert!(events.iter().all(|event| event["position"].is_i64()));
        let none = server.send(&Request::operator_get("/events?companyid=GONE")).await;
        assert_eq!((none.status, none.content().len()), (200, 0), "what is deleted has events too");
        for bad in ["companyid=a%20b", "limit=1001", "after=7", "domain=clt_dem"] {
            let response = server.send(&Request::operator_get(&format!("/events?{bad}"))).await;
            assert_eq!(response.status_and_code(), "400 API-40", "{bad}");
        }
    });
}

#[test]
fn a_cursor_of_a_deleted_event_gets_410_and_the_last_event_is_kept() {
    on_every_database(async |server| {
        let first = format!("{PARTNER_FEED}?limit=1");
        let (_, here) = read_feed(server, Caller::Partner, PARTNER_FEED, GRANTED_COMPANIES.len()).await;
        let after_first = url_target(&server.send(&Request::get(first)).await.link("next").expect("more"));
        let much_later = payroll_domain::date::Timestamp::from_micros(i64::MAX);
        while server.store.delete_events_before(much_later, 3).await.expect("the store answers") > 0 {}
        assert_eq!(server.send(&Request::get(after_first)).await.status_and_code(), "410 API-410");
        let (rest, _) = read_feed(server, Caller::Operator, OPERATOR_FEED, 1).await;
        assert_eq!(rest.len(), 1);
        assert_eq!(server.send(&Request::get(here)).await.status, 200, "its reader has missed nothing");
    });
}
