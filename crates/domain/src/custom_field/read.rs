//! Reading a new custom field from the caller's document (specification §6.7).

use rust_decimal::Decimal;

use super::{
    CustomFieldDefinition, CustomFieldFacts, CustomFieldType, CustomFieldValue, DropdownChoice,
    MAX_DROPDOWN_CHOICES, MAX_NAME_LENGTH, MAX_TEXT_LENGTH, NumericPlaces,
};
use crate::code::Reason;
use crate::date::Date;
use crate::id::CategoryId;
use crate::input::{Context, Field, Members, Node, Path, Value, values};
use crate::money::parse_decimal;
use crate::report::{Fault, Report, Spot};
use crate::violation::{Place, Violation, Violations};

/// The order of what is missing at one place, the innermost first.
mod rank {
    pub(super) const DROPDOWN_VALUE: u8 = 1;
    pub(super) const NAME: u8 = 2;
    pub(super) const TYPE: u8 = 3;
}

/// The members that say what a field holds, and the type or types that each fits.
struct Parts {
    boolean: Field<bool>,
    date: Field<Date>,
    text: Field<String>,
    numeric: Field<Decimal>,
    max_text_length: Field<u32>,
    dropdown: Field<Vec<DropdownChoice>>,
}

/// Reads a new custom field, or returns every fault in document order.
///
/// # Errors
/// A document that is no object, or an empty one, alone; else every fault of the field.
pub fn read(document: &Node<'_>, facts: &CustomFieldFacts) -> Result<CustomFieldDefinition, Violations> {
    let context = Context { path: Path::ROOT, correlation_id: None };
    let members = match &document.value {
        Value::Object(members) if members.is_empty() => return Err(Reason::EmptyRequest.into()),
        Value::Array(elements) if elements.is_empty() => return Err(Reason::EmptyRequest.into()),
        _ => Members::of(document, context).ok_or_else(|| {
            Violation::new(Reason::InvalidParameter, "the body must be one custom field, an object")
        })?,
    };
    let mut report = Report::new(Reason::FieldMissing);
    let definition = read_definition(document, members, facts, &mut report);
    match (report.finish(), definition) {
        (Some(faults), _) => Err(faults),
        (None, Some(definition)) => Ok(definition),
        // A field without a fault has all its parts; anything else is our bug.
        (None, None) => Err(Reason::Internal.into()),
    }
}

fn read_definition(
    document: &Node<'_>,
    members: Members<'_>,
    facts: &CustomFieldFacts,
    report: &mut Report,
) -> Option<CustomFieldDefinition> {
    let name = members.required("customFieldName", rank::NAME, report, |node| read_name(node, facts));
    let field_type = members.required("type", rank::TYPE, report, read_type);
    let category = members.optional("categoryId", report, |node| read_category(node, facts));
    let flags = ["required", "checkStub", "employeeEditable"]
        .map(|flag| members.optional(flag, report, values::flag).value().copied().unwrap_or(false));
    let parts = read_parts(members, field_type.value().copied(), report);
    check_one_value(&parts, document, report);
    let [required, check_stub, employee_editable] = flags;
    Some(CustomFieldDefinition {
        name: name.value().map(|name| (*name).to_owned())?,
        category_id: category.value().or_else(|| facts.default_category()).cloned(),
        required,
        check_stub,
        employee_editable,
        value: parts.into_value(*field_type.value()?),
    })
}

fn read_name<'n>(node: &'n Node<'n>, facts: &CustomFieldFacts) -> Result<&'n str, Fault> {
    let name = values::plain_text(node, MAX_NAME_LENGTH)?;
    if facts.used_names.contains(name) {
        return Err(Fault::invalid("is the name of another custom field of this company"));
    }
    Ok(name)
}

fn read_type(node: &Node<'_>) -> Result<CustomFieldType, Fault> {
    CustomFieldType::parse(values::text(node)?).ok_or_else(|| {
        let names: Vec<_> = CustomFieldType::ALL.iter().map(|one| one.as_str()).collect();
        Fault::invalid(format!("must be one of {}", names.join(", ")))
    })
}

fn read_category(node: &Node<'_>, facts: &CustomFieldFacts) -> Result<CategoryId, Fault> {
    let text = values::text(node)?;
    let known = facts.categories.iter().map(|category| &category.category_id);
    let found = known.into_iter().find(|id| id.as_str() == text).cloned();
    found.ok_or_else(|| Fault::invalid("names no category of custom fields of this company"))
}

/// Reads what the field holds. A member that does not fit the type is ambiguous; a type that
/// failed fits everything.
fn read_parts(members: Members<'_>, field_type: Option<CustomFieldType>, report: &mut Report) -> Parts {
    use CustomFieldType as Type;
    let fits = |types: &[Type]| match field_type {
        Some(one) if !types.contains(&one) => {
            Err(Fault { reason: Reason::FieldAmbiguous, description: format!("does not fit the type {one}") })
        }
        Some(_) | None => Ok(()),
    };
    let max_text_length = members
        .optional("maxTextLength", report, |node| fits(&[Type::Text]).and_then(|()| read_max_length(node)));
    let longest = max_text_length.value().copied().unwrap_or(MAX_TEXT_LENGTH);
    Parts {
        boolean: members.optional("booleanValue", report, |node| {
            fits(&[Type::Boolean]).and_then(|()| values::flag(node))
        }),
        date: members
            .optional("dateValue", report, |node| fits(&[Type::Date]).and_then(|()| values::date(node))),
        text: members.optional("textValue", report, |node| {
            fits(&[Type::Text]).and_then(|()| read_text(node, longest))
        }),
        numeric: members.optional("numericValue", report, |node| {
            fits(&[Type::Numeric, Type::NumericTwoPlaces, Type::NumericFourPlaces])?;
            read_number(node, field_type.and_then(places_of).unwrap_or(NumericPlaces::Four))
        }),
        dropdown: read_dropdown(members, fits(&[Type::Dropdown]), report),
        max_text_length,
    }
}

fn read_max_length(node: &Node<'_>) -> Result<u32, Fault> {
    let refused = || Fault::invalid(format!("must be a whole number from 1 to {MAX_TEXT_LENGTH}"));
    let Value::Number(text) = &node.value else { return Err(refused()) };
    let length = parse_decimal(text, 0).ok().and_then(|value| u32::try_from(value).ok());
    length.filter(|length| (1..=MAX_TEXT_LENGTH).contains(length)).ok_or_else(refused)
}

fn read_text(node: &Node<'_>, longest: u32) -> Result<String, Fault> {
    values::plain_text(node, usize::try_from(longest).unwrap_or(usize::MAX)).map(str::to_owned)
}

fn read_number(node: &Node<'_>, places: NumericPlaces) -> Result<Decimal, Fault> {
    let places = places.count();
    parse_decimal(values::decimal_text(node)?, places)
        .map_err(|fault| Fault::invalid(format!("{fault}; the type allows {places} decimal places")))
}

fn read_dropdown(
    members: Members<'_>,
    fits: Result<(), Fault>,
    report: &mut Report,
) -> Field<Vec<DropdownChoice>> {
    let sent = members.optional("dropdown", report, |node| {
        fits?;
        let choices = values::array(node)?;
        if choices.len() > MAX_DROPDOWN_CHOICES {
            return Err(Fault::invalid(format!("must have at most {MAX_DROPDOWN_CHOICES} choices")));
        }
        Ok(choices)
    });
    match sent {
        Field::Absent => Field::Absent,
        Field::Failed => Field::Failed,
        Field::Given { value: nodes, at } => {
            let path = members.context.path.member("dropdown");
            let choices = nodes.iter().enumerate();
            let value =
                choices.filter_map(|(index, node)| read_choice(node, path.element(index), report)).collect();
            Field::Given { value, at }
        }
    }
}

/// Reads a choice; the id that only the server gives is ignored.
fn read_choice(node: &Node<'_>, path: Path, report: &mut Report) -> Option<DropdownChoice> {
    let context = Context { path, correlation_id: None };
    let Some(members) = Members::of(node, context) else {
        report.add(Reason::FieldInvalid, spot(path, node.at), "a choice must be an object");
        return None;
    };
    let value = members.required("dropdownValue", rank::DROPDOWN_VALUE, report, |node| {
        values::plain_text(node, MAX_NAME_LENGTH)
    });
    let default = members.optional("dropdownDefault", report, values::flag);
    Some(DropdownChoice {
        dropdown_id: None,
        value: value.value().map(|text| (*text).to_owned())?,
        default: default.value().copied().unwrap_or(false),
    })
}

/// API-47: a field has one default value.
fn check_one_value(parts: &Parts, document: &Node<'_>, report: &mut Report) {
    let given =
        [parts.boolean.is_given(), parts.date.is_given(), parts.text.is_given(), parts.numeric.is_given()];
    if given.into_iter().filter(|given| *given).count() > 1 {
        let description = "a custom field has one of booleanValue, dateValue, textValue and numericValue";
        report.add(Reason::FieldAmbiguous, spot(Path::ROOT, document.at), description);
    }
}

impl Parts {
    fn into_value(self, field_type: CustomFieldType) -> CustomFieldValue {
        match field_type {
            CustomFieldType::Dropdown => {
                CustomFieldValue::Dropdown(self.dropdown.into_value().unwrap_or_default())
            }
            CustomFieldType::Text => CustomFieldValue::Text {
                default: self.text.into_value(),
                max_length: self.max_text_length.into_value(),
            },
            CustomFieldType::Boolean => CustomFieldValue::Boolean(self.boolean.into_value()),
            CustomFieldType::Date => CustomFieldValue::Date(self.date.into_value()),
            CustomFieldType::Numeric => self.into_numeric(NumericPlaces::Zero),
            CustomFieldType::NumericTwoPlaces => self.into_numeric(NumericPlaces::Two),
            CustomFieldType::NumericFourPlaces => self.into_numeric(NumericPlaces::Four),
        }
    }

    fn into_numeric(self, places: NumericPlaces) -> CustomFieldValue {
        CustomFieldValue::Numeric { places, default: self.numeric.into_value() }
    }
}

/// The decimal places of a type; `None` for one that holds no number.
const fn places_of(field_type: CustomFieldType) -> Option<NumericPlaces> {
    match field_type {
        CustomFieldType::Numeric => Some(NumericPlaces::Zero),
        CustomFieldType::NumericTwoPlaces => Some(NumericPlaces::Two),
        CustomFieldType::NumericFourPlaces => Some(NumericPlaces::Four),
        CustomFieldType::Dropdown
        | CustomFieldType::Text
        | CustomFieldType::Boolean
        | CustomFieldType::Date => None,
    }
}

const fn spot<'c>(path: Path, at: u32) -> Spot<'c> {
    Spot { path, place: Place { at, rank: 0 }, correlation_id: None }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::custom_field::CustomFieldCategory;
    use crate::input;

    fn facts() -> CustomFieldFacts {
        let category = |id: &str, default| CustomFieldCategory {
            category_id: id.parse().unwrap(),
            category_name: id.to_owned(),
            default,
        };
        CustomFieldFacts {
            categories: vec![category("other", false), category("general", true)],
            used_names: ["Taken".to_owned()].into(),
        }
    }

    fn read_json(request: &Value) -> Result<CustomFieldDefinition, Violations> {
        let text = request.to_string();
        read(&input::parse(text.as_bytes())?, &facts())
    }

    /// Code and pointer of each fault of a field that has the given members beside good ones.
    fn faults(changes: Value) -> Vec<String> {
        let mut request = json!({"customFieldName": "Shirt size", "type": "TEXT"});
        for (name, value) in changes.as_object().unwrap() {
            request[name] = value.clone();
        }
        let faults = read_json(&request).err().into_iter().flatten();
        faults.map(|f| format!("{} {}", f.reason.code(), f.pointer.unwrap_or_default())).collect()
    }

    #[test]
    fn a_field_falls_into_the_default_category_and_ignores_what_it_does_not_know() {
        let field = read_json(&json!({
            "customFieldId": 7, "customFieldName": "Shirt size", "type": "DROPDOWN", "required": true,
            "dropdown": [{"dropdownId": "x", "dropdownValue": "M", "dropdownDefault": true}], "color": {},
        }));
        let field = field.unwrap();
        assert_eq!(field.category_id.unwrap().as_str(), "general");
        assert!(field.required && !field.check_stub && !field.employee_editable);
        let choice = DropdownChoice { dropdown_id: None, value: "M".to_owned(), default: true };
        assert_eq!(field.value, CustomFieldValue::Dropdown(vec![choice]));
    }

    #[test]
    fn only_an_object_with_members_is_a_field() {
        let code = |request: Value| read_json(&request).unwrap_err().as_slice()[0].reason.code();
        assert_eq!(code(json!({})), "API-52");
        assert_eq!(code(json!([])), "API-52");
        assert_eq!(code(json!([{}])), "API-40");
        assert_eq!(code(json!("TEXT")), "API-40");
    }

    #[test]
    fn what_is_missing_is_api_46() {
        assert_eq!(
            faults(json!({"customFieldName": "", "type": null})),
            ["API-46 /customFieldName", "API-46 /type"]
        );
        let without_text = json!({"type": "DROPDOWN", "dropdown": [{"dropdownDefault": true}]});
        assert_eq!(faults(without_text), ["API-46 /dropdown/0/dropdownValue"]);
    }

    #[test]
    fn one_value_that_fits_the_type_is_unambiguous() {
        assert_eq!(faults(json!({"textValue": "M", "numericValue": 1})), ["API-47 /numericValue"]);
        assert_eq!(faults(json!({"type": "BOOLEAN", "dateValue": "2026-05-12"})), ["API-47 /dateValue"]);
        assert_eq!(faults(json!({"type": "DATE", "dropdown": []})), ["API-47 /dropdown"]);
        assert_eq!(faults(json!({"type": "DATE", "maxTextLength": 3})), ["API-47 /maxTextLength"]);
        let untyped = faults(json!({"type": "COLOR", "textValue": "M", "booleanValue": true}));
        assert_eq!(untyped, ["API-47 ", "API-48 /type"]);
    }

    #[test]
    fn wrong_values_are_api_48() {
        let wrong = [
            (json!({"customFieldName": "Taken"}), "customFieldName"),
            (json!({"customFieldName": "x".repeat(101)}), "customFieldName"),
            (json!({"customFieldName": 5}), "customFieldName"),
            (json!({"type": "text"}), "type"),
            (json!({"categoryId": "nobody's"}), "categoryId"),
            (json!({"required": "yes"}), "required"),
            (json!({"maxTextLength": 3, "textValue": "four"}), "textValue"),
            (json!({"maxTextLength": "3"}), "maxTextLength"),
            (json!({"maxTextLength": 0}), "maxTextLength"),
            (json!({"type": "NUMERIC", "numericValue": 1.5}), "numericValue"),
            (json!({"type": "NUMERIC__0_00_", "numericValue": "1.555"}), "numericValue"),
            (json!({"type": "DATE", "dateValue": "12.05.2026"}), "dateValue"),
            (json!({"type": "DROPDOWN", "dropdown": [null]}), "dropdown/0"),
        ];
        for (changes, place) in wrong {
            assert_eq!(faults(changes.clone()), [format!("API-48 /{place}")], "{changes}");
        }
    }

    #[test]
    fn good_values_of_every_type_are_taken() {
        let good = [
            json!({"maxTextLength": 3, "textValue": "two"}),
            json!({"customFieldName": "x".repeat(100), "categoryId": "other"}),
            json!({"type": "BOOLEAN", "booleanValue": false}),
            json!({"type": "DATE", "dateValue": "2026-05-12T00:00:00Z"}),
            json!({"type": "NUMERIC", "numericValue": "-12"}),
            json!({"type": "NUMERIC__0_00_", "numericValue": 1.50}),
            json!({"type": "NUMERIC__0_0000_", "numericValue": "1.2345"}),
            json!({"type": "DROPDOWN"}),
        ];
        for changes in good {
            assert!(faults(changes.clone()).is_empty(), "{changes}");
        }
    }
}
