//! Events of the feed (specification §11.20).

use payroll_domain::event::EventDomain;

use super::super::schema::{
    enumeration_schema, id_schema, instant_schema, object_schema, optional, required, schema_reference,
    text_schema,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let mut types: Vec<&str> = Vec::new();
    for domain in EventDomain::ALL {
        if !types.contains(&domain.notification_type()) {
            types.push(domain.notification_type());
        }
    }
    let event = object_schema(
        "An event: the record of one change.",
        [
            required("eventId", text_schema("The UUID of the event. Its notification has the same id.")),
            required("companyId", id_schema("The company.")),
            optional(
                "workerId",
                id_schema(
                    "The worker whose data changed. Only present in event domains \
                that concern a worker.",
                ),
            ),
            optional(
                "payperiodId",
                id_schema(
                    "The pay period that was completed. Only present in the domain CLT_PYRN. The name is \
                `payperiodId`, not `payPeriodId`.",
                ),
            ),
            required("domain", schema_reference("EventDomain")),
            required("action", schema_reference("EventAction")),
            required("asOfDate", instant_schema("The time at which the event was stored.")),
            required("notificationType", enumeration_schema("The kind of notification.", types)),
        ],
    );
    vec![("Event", event)]
}
