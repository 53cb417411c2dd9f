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
                several(
                    "Merge patches of workers, each with the id of the worker in `workerId`.",
                    schema_reference("WorkerPatch"),
                ),
            ),
            optional(
                "communications",
                several(
                    "Addresses, telephones and e-mail addresses of workers to add or change.",
                    schema_reference("CommunicationChange"),
                ),
            ),
            optional(
                "payRates",
                several("Pay rates of workers to add or change.", schema_reference("PayRateChange")),
            ),
        ],
    );
    let counts = object_schema(
        "The numbers of objects that the request created, changed and left unchanged.",
        [
            required("created", integer_schema("The number of new objects.")),
            required("changed", integer_schema("The number of changed objects.")),
            required("unchanged", integer_schema("The number of unchanged objects.")),
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
