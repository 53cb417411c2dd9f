//! The requests that ended within a second, limited per application. Without this limit, the log of an
//! application with many requests would be the main load on the database.

use std::collections::{HashMap, VecDeque};

use actix_web::http::StatusCode;
use payroll_domain::id::ApplicationId;
use payroll_ports::requests::LoggedRequest;

/// The maximum number of pending entries of each kind, at about 500 bytes each (5 MB). A busy server
/// creates as many entries per second.
pub(super) const MAX_PENDING: usize = 10_000;

/// The maximum number of requests of one application that are stored per second.
const MAX_PER_APPLICATION: usize = 50;
/// The maximum number of requests of all applications together that are stored per second. This number is
/// about one percent of what the database can write.
const MAX_PER_SECOND: usize = 500;

/// The maximum number of bytes of pending details of one application. Ten requests with large bodies fit.
const MAX_DETAIL_BYTES_PER_APPLICATION: usize = 128 * 1024;
/// The maximum number of bytes of pending details of all applications.
const MAX_DETAIL_BYTES: usize = 4 * 1024 * 1024;

/// The ended requests that are not written to the request log yet, by application.
#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    applications: HashMap<ApplicationId, RecentRequests>,
    /// The number of pending requests of all applications.
    pending_count: usize,
    /// The bytes of the pending details of all applications.
    detail_bytes: usize,
}

/// The newest requests of one application within the current second.
#[derive(Debug, Default)]
struct RecentRequests {
    requests: VecDeque<LoggedRequest>,
    /// The newest request with status 429. This request is stored separately, because such requests are
    /// numerous and would displace all other requests.
    rate_limited: Option<LoggedRequest>,
    /// The number of requests that were discarded to make room for newer requests.
    displaced_count: u64,
    /// The bytes of the pending details.
    detail_bytes: usize,
}

impl PendingRequests {
    pub(super) fn is_empty(&self) -> bool {
        self.pending_count == 0
    }

    /// Adds a request. Returns `false` if there is no room for the request. Details that exceed their limits
    /// are discarded.
    pub(super) fn add(&mut self, mut request: LoggedRequest) -> bool {
        let newest = match self.applications.get_mut(&request.application_id) {
            Some(newest) => newest,
            None if self.pending_count >= MAX_PENDING => return false,
            None => self.applications.entry(request.application_id.clone()).or_default(),
        };
        if request.status == StatusCode::TOO_MANY_REQUESTS.as_u16() {
            let replaced = newest.rate_limited.replace(request).is_some();
            newest.displaced_count += u64::from(replaced);
            self.pending_count += usize::from(!replaced);
            return true;
        }
        if newest.requests.len() == MAX_PER_APPLICATION {
            let freed_bytes = newest.truncate(MAX_PER_APPLICATION - 1);
            self.detail_bytes = self.detail_bytes.saturating_sub(freed_bytes);
        } else if self.pending_count >= MAX_PENDING {
            return false;
        } else {
            self.pending_count += 1;
        }
        if let Some(details) = &request.details {
            let own = newest.detail_bytes + details.0.len();
            let all = self.detail_bytes + details.0.len();
            if own <= MAX_DETAIL_BYTES_PER_APPLICATION && all <= MAX_DETAIL_BYTES {
                (newest.detail_bytes, self.detail_bytes) = (own, all);
            } else {
                request.details = None;
            }
        }
        newest.requests.push_back(request);
        true
    }

    /// Removes and returns the requests to store for this second. The requests of one application are in
    /// order of arrival, except that the request with status 429 is last.
    pub(super) fn take_due_requests(&mut self) -> Vec<LoggedRequest> {
        (self.pending_count, self.detail_bytes) = (0, 0);
        let share = MAX_PER_SECOND.checked_div(self.applications.len()).unwrap_or(0).max(1);
        self.applications.drain().flat_map(|(_, newest)| newest.into_rows(share)).collect()
    }
}

impl RecentRequests {
    /// Removes the oldest requests until `max_requests` are left. Returns the number of bytes of the removed
    /// details.
    fn truncate(&mut self, max_requests: usize) -> usize {
        let excess = self.requests.len().saturating_sub(max_requests);
        let removed = self.requests.drain(..excess).filter_map(|removed| removed.details);
        let freed_bytes = removed.map(|details| details.0.len()).sum();
        self.displaced_count += excess as u64;
        self.detail_bytes = self.detail_bytes.saturating_sub(freed_bytes);
        freed_bytes
    }

    /// Returns at most `max_rows` requests, and the request with status 429. The first returned request
    /// contains the number of displaced requests.
    fn into_rows(mut self, max_rows: usize) -> VecDeque<LoggedRequest> {
        self.truncate(max_rows);
        self.requests.extend(self.rate_limited);
        if let Some(first) = self.requests.front_mut() {
            first.skipped_before = self.displaced_count;
        }
        self.requests
    }
}

#[cfg(test)]
mod tests {
    use payroll_domain::date::Timestamp;
    use payroll_ports::requests::RequestDetails;

    use super::*;

    fn logged_request_with_status(application: &str, number: usize, status: u16) -> LoggedRequest {
        LoggedRequest {
            application_id: application.parse().unwrap(),
            at: Timestamp::from_micros(0),
            duration_micros: 0,
            method: "GET".into(),
            route: "/companies".into(),
            company_id: None,
            status,
            codes: Vec::new(),
            request_id: number.to_string(),
            correlation_id: None,
            skipped_before: 0,
            details: None,
        }
    }

    /// Creates a request with details of this length.
    fn request_with_details(application: &str, number: usize, bytes: usize) -> LoggedRequest {
        let details = Some(RequestDetails("d".repeat(bytes)));
        LoggedRequest { details, ..logged_request_with_status(application, number, 400) }
    }

    /// Returns the id of each request as a number, and how many requests the full queue dropped since the
    /// previous one.
    fn ids_and_gaps(rows: &[LoggedRequest]) -> Vec<(usize, u64)> {
        rows.iter().map(|row| (row.request_id.parse().unwrap(), row.skipped_before)).collect()
    }

    #[test]
    fn oldest_requests_are_dropped_and_counted() {
        let mut gathered = PendingRequests::default();
        (0..MAX_PER_APPLICATION + 7)
            .for_each(|number| assert!(gathered.add(logged_request_with_status("busy", number, 200))));
        let rows = gathered.take_due_requests();
        assert_eq!(
            (rows.len(), ids_and_gaps(&rows)[0], ids_and_gaps(&rows)[1]),
            (MAX_PER_APPLICATION, (7, 7), (8, 0))
        );
        assert!(gathered.take_due_requests().is_empty());
    }

    #[test]
    fn rate_limited_requests_are_merged_and_displace_no_other() {
        let mut gathered = PendingRequests::default();
        gathered.add(logged_request_with_status("eager", 1, 200));
        (2..500).for_each(|number| assert!(gathered.add(logged_request_with_status("eager", number, 429))));
        assert_eq!(ids_and_gaps(&gathered.take_due_requests()), [(1, 497), (499, 0)]);
        gathered.add(logged_request_with_status("eager", 1, 429));
        assert_eq!(ids_and_gaps(&gathered.take_due_requests()), [(1, 0)]);
    }

    #[test]
    fn a_displaced_request_frees_the_memory_of_its_details() {
        let mut gathered = PendingRequests::default();
        let bytes = MAX_DETAIL_BYTES_PER_APPLICATION / MAX_PER_APPLICATION;
        (0..2 * MAX_PER_APPLICATION)
            .for_each(|number| assert!(gathered.add(request_with_details("busy", number, bytes))));
        assert_eq!(gathered.detail_bytes, bytes * MAX_PER_APPLICATION);
        let rows = gathered.take_due_requests();
        assert!(rows.iter().all(|row| row.details.is_some()), "no details are discarded");
    }

    #[test]
    fn many_applications_share_the_limit_of_stored_requests() {
        let mut gathered = PendingRequests::default();
        for number in 0..20 {
            (0..MAX_PER_SECOND).for_each(|application| {
                assert!(gathered.add(logged_request_with_status(&format!("a{application}"), number, 200)))
            });
        }
        let rows = gathered.take_due_requests();
        assert!(
            rows.len() == MAX_PER_SECOND && rows.iter().all(|row| row.skipped_before == 19),
            "{}",
            rows.len()
        );
    }

    #[test]
    fn request_details_are_limited_per_application_and_in_total() {
        let with_details = |rows: Vec<LoggedRequest>| rows.iter().filter(|row| row.details.is_some()).count();
        let mut gathered = PendingRequests::default();
        let third = MAX_DETAIL_BYTES_PER_APPLICATION / 3;
        (0..9).for_each(|number| assert!(gathered.add(request_with_details("eager", number, third))));
        assert_eq!(with_details(gathered.take_due_requests()), 3);
        let applications = MAX_DETAIL_BYTES / MAX_DETAIL_BYTES_PER_APPLICATION;
        for number in 0..2 * applications {
            let request = request_with_details(&format!("a{number}"), 1, MAX_DETAIL_BYTES_PER_APPLICATION);
            assert!(gathered.add(request));
        }
        assert_eq!(with_details(gathered.take_due_requests()), applications);
    }
}
