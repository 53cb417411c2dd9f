//! Reads the definition of a custom field. A partner's request (specification §6.7) creates a new field and
//! is validated with the stored data of the company. An operator's document (specification §11.10) contains
//! ids and is validated without the stored data.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::{
    CustomFieldDefinition, CustomFieldFacts, CustomFieldType, CustomFieldValue, DUPLICATE_CHOICE_MESSAGE,
    DecimalPlaces, DropdownChoice, MAX_DROPDOWN_CHOICES, MAX_NAME_LENGTH, MAX_TEXT_LENGTH,
};
use crate::code::Reason;
use crate::date::Date;
use crate::id::{CategoryId, DropdownId};
use crate::input::{Context, Field, Members, Node, Value, values};
use crate::money::parse_decimal;
use crate::object::values::{count_reader, read_named_value};
use crate::report::{Fault, Report};
use crate::violation::DocumentPosition;
#[cfg(feature = "server")]
use crate::violation::Violations;

/// The members of a custom field's definition.
pub(crate) const CUSTOM_FIELD_MEMBERS: [&str; 12] = [
    "customFieldName",
    "type",
    "categoryId",
    "required",
    "checkStub",
    "employeeEditable",
    "booleanValue",
    "dateValue",
    "textValue",
    "maxTextLength",
    "numericValue",
    DROPDOWN_MEMBER,
];
const DROPDOWN_MEMBER: &str = "dropdown";
/// The members of a drop-down choice.
const DROPDOWN_CHOICE_MEMBERS: [&str; 3] = ["dropdownId", "dropdownValue", "dropdownDefault"];

/// Sort ranks for the faults of missing members. The fault of a missing member is placed at the end of its
/// object, where an inner object can end too. The rank orders faults at the same place: inner members come
/// first.
mod fault_rank {
    pub(super) const DROPDOWN_ID_RANK: u8 = 1;
    pub(super) const DROPDOWN_VALUE_RANK: u8 = 2;
    pub(super) const NAME_RANK: u8 = 3;
    pub(super) const TYPE_RANK: u8 = 4;
}

/// Reads one custom field definition, by the rules for partners or for operators.
#[derive(Clone, Copy)]
struct CustomFieldReader<'r> {
    members: Members<'r>,
    /// The stored data for validating a partner's field. `None` for an operator's document, which contains
    /// the ids of its choices.
    facts: Option<&'r CustomFieldFacts>,
}

/// The members for the value of a field. Each type of field allows some of these members.
struct ValueMembers {
    boolean: Field<bool>,
    date: Field<Date>,
    text: Field<String>,
    numeric: Field<Decimal>,
    max_text_length: Field<u32>,
    dropdown: Field<Vec<DropdownChoice>>,
}

/// The texts and the default that the earlier choices of a drop-down already use.
#[derive(Default)]
struct UsedChoiceValues<'n> {
    values: HashSet<&'n str>,
    /// Whether an earlier choice is the default.
    has_default: bool,
}

/// Reads a partner's new custom field.
///
/// # Errors
/// Returns only one fault for a document that is not an object or is an empty object. Otherwise, every fault
/// of the field is returned.
#[cfg(feature = "server")]
pub fn read_new_custom_field(
    document: &Node<'_>,
    facts: &CustomFieldFacts,
) -> Result<CustomFieldDefinition, Violations> {
    let members = Members::from_body(document, "the body must be a JSON object with one custom field")?;
    let mut report = Report::new(Reason::FieldMissing);
    let definition = CustomFieldReader { members, facts: Some(facts) }.read_definition(&mut report);
    report.into_result(|| definition)
}

/// Reads a custom field from an operator's document. If the field has faults, adds the faults to the report
/// and returns `None`.
pub(crate) fn read_stored(members: Members<'_>, report: &mut Report) -> Option<CustomFieldDefinition> {
    CustomFieldReader { members, facts: None }.read_definition(report)
}

impl CustomFieldReader<'_> {
    fn read_definition(self, report: &mut Report) -> Option<CustomFieldDefinition> {
        let (members, facts) = (self.members, self.facts);
        let name = members
            .read_required("customFieldName", fault_rank::NAME_RANK, report, |node| read_name(node, facts));
        let field_type =
            members.read_required("type", fault_rank::TYPE_RANK, report, read_named_value::<CustomFieldType>);
        let category = members.read_optional("categoryId", report, |node| read_category(node, facts));
        let flags = ["required", "checkStub", "employeeEditable"].map(|flag| {
            members.read_optional(flag, report, values::read_flag).value().copied().unwrap_or(false)
        });
        let parts = self.read_value_members(field_type.value().copied(), report);
        self.check_at_most_one_default(&parts, report);
        let [required, check_stub, employee_editable] = flags;
        Some(CustomFieldDefinition {
            name: name.value().map(|name| (*name).to_owned())?,
            category_id: category.value().or_else(|| facts?.default_category()).cloned(),
            required,
            check_stub,
            employee_editable,
            value: parts.into_value(*field_type.value()?),
        })
    }

    /// Reads the members for the value. A member that the type does not allow is reported as ambiguous. If
    /// the type itself has a fault, every member is allowed.
    fn read_value_members(self, field_type: Option<CustomFieldType>, report: &mut Report) -> ValueMembers {
        use CustomFieldType as Type;
        let members = self.members;
        let fits = |types: &[Type]| match field_type {
            Some(one) if !types.contains(&one) => Err(Fault {
                reason: Reason::FieldAmbiguous,
                description: format!("does not fit the type {one}"),
            }),
            Some(_) | None => Ok(()),
        };
        let max_text_length = members.read_optional("maxTextLength", report, |node| {
            fits(&[Type::Text])?;
            self.read_max_length(node)
        });
        let longest = max_text_length.value().copied().unwrap_or(MAX_TEXT_LENGTH);
        ValueMembers {
            boolean: members.read_optional("booleanValue", report, |node| {
                fits(&[Type::Boolean]).and_then(|()| values::read_flag(node))
            }),
            date: members.read_optional("dateValue", report, |node| {
                fits(&[Type::Date]).and_then(|()| values::read_date(node))
            }),
            text: members.read_optional("textValue", report, |node| {
                fits(&[Type::Text]).and_then(|()| read_text(node, longest))
            }),
            numeric: members.read_optional("numericValue", report, |node| {
                fits(&[Type::Numeric, Type::NumericTwoPlaces, Type::NumericFourPlaces])?;
                read_number(node, field_type.and_then(decimal_places).unwrap_or(DecimalPlaces::Four))
            }),
            dropdown: self.read_dropdown(fits(&[Type::Dropdown]), report),
            max_text_length,
        }
    }

    /// Reads the maximum length of a text. Partners must send a number. Operators may also send the number in
    /// a string, as for every number in an operator's document.
    fn read_max_length(self, node: &Node<'_>) -> Result<u32, Fault> {
        match &node.value {
            Value::Text(_) if self.facts.is_some() => {
                Err(Fault::invalid(format!("must be a whole number from 1 to {MAX_TEXT_LENGTH}")))
            }
            _ => count_reader(MAX_TEXT_LENGTH)(node),
        }
    }

    fn read_dropdown(self, fits: Result<(), Fault>, report: &mut Report) -> Field<Vec<DropdownChoice>> {
        let sent = self.members.read_optional(DROPDOWN_MEMBER, report, |node| {
            fits?;
            let choices = values::read_array(node)?;
            if choices.len() > MAX_DROPDOWN_CHOICES {
                return Err(Fault::invalid(format!("must have at most {MAX_DROPDOWN_CHOICES} choices")));
            }
            Ok(choices)
        });
        match sent {
            Field::Absent => Field::Absent,
            Field::Failed => Field::Failed,
            Field::Given { value: nodes, at } => {
                let list = self.members.context.with_member(DROPDOWN_MEMBER);
                let mut used_values = UsedChoiceValues::default();
                let choices = nodes.iter().enumerate();
                let read = |(index, node)| {
                    self.read_choice(node, list.with_element(index), &mut used_values, report)
                };
                Field::Given { value: choices.filter_map(read).collect(), at }
            }
        }
    }

    /// Reads a choice, which must differ from the earlier choices. A partner's choice gets its id from the
    /// server, so an id in the request is ignored. An operator's choice must have an id.
    fn read_choice<'n>(
        self,
        node: &'n Node<'n>,
        context: Context<'n>,
        used_values: &mut UsedChoiceValues<'n>,
        report: &mut Report,
    ) -> Option<DropdownChoice> {
        let Some(members) = Members::from_node(node, context) else {
            let spot = context.location(DocumentPosition { at: node.at, rank: 0 });
            report.add(Reason::FieldInvalid, spot, "a choice must be an object");
            return None;
        };
        let dropdown_id: Option<DropdownId> = match self.facts {
            Some(_) => None,
            None => members
                .read_required("dropdownId", fault_rank::DROPDOWN_ID_RANK, report, values::read_id)
                .value()
                .cloned(),
        };
        let value = members.read_required("dropdownValue", fault_rank::DROPDOWN_VALUE_RANK, report, |node| {
            values::read_plain_text(node, MAX_NAME_LENGTH)
        });
        // Duplicate choices in an operator's document are detected later, after the complete document was
        // read.
        if self.facts.is_some()
            && let Field::Given { value, at } = value
            && !used_values.values.insert(value)
        {
            report.add(
                Reason::FieldInvalid,
                members.member_location("dropdownValue", at),
                DUPLICATE_CHOICE_MESSAGE,
            );
        }
        let default = members.read_optional("dropdownDefault", report, values::read_flag);
        if let Field::Given { value: true, at } = default
            && std::mem::replace(&mut used_values.has_default, true)
        {
            let rule = "dropdownDefault can be true for only one choice";
            report.add(Reason::FieldInvalid, members.member_location("dropdownDefault", at), rule);
        }
        if self.facts.is_none() {
            members.report_unknown(&DROPDOWN_CHOICE_MEMBERS, report);
        }
        let (value, default) = ((*value.value()?).to_owned(), default.value().copied().unwrap_or(false));
        Some(DropdownChoice { dropdown_id, value, default })
    }

    /// API-47: a field must not have more than one default value.
    fn check_at_most_one_default(self, parts: &ValueMembers, report: &mut Report) {
        let given = [
            parts.boolean.is_present(),
            parts.date.is_present(),
            parts.text.is_present(),
            parts.numeric.is_present(),
        ];
        if given.into_iter().filter(|given| *given).count() > 1 {
            let description = "a custom field can have only one of booleanValue, dateValue, textValue and \
                numericValue";
            report.add(Reason::FieldAmbiguous, self.members.object_location(), description);
        }
    }
}

fn read_name<'n>(node: &'n Node<'n>, facts: Option<&CustomFieldFacts>) -> Result<&'n str, Fault> {
    let name = values::read_plain_text(node, MAX_NAME_LENGTH)?;
    if facts.is_some_and(|facts| facts.used_names.contains(name)) {
        return Err(Fault::invalid("is the name of another custom field of this company"));
    }
    Ok(name)
}

fn read_category(node: &Node<'_>, facts: Option<&CustomFieldFacts>) -> Result<CategoryId, Fault> {
    let Some(facts) = facts else { return values::read_id(node) };
    let text = values::read_text(node)?;
    let known = facts.categories.iter().map(|category| &category.category_id);
    let found = known.into_iter().find(|id| id.as_str() == text).cloned();
    found.ok_or_else(|| Fault::invalid("must be the id of a category of custom fields of this company"))
}

fn read_text(node: &Node<'_>, max_length: u32) -> Result<String, Fault> {
    values::read_plain_text(node, usize::try_from(max_length).unwrap_or(usize::MAX)).map(str::to_owned)
}

fn read_number(node: &Node<'_>, decimal_places: DecimalPlaces) -> Result<Decimal, Fault> {
    let places = decimal_places.count();
    parse_decimal(values::read_decimal_text(node)?, places)
        .map_err(|fault| Fault::invalid(format!("{fault}; the type allows {places} decimal places")))
}

impl ValueMembers {
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
            CustomFieldType::Numeric => self.into_numeric(DecimalPlaces::Zero),
            CustomFieldType::NumericTwoPlaces => self.into_numeric(DecimalPlaces::Two),
            CustomFieldType::NumericFourPlaces => self.into_numeric(DecimalPlaces::Four),
        }
    }

    fn into_numeric(self, decimal_places: DecimalPlaces) -> CustomFieldValue {
        CustomFieldValue::Numeric { places: decimal_places, default: self.numeric.into_value() }
    }
}

/// Returns the decimal places of a type. `None` for a type that is not numeric.
const fn decimal_places(field_type: CustomFieldType) -> Option<DecimalPlaces> {
    match field_type {
        CustomFieldType::Numeric => Some(DecimalPlaces::Zero),
        CustomFieldType::NumericTwoPlaces => Some(DecimalPlaces::Two),
        CustomFieldType::NumericFourPlaces => Some(DecimalPlaces::Four),
        CustomFieldType::Dropdown
        | CustomFieldType::Text
        | CustomFieldType::Boolean
        | CustomFieldType::Date => None,
    }
}

#[cfg(test)]
#[cfg(feature = "server")]
mod tests;
