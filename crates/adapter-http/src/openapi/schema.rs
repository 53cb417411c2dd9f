//! What schemas are put together from: objects with their members, and the kinds of values that the
//! specification knows (§1.4 to §1.7). JSON Schema 2020-12, as OpenAPI 3.1 has it.
//!
//! Answers: a member that may be absent is not required, and none is ever `null`. Requests: `null`
//! counts as absent, so an optional member of a request is described with
//! [`Member::or_null`]. Objects are open here; the tests close those of answers, so that a member
//! that is not described fails a test, while clients that were made from the description go on
//! working when one comes.

use std::fmt::Display;

use payroll_domain::description::{self, Described, Shape, View};
use payroll_domain::id::MAX_ID_LENGTH;
use payroll_domain::money::AMOUNT_PLACES;
use serde_json::{Map, Value, json};

/// Decimals that come in: the form of a JSON number without an exponent (§1.6).
const DECIMAL_SENT: &str = r"^(0|[1-9][0-9]*)(\.[0-9]+)?$";
/// Dates that come in: a civil date of the years 0001 to 9999, perhaps with a time of day (§1.7).
const DATE_SENT: &str = concat!(
    r"^((000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})-",
    r"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))",
    // The 29th of February, in the years that have one.
    r"|([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)-02-29)",
    r"(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{3})?Z)?$"
);
/// Text without control characters.
const PLAIN: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";

/// A member of an object.
pub(super) struct Member {
    name: &'static str,
    schema: Value,
    required: bool,
}

/// A member that is always there.
pub(super) const fn required(name: &'static str, schema: Value) -> Member {
    Member { name, schema, required: true }
}

/// A member that may be left out.
pub(super) const fn optional(name: &'static str, schema: Value) -> Member {
    Member { name, schema, required: false }
}

impl Member {
    /// The same member, which may also be `null`: of a request.
    pub(super) fn or_null(mut self) -> Self {
        self.schema = or_null(self.schema);
        self
    }

    /// The same member of what is sent, where `null` counts as absent.
    pub(super) fn or_null_for_absent(self) -> Self {
        if self.required { self } else { self.or_null() }
    }

    /// The same member, which may be absent.
    pub(super) fn or_absent(self) -> Self {
        Self { required: false, ..self }
    }

    /// The same member of a merge patch: it may be left out, and `null` takes it away.
    pub(super) fn or_removed(self) -> Self {
        self.or_absent().or_null()
    }
}

/// The schema, or `null`.
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

fn is_nullable(words: &Value) -> bool {
    words.as_array().is_some_and(|words| words.contains(&Value::Null))
}

/// An object with these members.
pub(super) fn object(description: &str, members: impl IntoIterator<Item = Member>) -> Value {
    let (mut properties, mut always) = (Map::new(), Vec::new());
    for Member { name, schema, required } in members {
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

/// A resource as it is described, in a response.
pub(super) fn described<T: Described>() -> Value {
    described_with::<T>([])
}

/// A resource as it is described, in a response, with other members after its own.
pub(super) fn described_with<T: Described>(others: impl IntoIterator<Item = Member>) -> Value {
    object(T::WORDS.trim(), members(View::Whole, T::MEMBERS).chain(others))
}

/// The described members that a view has.
pub(super) fn members(view: View, described: &'static [description::Member]) -> impl Iterator<Item = Member> {
    described.iter().filter(move |member| view.is_among(member.views)).map(move |member| Member {
        name: member.name,
        schema: shaped(view, &(member.shape)(), member.words.trim()),
        required: member.required,
    })
}

/// The object as POST returns it. In a dry run it is not stored, and has neither an id nor links.
pub(super) fn created(mut object: Value, id: &str) -> Value {
    if let Some(Value::Array(required)) = object.get_mut("required") {
        required.retain(|member| member.as_str().is_none_or(|member| member != id && member != "links"));
    }
    object
}

/// The same object, in which a member is described by the schema of that name.
pub(super) fn referring(object: Value, member: &str, schema: &str) -> Value {
    replacing(object, member, reference(schema))
}

/// The same object, in which a member has that schema, if it is there.
pub(super) fn replacing(mut object: Value, member: &str, schema: Value) -> Value {
    if let Some(member) = object.pointer_mut(&format!("/properties/{member}")) {
        *member = schema;
    }
    object
}

/// The schema of a member of a response.
fn shaped(view: View, shape: &Shape, description: &str) -> Value {
    // What is within a resource is shown to partners in one way.
    let within = if view == View::Operator { view } else { View::Whole };
    match shape {
        Shape::Id => id(description),
        Shape::Text(_) => text(description),
        Shape::Word(words) => word(description, words),
        Shape::Amount => amount(description),
        Shape::Rate => rate(description),
        Shape::Quantity | Shape::SignedQuantity => quantity(description),
        Shape::Number => json!({"type": "number", "description": description}),
        Shape::Flag => flag(description),
        Shape::Date => date(description),
        Shape::Count(_) | Shape::Place(_) => count(description),
        Shape::Words(words) => list(description, word("One of them.", words)),
        Shape::Texts(_) => list(description, text("One of them.")),
        Shape::Object(described) => object(description, members(within, described)),
        Shape::Objects(described) => list(description, object("One of them.", members(within, described))),
        Shape::Reference(member) => object(description, [required(member, id("Its id."))]),
        Shape::TaxIdentity => reference("LegalId"),
        Shape::AccountNumber => text(description),
    }
}

/// The same schema with another keyword.
pub(super) fn with(mut schema: Value, keyword: &str, value: impl Into<Value>) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.insert(keyword.to_owned(), value.into());
    }
    schema
}

/// The schema of that name among the components.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// A list.
pub(super) fn list(description: &str, items: Value) -> Value {
    json!({"type": "array", "description": description, "items": items})
}

/// A text.
pub(super) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// A text from 1 to a number of characters without control characters, in a request.
pub(super) fn plain_text(description: &str, longest: impl Into<u64>) -> Value {
    json!({"type": "string", "description": description, "minLength": 1, "maxLength": longest.into(), "pattern": PLAIN})
}

/// An opaque id.
pub(super) fn id(description: &str) -> Value {
    json!({
        "type": "string", "description": description,
        "minLength": 1, "maxLength": MAX_ID_LENGTH, "pattern": "^[A-Za-z0-9_-]+$",
    })
}

/// One of the words that the domain knows.
pub(super) fn word(description: &str, words: impl IntoIterator<Item = impl Display>) -> Value {
    let words: Vec<_> = words.into_iter().map(|word| word.to_string()).collect();
    json!({"type": "string", "description": description, "enum": words})
}

/// `true` or `false`.
pub(super) fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// A whole number from 0 up.
pub(super) fn count(description: &str) -> Value {
    json!({"type": "integer", "description": description, "minimum": 0})
}

/// A date of an answer: at midnight.
pub(super) fn date(description: &str) -> Value {
    json!({"type": "string", "description": description, "format": "date-time", "examples": ["2026-06-05T00:00:00Z"]})
}

/// A date of a request.
pub(super) fn date_sent(description: &str) -> Value {
    json!({"type": "string", "description": description, "pattern": DATE_SENT, "examples": ["2026-06-05"]})
}

/// An instant of a request; a bare date is its beginning.
pub(super) fn instant_sent(description: &str) -> Value {
    let description = format!("{description} A date is the beginning of that day, in UTC.");
    json!({"type": "string", "description": description, "pattern": DATE_SENT, "examples": ["2026-06-05T10:00:00Z"]})
}

/// A cursor: opaque, and from an answer of the same operation.
pub(super) fn cursor(description: &str) -> Value {
    json!({"type": "string", "description": description, "pattern": "^[a-z][A-Za-z0-9_-]{16}$"})
}

/// An instant, to the millisecond.
pub(super) fn instant(description: &str) -> Value {
    json!({"type": "string", "description": description, "format": "date-time", "examples": ["2026-07-28T00:37:25.149Z"]})
}

/// An amount of an answer: with 2 decimals.
pub(super) fn amount(description: &str) -> Value {
    let pattern = format!(r"^-?[0-9]+\.[0-9]{{{AMOUNT_PLACES}}}$");
    json!({"type": "string", "description": description, "pattern": pattern, "examples": ["120.50"]})
}

/// A rate of an answer: with 4 decimals.
pub(super) fn rate(description: &str) -> Value {
    json!({"type": "string", "description": description, "pattern": r"^-?[0-9]+\.[0-9]{4}$", "examples": ["20.0000"]})
}

/// Hours or units of an answer: without trailing zeros.
pub(super) fn quantity(description: &str) -> Value {
    json!({"type": "string", "description": description, "pattern": r"^-?[0-9]+(\.[0-9]*[1-9])?$", "examples": ["7.25"]})
}

/// A decimal of a request. A JSON number is taken too, which is not described: generated clients would
/// make a float of it, or have no type for the one or the other.
pub(super) fn decimal_sent(description: &str, most: impl Display) -> Value {
    let description = format!("{description}, from 0 to {most}, as a decimal string.");
    json!({"type": "string", "description": description, "pattern": DECIMAL_SENT})
}

/// An absolute address.
pub(super) fn address(description: &str) -> Value {
    json!({"type": "string", "description": description, "format": "uri"})
}
