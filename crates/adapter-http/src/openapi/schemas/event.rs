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
        "An event: the record of one change.",
        [
            required("eventId", text("The UUID of the event. Its notification has the same id.")),
            required("companyId", id("The company.")),
            optional("workerId", id("The worker. Present if the event domain concerns a worker.")),
            optional(
                "payperiodId",
                id("The pay period. Only present in the domain CLT_PYRN. The name is \
                `payperiodId`, not `payPeriodId`."),
            ),
            required("domain", reference("EventDomain")),
            required("action", reference("EventAction")),
            required("asOfDate", instant("The time at which the event was stored.")),
            required("notificationType", enumeration("The kind of notification.", types)),
        ],
    );
    vec![("Event", event)]
}
