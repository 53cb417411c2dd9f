//! Events of the feed (specification §11.20).

use payroll_domain::event::EventDomain;

use super::super::schema::{enumeration, id, instant, object, optional, reference, required, text};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let mut types: Vec<&str> = Vec::new();
    for domain in EventDomain::ALL {
        if !types.contains(&domain.notification_type()) {
            types.push(domain.notification_type());
        }
    }
    let event = object(
        "Something that has changed.",
        [
            required("eventId", text("The UUID of the event. Its notification has the same id.")),
            required("companyId", id("The company.")),
            optional("workerId", id("The worker. Present if the event domain concerns a worker.")),
            optional("payperiodId", id("The pay period, in CLT_PYRN. With a small p, as in notifications.")),
            required("domain", reference("EventDomain")),
            required("action", reference("EventAction")),
            required("asOfDate", instant("The time at which the event was stored.")),
            required("notificationType", enumeration("The kind of notification.", types)),
        ],
    );
    vec![("Event", event)]
}
