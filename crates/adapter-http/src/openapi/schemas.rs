//! The schemas of requests and responses, with one file for each kind of resource. Schemas of responses match
//! the modules named `wire`. Schemas of requests match the parsers of the domain. The tests validate each
//! received response against its schema.

pub(super) mod access;
pub(super) mod check;
pub(super) mod company;
pub(super) mod custom_field;
pub(super) mod delivery;
pub(super) mod event;
pub(super) mod hook;
pub(super) mod list;
pub(super) mod named;
pub(super) mod pay_component;
pub(super) mod pay_period;
pub(super) mod request;
pub(super) mod token;
pub(super) mod worker;
pub(super) mod worker_files;
mod worker_pay;

use self::named::NamedSchemas;
use super::schema::{absolute_url_schema, object_schema, required, text_schema};

/// Returns all schemas of the partner API.
pub(super) fn all_schemas() -> NamedSchemas {
    let files = [
        link_schema(),
        access::schemas(),
        check::schemas(),
        company::schemas(),
        custom_field::schemas(),
        delivery::schemas(),
        event::schemas(),
        hook::schemas(),
        list::schemas(),
        pay_component::schemas(),
        pay_period::schemas(),
        request::schemas(),
        token::schemas(),
        worker::schemas(),
        worker_files::schemas(),
        worker_pay::schemas(),
    ];
    files.into_iter().flatten().collect()
}

/// Returns the schemas with these names. The operator API also uses these schemas.
pub(super) fn select_schemas(names: &[&str]) -> NamedSchemas {
    let known = all_schemas().into_iter().chain(super::webhooks::schemas());
    known.filter(|(name, _)| names.contains(name)).collect()
}

fn link_schema() -> NamedSchemas {
    let link = object_schema(
        "A link to a related resource.",
        [
            required(
                "rel",
                text_schema(
                    "The relation of the linked resource to this one, such as `self`, `next`, `previous` \
                     or `workers`.",
                ),
            ),
            required("href", absolute_url_schema("The absolute URL of the related resource.")),
        ],
    );
    vec![("Link", link)]
}
