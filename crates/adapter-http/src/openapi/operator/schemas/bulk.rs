//! Schemas of bulk changes (specification §11.26).

use payroll_domain::company::Communication;
use payroll_domain::description::Described;
use payroll_domain::document::MAX_CHANGES;
use payroll_domain::worker::PayRate;
use serde_json::Value;

use super::super::super::documents::{SchemaUse, document_schema, request_object_schema};
use super::super::super::schema::{count, id, list, object, optional, reference, required, with_keyword};
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
            required("created", count("New objects.")),
            required("changed", count("Changed objects.")),
            required("unchanged", count("Unchanged objects.")),
        ],
    );
    vec![
        ("WorkerChanges", changes),
        ("CommunicationChange", part_of_worker::<Communication>()),
        ("PayRateChange", part_of_worker::<PayRate>()),
        ("ChangeCounts", counts),
    ]
}

/// Returns the schema of an element of a worker's list, with the id of the worker.
fn part_of_worker<T: Described>() -> Value {
    document_schema::<T>(SchemaUse::Patch, [required("workerId", id("The worker."))])
}
