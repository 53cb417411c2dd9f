//! Schemas of bulk changes (specification §11.26).

use payroll_domain::company::Communication;
use payroll_domain::description::Described;
use payroll_domain::document::MAX_CHANGES;
use payroll_domain::worker::PayRate;
use serde_json::Value;

use super::super::super::documents::{SchemaUse, document_schema, request_object_schema};
use super::super::super::schema::{id, integer, list, object, optional, reference, required, with_keyword};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn bulk_schemas() -> NamedSchemas {
    let several = |words, element| with_keyword(list(words, element), "maxItems", MAX_CHANGES);
    let changes = request_object_schema(
        "Changes of many workers of a company.",
        SchemaUse::Request,
        [
            optional("workers", several("Patches, each with its `workerId`.", reference("WorkerPatch"))),
            optional(
                "communications",
                several("Addresses and numbers of workers.", reference("CommunicationChange")),
            ),
            optional("payRates", several("Pay rates of workers.", reference("PayRateChange"))),
        ],
    );
    let counts = object(
        "The number of objects that a bulk change has written.",
        [
            required("created", integer("New objects.")),
            required("changed", integer("Changed objects.")),
            required("unchanged", integer("Unchanged objects.")),
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
    document_schema::<T>(SchemaUse::Patch, [required("workerId", id("The worker."))])
}
