//! Schemas of the JSON documents that operators send and receive (specification §11.18). The schemas are
//! generated from the descriptions of the resources in the domain. Each resource has one schema for
//! responses, one for complete documents in requests, and one for merge patches.
//!
//! Schemas of requests forbid unknown members, because the server rejects such members. A request may omit
//! the id of the object. The server then uses the id in the path, or generates an id.

use payroll_domain::description::{Described, Member as DescribedMember, MemberShape, MemberView};
use payroll_domain::tax_id::LegalIdType;
use serde_json::{Value, json};

use super::schema::{
    ObjectMember, boolean_schema, described_members, element_description, enumeration_schema, id_schema,
    list_schema, object_schema, optional, or_null, plain_text_schema, request_date_schema, required,
    with_keyword,
};

/// The maximum number of characters of names in operators' requests.
pub(super) const OPERATOR_NAME_LENGTH: u64 = 100;
pub(super) const MAX_NOTE_LENGTH: u64 = 500;

/// The patterns of numbers in requests: amounts, rates, quantities and signed quantities. The server accepts
/// each number that matches the pattern of its kind.
const SENT_AMOUNT_PATTERN: &str = r"^(0|[1-9][0-9]{0,6})(\.[0-9]{1,2})?$";
const SENT_RATE_PATTERN: &str = r"^(0|[1-9][0-9]{0,5})(\.[0-9]{1,4})?$";
const SENT_QUANTITY_PATTERN: &str = r"^(0|[1-9][0-9]{0,5})(\.[0-9]{1,4})?$";
const SENT_SIGNED_QUANTITY_PATTERN: &str = r"^-?(0|[1-9][0-9]{0,5})(\.[0-9]{1,4})?$";

/// Whether a schema describes a document in a response, a complete document in a request, or a merge patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaUse {
    /// The document is part of a response.
    Response,
    /// The complete document is sent in a request.
    Request,
    /// The document is sent as a merge patch (RFC 7396).
    Patch,
}

/// Returns the schema of a resource from its description in the domain ([`Described`]). The members `others`
/// come after the members of the resource.
pub(super) fn document_schema<T: Described>(
    purpose: SchemaUse,
    others: impl IntoIterator<Item = ObjectMember>,
) -> Value {
    let description = T::WORDS.trim();
    match purpose {
        SchemaUse::Response => {
            object_schema(description, described_members(MemberView::Operator, T::MEMBERS).chain(others))
        }
        SchemaUse::Request | SchemaUse::Patch => {
            described_object_schema(description, purpose, T::MEMBERS, others)
        }
    }
}

/// Returns the schema of a resource in partners' requests, from its description in the domain
/// ([`Described`]). The schema allows unknown members, because the server ignores them. A request may omit
/// the members in `optional`, although each stored resource has these members.
pub(super) fn request_schema<T: Described>(purpose: SchemaUse, optional: &[&str]) -> Value {
    request_schema_with::<T>(purpose, optional, [])
}

/// Returns a schema like [`request_schema`]. The members `others` follow the members of the resource.
pub(super) fn request_schema_with<T: Described>(
    purpose: SchemaUse,
    optional: &[&str],
    others: impl IntoIterator<Item = ObjectMember>,
) -> Value {
    let seen = T::MEMBERS.iter().filter(|member| MemberView::Full.shows_member_limited_to(member.views));
    let mut schema =
        allow_additional_members(described_object_schema(T::WORDS.trim(), purpose, seen, others));
    let Some(members) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(required)) = members.get_mut("required") {
        required.retain(|member| member.as_str().is_none_or(|member| !optional.contains(&member)));
    }
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        for (_, schema) in properties.iter_mut().filter(|(name, _)| optional.contains(&name.as_str())) {
            *schema = or_null(schema.take());
        }
    }
    if purpose == SchemaUse::Patch {
        members.insert("minProperties".to_owned(), json!(1));
    }
    schema
}

/// Allows additional members in each object of a schema.
fn allow_additional_members(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(members) => {
            members.remove("additionalProperties");
            members.values_mut().for_each(|value| *value = allow_additional_members(value.take()));
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|value| *value = allow_additional_members(value.take()))
        }
        _ => {}
    }
    schema
}

/// Returns the schema of an object in a request. The schema forbids unknown members. In a patch, no member is
/// required.
pub(super) fn request_object_schema(
    description: &str,
    purpose: SchemaUse,
    members: impl IntoIterator<Item = ObjectMember>,
) -> Value {
    let members = members.into_iter().map(|member| match purpose {
        SchemaUse::Patch => member.for_merge_patch(),
        SchemaUse::Response | SchemaUse::Request => member.or_null_if_optional(),
    });
    with_keyword(object_schema(description, members), "additionalProperties", false)
}

fn described_object_schema(
    description: &str,
    purpose: SchemaUse,
    described: impl IntoIterator<Item = &'static DescribedMember>,
    others: impl IntoIterator<Item = ObjectMember>,
) -> Value {
    let mut has_id = false;
    let mut own = Vec::new();
    for member in described {
        let shape = (member.shape)();
        let is_own_id = matches!(shape, MemberShape::Id) && !std::mem::replace(&mut has_id, true);
        let may_be_left_out = !member.required || is_own_id || member.has_default;
        let schema = request_member_schema(&shape, member.words.trim(), purpose);
        own.push(match may_be_left_out {
            true => optional(member.name, schema),
            false => required(member.name, schema),
        });
    }
    request_object_schema(description, purpose, own.into_iter().chain(others))
}

/// Returns the schema of a member in a request.
fn request_member_schema(shape: &MemberShape, description: &str, purpose: SchemaUse) -> Value {
    // A patch replaces a list completely, so the patch must contain complete elements.
    let element = element_description(description);
    let elements = |described| {
        list_schema(description, described_object_schema(&element, SchemaUse::Request, described, []))
    };
    let decimal = |pattern: &str| json!({"type": "string", "description": description, "pattern": pattern});
    match shape {
        MemberShape::Id => id_schema(description),
        MemberShape::Text(longest) => {
            plain_text_schema(description, u64::try_from(*longest).unwrap_or(u64::MAX))
        }
        MemberShape::Enumeration(all) => enumeration_schema(description, all),
        MemberShape::Amount => decimal(SENT_AMOUNT_PATTERN),
        MemberShape::Rate => decimal(SENT_RATE_PATTERN),
        MemberShape::Quantity => decimal(SENT_QUANTITY_PATTERN),
        MemberShape::SignedQuantity => decimal(SENT_SIGNED_QUANTITY_PATTERN),
        MemberShape::Number => json!({"type": "number", "description": description}),
        MemberShape::Flag => boolean_schema(description),
        MemberShape::Date => request_date_schema(description),
        MemberShape::Place(last) => {
            json!({"type": "integer", "description": description, "minimum": 0, "maximum": last})
        }
        MemberShape::Count(most) => {
            json!({"type": "integer", "description": description, "minimum": 1, "maximum": most})
        }
        MemberShape::Words(all) => list_schema(description, enumeration_schema(&element, all)),
        MemberShape::Texts(longest) => {
            list_schema(description, plain_text_schema(&element, u64::try_from(*longest).unwrap_or(u64::MAX)))
        }
        MemberShape::Object(described) => described_object_schema(description, purpose, *described, []),
        MemberShape::Objects(described) => elements(*described),
        MemberShape::Reference(member) => {
            request_object_schema(description, purpose, [required(member, id_schema(description))])
        }
        MemberShape::TaxIdentity => tax_identity_schema(description, purpose),
        MemberShape::AccountNumber => {
            json!({"type": "string", "description": description, "pattern": "^[0-9]{5,17}$"})
        }
    }
}

fn tax_identity_schema(description: &str, purpose: SchemaUse) -> Value {
    let digits =
        json!({"type": "string", "pattern": "^[0-9]{9}$", "description": "The 9 digits of the tax id."});
    let members = [
        required(
            "legalIdType",
            enumeration_schema("The kind of the tax id, such as SSN or FEIN.", LegalIdType::ALL),
        ),
        required("legalIdValue", digits),
    ];
    request_object_schema(description, purpose, members)
}
