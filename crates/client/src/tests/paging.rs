//! Tests of lists and of the event feed.

use futures_util::TryStreamExt;
use serde_json::Value;

use super::server::Server;
use crate::Error;

#[tokio::test]
async fn stream_reads_all_pages() {
    // The links contain another host, as behind a proxy. The client uses only the query of each link.
    let server = Server::start(&[
        (200, "", r#"{"content":[1,2],"links":[{"rel":"next","href":"https://other.example/x?status=A&offset=2&limit=2"}]}"#),
        (200, "", r#"{"content":[],"links":[{"rel":"next","href":"https://other.example/x?status=A&offset=4&limit=2"}]}"#),
        (200, "", r#"{"content":[3],"links":[{"rel":"previous","href":"https://other.example/x?offset=2"}]}"#),
    ])
    .await;
    let list = server.client().list::<u32>("/companies/C1/jobs").query("status", "A").page_size(2);
    let rows: Vec<u32> = list.stream().try_collect().await.unwrap();
    assert_eq!(rows, [1, 2, 3]);
    let received = server.received_requests();
    let lines: Vec<_> = received.iter().map(|it| it.head.lines().next().unwrap()).collect();
    assert_eq!(
        lines,
        [
            "get /companies/c1/jobs?status=a&limit=2 http/1.1",
            "get /companies/c1/jobs?status=a&offset=2&limit=2 http/1.1",
            "get /companies/c1/jobs?status=a&offset=4&limit=2 http/1.1",
        ]
    );
}

#[tokio::test]
async fn a_list_with_a_cursor_is_read_page_by_page() {
    let server = Server::start(&[
        (200, "", r#"{"content":[3,2],"links":[{"rel":"next","href":"https://other.example/x?before=c1&limit=2"}]}"#),
        (200, "", r#"{"content":[1],"links":[]}"#),
    ])
    .await;
    let list = server.client().list::<u32>("/management/requests").page_size(2);
    assert_eq!(list.collect().await.unwrap(), [3, 2, 1]);
    let received = server.received_requests();
    // The first request contains no offset, because the server rejects an offset for the list of requests.
    assert!(received[0].head.starts_with("get /management/requests?limit=2 "));
    assert!(received[1].head.starts_with("get /management/requests?before=c1&limit=2 "));
}

#[tokio::test]
async fn next_link_to_the_same_page_is_an_error() {
    let page = r#"{"content":[],"links":[{"rel":"next","href":"https://other.example/x?offset=2"}]}"#;
    let server = Server::start(&[(200, "", page), (200, "", page)]).await;
    let error = server.client().list::<u32>("/companies").collect().await.unwrap_err();
    assert!(matches!(error, Error::Response(_)), "{error:?}");
}

#[tokio::test]
async fn a_page_has_the_requested_size_and_its_first_element_needs_one_request() {
    let page = r#"{"content":[7],"links":[],"metadata":{"contentItemCount":1,"pagination":{"offset":5,"limit":1,"itemCount":9,"total":9}}}"#;
    let server = Server::start(&[(200, "", page), (200, "", page)]).await;
    let list = server.client().list::<Value>("/companies");
    let read = list.clone().page_size(1).page(5).await.unwrap();
    assert_eq!(read.metadata.unwrap().pagination.unwrap().total, 9);
    assert_eq!(list.first().await.unwrap(), Some(Value::from(7)));
    assert!(server.received_requests()[0].head.starts_with("get /companies?offset=5&limit=1 "));
    assert!(server.received_requests()[1].head.starts_with("get /companies?limit=1 "));
}

#[tokio::test]
async fn the_event_feed_continues_after_its_cursor() {
    let page = r#"{"content":[{"eventId":"e1","companyId":"C1","domain":"WRKR_NEW","action":"UPDATE",
        "asOfDate":"2026-06-07T10:10:24.000+00:00","notificationType":"WORKER_MESSAGE","workerId":"W1"}],
        "links":[{"rel":"next","href":"https://other.example/management/events?limit=1000&after=c42"}]}"#;
    let server = Server::start(&[(200, "", page), (200, "", r#"{"content":[],"links":[]}"#)]).await;
    let client = server.client();
    let read = client.events(None).await.unwrap();
    assert_eq!(read.cursor.as_deref(), Some("c42"));
    assert_eq!(read.events[0].domain.as_str(), "WRKR_NEW");
    assert_eq!(read.events[0].as_of_date.unix_timestamp(), 1_780_827_024);
    client.events(read.cursor.as_deref()).await.unwrap();
    assert!(server.received_requests()[1].head.starts_with("get /management/events?limit=1000&after=c42 "));
}
