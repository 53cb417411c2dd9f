//! Compares the audit log and the feed of events with the model.

use std::num::NonZeroU32;
use std::time::Duration;

use payroll_domain::audit::AuditRow;
use payroll_domain::event::Event;
use payroll_ports::audit::AuditQuery;
use payroll_ports::events::{FeedQuery, FeedResult};

use super::super::state::{self, State};
use super::super::system::{System, actor, period_id, timestamp_at};
use super::seconds_since_model_start;

impl System {
    /// Returns at most `limit` audit rows of a company, newest first.
    pub(in super::super) async fn audit_rows(&self, company: usize, limit: u32) -> Vec<AuditRow> {
        let query = AuditQuery {
            before: None,
            company_id: Some(self.company_id(company)),
            visible_companies: None,
            kind: None,
            resource_id: None,
            from: None,
            until: None,
            limit: NonZeroU32::new(limit).unwrap(),
        };
        self.ports.audit.read_audit_log(&query).await.unwrap().rows
    }

    /// Asserts that each change has its audit rows, and that there are no other audit rows.
    pub(super) async fn verify_audit(&self, state: &State, company: usize) {
        let expected = &state.companies[company].audit;
        let (known, last) = {
            let memory = &self.memory.borrow().companies[company];
            (memory.audit_rows, memory.last_audit)
        };
        let new = &expected[known..];
        let rows = self.audit_rows(company, u32::try_from(new.len() + 1).unwrap()).await;
        let (older, rows): (Vec<_>, Vec<_>) =
            rows.into_iter().rev().partition(|row| Some(row.position) <= last);
        let found: Vec<_> = rows
            .iter()
            .map(|row| (row.at, row.action, row.kind, &row.resource_id, row.actor.clone()))
            .collect();
        let ids: Vec<_> = new.iter().map(|entry| self.subject_id(company, entry.subject)).collect();
        let expected_rows: Vec<_> = new
            .iter()
            .zip(&ids)
            .map(|(entry, id)| (timestamp_at(entry.at), entry.action, entry.kind, id, actor(entry.actor)))
            .collect();
        assert_eq!(found, expected_rows, "the audit log of company {company}");
        assert_eq!(older.last().map(|row| row.position), last, "the audit log of company {company}");
        let memory = &mut self.memory.borrow_mut().companies[company];
        memory.audit_rows = expected.len();
        memory.last_audit = rows.last().map_or(last, |row| Some(row.position));
    }

    /// Asserts that the feed contains each event once and in order. On PostgreSQL, an event may be hidden for
    /// some time, so the feed is read repeatedly.
    pub(super) async fn verify_events(&self, state: &State, company: usize) {
        let expected = &state.companies[company].events;
        for read in 1.. {
            self.read_events(company).await;
            self.compare_events(company, expected);
            if self.memory.borrow().companies[company].events.len() == expected.len() {
                return;
            }
            let missing = expected.last();
            assert!(read < self.ports.feed_reads, "the feed of company {company} lacks {missing:?}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    async fn read_events(&self, company: usize) {
        let after = self.memory.borrow().companies[company].cursor;
        let query = FeedQuery {
            after,
            company_id: Some(self.company_id(company)),
            visible_companies: None,
            domain: None,
            limit: NonZeroU32::new(100).unwrap(),
        };
        let feed = self.ports.events.read_events(&query).await.unwrap();
        let FeedResult::Events { events, next } = feed else { panic!("the position of the feed is too old") };
        let memory = &mut self.memory.borrow_mut().companies[company];
        let last = memory.events.last().map(|event| event.position);
        let positions: Vec<_> = last.into_iter().chain(events.iter().map(|event| event.position)).collect();
        assert!(positions.is_sorted_by(|one, next| one < next), "the feed is out of order: {positions:?}");
        memory.events.extend(events);
        memory.cursor = next;
    }

    fn compare_events(&self, company: usize, expected: &[state::Event]) {
        let memory = &self.memory.borrow().companies[company];
        assert!(memory.events.len() <= expected.len(), "unexpected event: {:?}", memory.events.last());
        for (event, expected) in memory.events.iter().zip(expected) {
            assert!(
                self.is_expected_event(company, event, expected),
                "the feed has {event:?}, not {expected:?}"
            );
        }
    }

    fn is_expected_event(&self, company: usize, event: &Event, expected: &state::Event) -> bool {
        let fired = &event.fired;
        let application = event.application_id.as_ref().map(ToString::to_string);
        seconds_since_model_start(event.as_of) == expected.at
            && (fired.domain, fired.action) == (expected.domain, expected.action)
            && application == expected.application.map(|application| format!("app{application}"))
            && fired.worker_id == expected.worker.map(|worker| self.worker_id(company, worker))
            && fired.pay_period_id == expected.period.map(period_id)
    }
}
