//! A reader of an event feed that only follows `next`, and the conversion of events to texts.

use serde_json::Value;

use super::requests::{CLOCK_APPLICATION, COMPANY_IDS};
use crate::support::{Request, Response};

/// The number of events per page. A small number causes many pages.
const PAGE_QUERY: &str = "limit=7";

/// A reader of an event feed, and the events that it has read so far.
pub(super) struct FeedReader {
    next_url: String,
    events: Vec<Value>,
}

impl FeedReader {
    /// Returns a reader at the beginning of this feed.
    pub(super) fn from_start(feed: &str) -> Self {
        Self { next_url: format!("{feed}?{PAGE_QUERY}"), events: Vec::new() }
    }

    /// Returns the next request of the reader.
    pub(super) fn next_request(&self) -> Request {
        let request = Request::get(self.next_url.as_str());
        if request.is_for_operator_api() {
            request.with_caller(crate::support::Caller::Operator)
        } else {
            request
        }
    }

    /// Adds the events of a page. Returns whether the feed may contain another page.
    pub(super) fn read_response(&mut self, response: &Response) -> bool {
        let of_the_scenario = |event: &Value| COMPANY_IDS.iter().any(|it| event["companyId"] == **it);
        self.events.extend(response.content().into_iter().filter(of_the_scenario));
        let next = response.link("next").expect("a feed always goes on");
        let behind_host = next.split("//").nth(1).and_then(|rest| rest.split_once('/'));
        let next = format!("/{}", behind_host.expect("an absolute address").1);
        let moved = next != self.next_url;
        self.next_url = next;
        moved
    }

    /// Returns the events so far as texts, in order.
    pub(super) fn event_texts(&self) -> Vec<String> {
        self.events.iter().map(event_text).collect()
    }

    /// Returns the ids of the events so far, in order.
    pub(super) fn ids(&self) -> Vec<String> {
        self.events.iter().map(|event| text_member(event, "eventId")).collect()
    }
}

/// Returns the domain, action, company and object of an event. The object is a worker, a pay period or an
/// application.
fn event_text(event: &Value) -> String {
    let mut words = ["domain", "action", "companyId"].map(|member| text_member(event, member)).join(" ");
    // In a partner's feed, all events about access concern the partner's own application. Such events do not
    // contain the id of the application.
    let own = if event["domain"] == "CLT_ACCESS" { CLOCK_APPLICATION } else { "" };
    let subjects = ["workerId", "payperiodId", "applicationId"].map(|member| text_member(event, member));
    let subject = subjects.iter().map(String::as_str).chain([own]).find(|it| !it.is_empty());
    if let Some(subject) = subject {
        words.push(' ');
        words.push_str(subject);
    }
    words
}

fn text_member(event: &Value, member: &str) -> String {
    event[member].as_str().unwrap_or_default().to_owned()
}
