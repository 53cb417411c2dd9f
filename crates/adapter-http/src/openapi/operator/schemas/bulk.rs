//! Schemas of bulk changes (specification §11.26).

use payroll_domain::company::Communication;
use payroll_domain::description::Described;
use payroll_domain::document::MAX_CHANGES;
use payroll_domain::worker::PayRate;
use serde_json::Value;

use super::super::super::documents::{SchemaUse, document_schema, request_object_schema};
use super::super::super::schema::{
    id, list, non_negative_integer, object, optional_member, reference, required_member, with_keyword,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn bulk_schemas() -> NamedSchemas {
    let several = |words, element| with_keyword(list(words, element), "maxItems", MAX_CHANGES);
    let changes = request_object_schema(
        "Changes of many workers of a company.",
        SchemaUse::Request,
        [
            optional_member(
                "workers",
                several("Patches, each with its `workerId`.", reference("WorkerPatch")),
            ),
            optional_member(
                "communications",
                several("Addresses and numbers of workers.", reference("CommunicationChange")),
            ),
            optional_member("payRates", several("Pay rates of workers.", reference("PayRateChange"))),
        ],
    );
    let counts = object(
        "The number of objects that a bulk change has written.",
        [
            required_member("created", non_negative_integer("New objects.")),
            required_member("changed", non_negative_integer("Changed objects.")),
            required_member("unchanged", non_negative_integer("Unchanged objects.")),
        ],
    );
    vec![
        ("WorkerChanges", changes),
        ("CommunicationChange", worker_element_schema::<Communication>()),
        ("PayRateChange", worker_element_schema::<PayRate>()),
        ("ChangeCounts", counts),
    ]
}

/// Returns the schema of an element of a worker's list, with the id of the worker.
fn worker_element_schema<T: Described>() -> Value {
    document_schema::<T>(SchemaUse::Patch, [required_member("workerId", id("The worker."))])
}
