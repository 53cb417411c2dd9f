//! Builds schemas from objects, members and the value types of the specification (§1.4 to §1.7), in JSON
//! Schema 2020-12 for OpenAPI 3.1.
//!
//! In a response, an optional member may be absent and no member is `null`. In a request, `null` counts as
//! absent, so [`ObjectMember::or_null`] describes optional members.
//!
//! The schemas of objects allow additional members, so generated clients accept members that are added later.
//! The tests forbid additional members in responses. A response with a member that the schema lacks then
//! fails a test.

use std::fmt::Display;

use payroll_domain::description::{self, Described, MemberShape, MemberView};
use payroll_domain::id::MAX_ID_LENGTH;
use payroll_domain::money::AMOUNT_DECIMAL_PLACES;
use serde_json::{Map, Value, json};

/// The pattern of a decimal in a request: a JSON number without exponent (§1.6).
const SENT_DECIMAL_PATTERN: &str = r"^(0|[1-9][0-9]*)(\.[0-9]+)?$";
/// The pattern of a date in a request: a date of the years 0001 to 9999, optionally with a time (§1.7).
const SENT_DATE_PATTERN: &str = concat!(
    r"^((000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})-",
    r"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))",
    // February 29 is valid only in leap years.
    r"|([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)-02-29)",
    r"(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{3})?Z)?$"
);
/// The pattern of a text without control characters.
const PLAIN_TEXT_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";

/// A member of an object.
pub(super) struct ObjectMember {
    name: &'static str,
    schema: Value,
    required: bool,
}

/// Creates a member that is always present.
pub(super) const fn required(name: &'static str, schema: Value) -> ObjectMember {
    ObjectMember { name, schema, required: true }
}

/// Creates a member that may be absent.
pub(super) const fn optional(name: &'static str, schema: Value) -> ObjectMember {
    ObjectMember { name, schema, required: false }
}

impl ObjectMember {
    /// Allows `null` in addition to the schema of the member.
    pub(super) fn or_null(mut self) -> Self {
        self.schema = or_null(self.schema);
        self
    }

    /// Allows `null` for an optional member of a request. There, `null` counts as absent.
    pub(super) fn or_null_if_optional(self) -> Self {
        if self.required { self } else { self.or_null() }
    }

    /// Makes the member optional.
    pub(super) fn or_absent(self) -> Self {
        Self { required: false, ..self }
    }

    /// Converts the member for a merge patch. A patch may omit the member, and `null` removes the stored
    /// value.
    pub(super) fn for_merge_patch(self) -> Self {
        self.or_absent().or_null()
    }
}

/// Allows `null` in addition to the schema.
pub(super) fn or_null(mut schema: Value) -> Value {
    let Some(members) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(words)) = members.get_mut("enum").filter(|words| !is_nullable(words)) {
        words.push(Value::Null);
    }
    match members.get_mut("type") {
        Some(Value::Array(types)) if types.iter().any(|known| known == "null") => {}
        Some(Value::Array(types)) => types.push("null".into()),
        Some(one) => *one = json!([one, "null"]),
        None => return json!({"anyOf": [schema, {"type": "null"}]}),
    }
    schema
}

fn is_nullable(values: &Value) -> bool {
    values.as_array().is_some_and(|values| values.contains(&Value::Null))
}

/// Returns the schema of an object with these members.
pub(super) fn object_schema(description: &str, members: impl IntoIterator<Item = ObjectMember>) -> Value {
    let (mut properties, mut always) = (Map::new(), Vec::new());
    for ObjectMember { name, schema, required } in members {
        if required {
            always.push(name);
        }
        properties.insert(name.to_owned(), schema);
    }
    let mut schema = json!({"type": "object", "description": description, "properties": properties});
    if let Some(members) = schema.as_object_mut().filter(|_| !always.is_empty()) {
        members.insert("required".to_owned(), json!(always));
    }
    schema
}

/// Returns the schema of a resource in a response, from its description in the domain ([`Described`]).
pub(super) fn described_schema<T: Described>() -> Value {
    described_schema_with::<T>([])
}

/// Returns a schema like [`described_schema`], with the members `others` after those of the resource.
pub(super) fn described_schema_with<T: Described>(others: impl IntoIterator<Item = ObjectMember>) -> Value {
    object_schema(T::WORDS.trim(), described_members(MemberView::Full, T::MEMBERS).chain(others))
}

/// Returns the described members that are visible in this view.
pub(super) fn described_members(
    view: MemberView,
    described: &'static [description::Member],
) -> impl Iterator<Item = ObjectMember> {
    described.iter().filter(move |member| view.shows_member_limited_to(member.views)).map(move |member| {
        ObjectMember {
            name: member.name,
            schema: shape_schema(view, &(member.shape)(), member.words.trim()),
            required: member.required,
        }
    })
}

/// Converts the schema of an object for the response to POST. After a dry run, the object has no id and no
/// links, so these members are optional.
pub(super) fn created_object_schema(mut object: Value, id: &str) -> Value {
    if let Some(Value::Array(required)) = object.get_mut("required") {
        required.retain(|member| member.as_str().is_none_or(|member| member != id && member != "links"));
    }
    object
}

/// Replaces the schema of a member by a reference.
pub(super) fn with_member_reference(object: Value, member: &str, schema: &str) -> Value {
    with_member_schema(object, member, schema_reference(schema))
}

/// Replaces the schema of a member, if it exists.
pub(super) fn with_member_schema(mut object: Value, member: &str, schema: Value) -> Value {
    if let Some(member) = object.pointer_mut(&format!("/properties/{member}")) {
        *member = schema;
    }
    object
}

/// Returns the schema of a member of a response.
fn shape_schema(view: MemberView, shape: &MemberShape, description: &str) -> Value {
    // In every view for partners, a nested object has all members that partners can see.
    let within = if view == MemberView::Operator { view } else { MemberView::Full };
    match shape {
        MemberShape::Id => id_schema(description),
        MemberShape::Text(_) => text_schema(description),
        MemberShape::Enumeration(words) => enumeration_schema(description, words),
        MemberShape::Amount => amount_schema(description),
        MemberShape::Rate => rate_schema(description),
        MemberShape::Quantity | MemberShape::SignedQuantity => quantity_schema(description),
        MemberShape::Number => json!({"type": "number", "description": description}),
        MemberShape::Flag => boolean_schema(description),
        MemberShape::Date => date_schema(description),
        MemberShape::Count(_) | MemberShape::Place(_) => integer_schema(description),
        MemberShape::Words(words) => {
            list_schema(description, enumeration_schema(&element_description(description), words))
        }
        MemberShape::Texts(_) => list_schema(description, text_schema(&element_description(description))),
        MemberShape::Object(described) => object_schema(description, described_members(within, described)),
        MemberShape::Objects(described) => {
            let element = element_description(description);
            list_schema(description, object_schema(&element, described_members(within, described)))
        }
        MemberShape::Reference(member) => {
            object_schema(description, [required(member, id_schema(description))])
        }
        MemberShape::TaxIdentity => schema_reference("LegalId"),
        MemberShape::AccountNumber => text_schema(description),
    }
}

/// Sets a keyword of a schema.
pub(super) fn with_keyword(mut schema: Value, keyword: &str, value: impl Into<Value>) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.insert(keyword.to_owned(), value.into());
    }
    schema
}

/// Returns a reference to a schema in the components.
pub(super) fn schema_reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Returns the schema of a list.
pub(super) fn list_schema(description: &str, items: Value) -> Value {
    json!({"type": "array", "description": description, "items": items})
}

/// Returns the schema of a string.
pub(super) fn text_schema(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// Returns the schema of a string in a request, from 1 to `max_length` characters without control characters.
pub(super) fn plain_text_schema(description: &str, max_length: impl Into<u64>) -> Value {
    json!({"type": "string", "description": description, "minLength": 1, "maxLength": max_length.into(), "pattern": PLAIN_TEXT_PATTERN})
}

/// Returns the schema of an opaque id, with a description from [`id_description`].
pub(super) fn id_schema(description: &str) -> Value {
    json!({
        "type": "string", "description": id_description(description),
        "minLength": 1, "maxLength": MAX_ID_LENGTH, "pattern": "^[A-Za-z0-9_-]+$",
    })
}

/// Returns the description of an id, from the description of the object: `The worker.` becomes
/// `The id of the worker.`
pub(super) fn id_description(description: &str) -> String {
    let mut words = description.split(|letter: char| !letter.is_alphanumeric());
    let names_id = words.any(|word| matches!(word, "id" | "Id" | "ids"));
    match description.split_once(' ') {
        Some((article @ ("The" | "A" | "An"), noun)) if !names_id => {
            format!("The id of {} {noun}", article.to_lowercase())
        }
        _ => description.to_owned(),
    }
}

/// Returns the description of an element, from the description of its list: `Telephones of the person.`
/// becomes `One of the telephones of the person.`
pub(super) fn element_description(list: &str) -> String {
    let plural = [", with ", ", such as ", ": ", ". "]
        .into_iter()
        .fold(list, |text, mark| text.split_once(mark).map_or(text, |(before, _)| before));
    let plural = plural.strip_prefix("The ").unwrap_or(plural).trim_end_matches('.');
    let mut letters = plural.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase().to_string()).unwrap_or_default();
    format!("One of the {first}{}.", letters.as_str())
}

/// Returns the schema of an enumeration.
pub(super) fn enumeration_schema(description: &str, words: impl IntoIterator<Item = impl Display>) -> Value {
    let words: Vec<_> = words.into_iter().map(|word| word.to_string()).collect();
    json!({"type": "string", "description": description, "enum": words})
}

/// Returns the schema of a boolean.
pub(super) fn boolean_schema(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// Returns the schema of an integer that is not negative.
pub(super) fn integer_schema(description: &str) -> Value {
    json!({"type": "integer", "description": description, "minimum": 0})
}

/// Returns the schema of a date in a response. The date is written as a time at midnight, such as
/// `2026-06-05T00:00:00Z`.
pub(super) fn date_schema(description: &str) -> Value {
    json!({"type": "string", "description": description, "format": "date-time", "examples": ["2026-06-05T00:00:00Z"]})
}

/// Returns the schema of a date in a request.
pub(super) fn request_date_schema(description: &str) -> Value {
    json!({"type": "string", "description": description, "pattern": SENT_DATE_PATTERN, "examples": ["2026-06-05"]})
}

/// Returns the schema of a time in a request. A date without a time means the start of that day.
pub(super) fn request_instant_schema(description: &str) -> Value {
    let description = format!("{description} A date is the beginning of that day, in UTC.");
    json!({"type": "string", "description": description, "pattern": SENT_DATE_PATTERN, "examples": ["2026-06-05T10:00:00Z"]})
}

/// Returns the schema of a cursor, which is opaque and comes from a response of the same operation.
pub(super) fn cursor_schema(description: &str) -> Value {
    json!({"type": "string", "description": description, "pattern": "^[a-z][A-Za-z0-9_-]{16}$"})
}

/// Returns the schema of a time with milliseconds.
pub(super) fn instant_schema(description: &str) -> Value {
    json!({"type": "string", "description": description, "format": "date-time", "examples": ["2026-07-28T00:37:25.149Z"]})
}

/// Returns the schema of an amount in a response, with 2 decimals.
pub(super) fn amount_schema(description: &str) -> Value {
    let pattern = format!(r"^-?[0-9]+\.[0-9]{{{AMOUNT_DECIMAL_PLACES}}}$");
    json!({"type": "string", "description": description, "pattern": pattern, "examples": ["120.50"]})
}

/// Returns the schema of a rate in a response, with 4 decimals.
pub(super) fn rate_schema(description: &str) -> Value {
    json!({"type": "string", "description": description, "pattern": r"^-?[0-9]+\.[0-9]{4}$", "examples": ["20.0000"]})
}

/// Returns the schema of hours or units in a response, without trailing zeros.
pub(super) fn quantity_schema(description: &str) -> Value {
    json!({"type": "string", "description": description, "pattern": r"^-?[0-9]+(\.[0-9]*[1-9])?$", "examples": ["7.25"]})
}

/// Returns the schema of a decimal in a request. JSON numbers are also accepted but not described. With a
/// second type in the schema, generated clients would use a float or have no type at all.
pub(super) fn request_decimal_schema(description: &str, maximum: impl Display) -> Value {
    let description = format!("{description}, from 0 to {maximum}, as a decimal string.");
    json!({"type": "string", "description": description, "pattern": SENT_DECIMAL_PATTERN})
}

/// Returns the schema of an absolute URL.
pub(super) fn absolute_url_schema(description: &str) -> Value {
    json!({"type": "string", "description": description, "format": "uri"})
}
