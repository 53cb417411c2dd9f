//! Decides which hooks receive an event, for both databases.
//!
//! An event goes to the hooks of applications whose grant for the company has the scopes that the domain
//! requires. An event for one application goes only to the hooks of that application. Deliveries are also
//! queued for inactive hooks, and for hooks of disabled applications. When a delivery is claimed, the server
//! verifies that the application is enabled.
//!
//! Each database inserts events and deliveries in its own way (`fan_out::insert_events` of each database).

use payroll_domain::event::EventDomain;

use crate::error::{Failure, Outcome};
use crate::rows::audit_log::NewEventRow;

/// Inserts the deliveries of events to hooks. The events are either rows of a table or parameters of the
/// statement. `$from` is the start of the FROM clause. The other arguments are SQL expressions: the columns
/// of an event and the two scopes that the event requires.
macro_rules! insert_deliveries_for_all_hooks {
    ($from:literal, $event:literal, $company:literal, $worker:literal, $period:literal,
     $domain:literal, $action:literal, $as_of:literal, $scope:literal, $other:literal) => {
        concat!(
            $crate::fan_out::insert_deliveries!($event, $company, $worker, $period, $domain, $action, $as_of),
            " FROM ",
            $from,
            "grants g CROSS JOIN hooks h WHERE ",
            $crate::fan_out::hook_matches_event!($company, $domain),
            " AND g.company_id = ",
            $company,
            " AND h.application_id = g.application_id AND g.scopes LIKE '%' || ",
            $scope,
            " || '%' AND g.scopes LIKE '%' || ",
            $other,
            " || '%'"
        )
    };
}
pub(crate) use insert_deliveries_for_all_hooks;

/// Like [`insert_deliveries_for_all_hooks`], but only for the hooks of the application in the last
/// argument.
macro_rules! insert_deliveries_for_application_hooks {
    ($from:literal, $event:literal, $company:literal, $worker:literal, $period:literal,
     $domain:literal, $action:literal, $as_of:literal, $application:literal) => {
        concat!(
            $crate::fan_out::insert_deliveries!($event, $company, $worker, $period, $domain, $action, $as_of),
            " FROM ",
            $from,
            "hooks h WHERE ",
            $crate::fan_out::hook_matches_event!($company, $domain),
            " AND h.application_id = ",
            $application
        )
    };
}
pub(crate) use insert_deliveries_for_application_hooks;

macro_rules! insert_deliveries {
    ($event:literal, $company:literal, $worker:literal, $period:literal, $domain:literal,
     $action:literal, $as_of:literal) => {
        concat!(
            "INSERT INTO deliveries (hook, event_id, company_id, worker_id, pay_period_id, domain, \
                action, as_of, queued, due, ordered) SELECT h.hook, ",
            $event,
            ", ",
            $company,
            ", ",
            $worker,
            ", ",
            $period,
            ", ",
            $domain,
            ", ",
            $action,
            ", ",
            $as_of,
            ", ",
            $as_of,
            ", ",
            $as_of,
            ", h.ordered"
        )
    };
}
pub(crate) use insert_deliveries;

/// The condition that a hook is registered for the event.
macro_rules! hook_matches_event {
    ($company:literal, $domain:literal) => {
        concat!(
            "(h.company_id IS NULL OR h.company_id = ",
            $company,
            ") AND h.domains LIKE '% ' || ",
            $domain,
            " || ' %'"
        )
    };
}
pub(crate) use hook_matches_event;

/// Returns the scopes that an event requires, at most two. An empty text replaces a missing scope. Every
/// stored list of scopes contains the empty text, so this scope always matches.
pub(crate) fn required_scopes(event: &NewEventRow) -> Outcome<[&'static str; 2]> {
    let domain = EventDomain::parse(&event.domain);
    let domain = domain.ok_or_else(|| Failure::Bug(format!("an event of the domain {:?}", event.domain)))?;
    let mut scopes = domain.needed_scopes().iter().map(|scope| scope.as_str());
    Ok([scopes.next().unwrap_or_default(), scopes.next().unwrap_or_default()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_domain_needs_at_most_two_scopes() {
        assert!(EventDomain::ALL.iter().all(|domain| domain.needed_scopes().iter().count() <= 2));
    }
}
