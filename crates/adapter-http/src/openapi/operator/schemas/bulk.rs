//! Schemas of bulk changes (specification §11.26).

use payroll_domain::company::Communication;
use payroll_domain::description::Described;
use payroll_domain::document::MAX_CHANGES;
use payroll_domain::worker::PayRate;
use serde_json::Value;

use super::super::super::documents::{SchemaUse, document_schema, request_object_schema};
use super::super::super::schema::{
    id_schema, integer_schema, list_schema, object_schema, optional, required, schema_reference, with_keyword,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn bulk_schemas() -> NamedSchemas {
    let several = |words, element| with_keyword(list_schema(words, element), "maxItems", MAX_CHANGES);
    let changes = request_object_schema(
        "Changes of many workers of a company.",
        SchemaUse::Request,
        [
            optional(
                "workers",
                several("Patches, each with its `workerId`.", schema_reference("WorkerPatch")),
            ),
            optional(
                "communications",
                several("Addresses and numbers of workers.", schema_reference("CommunicationChange")),
            ),
            optional("payRates", several("Pay rates of workers.", schema_reference("PayRateChange"))),
        ],
    );
    let counts = object_schema(
        "The number of objects that a bulk change has written.",
        [
            required("created", integer_schema("New objects.")),
            required("changed", integer_schema("Changed objects.")),
            required("unchanged", integer_schema("Unchanged objects.")),
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
    document_schema::<T>(SchemaUse::Patch, [required("workerId", id_schema("The worker."))])
}
