//! The values that a worker has for the custom fields of the company (specification §6.22).

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use crate::code::Reason;
use crate::custom_field::{CustomField, CustomFieldType, CustomFieldValue, MAX_TEXT_CHARS};
use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{Day, Flag, Identifier, Number, Text};
use crate::description::objects::{ListKind, Readable};
use crate::id::{CustomFieldId, DropdownId, WorkerCustomFieldId};
use crate::object::reader::ObjectReader;

described! {
    /// The value of a custom field for a worker. Only the member for the type of the field is present.
    pub struct WorkerCustomField {
        /// The id of the value, unique among the worker's values of custom fields.
        "workerCustomFieldId" worker_custom_field_id: required WorkerCustomFieldId as Identifier;
        /// The custom field that the value belongs to.
        "customFieldId" custom_field_id: required CustomFieldId as Identifier;
        /// The id of the choice of a drop-down field.
        "dropdownId" dropdown_id: optional DropdownId as Identifier;
        /// The value of a text field.
        "textValue" text_value: optional String as Text<MAX_TEXT_CHARS>;
        /// The value of a numeric field.
        "numericValue" numeric_value: optional Decimal as Number;
        /// The value of a date field.
        "dateValue" date_value: optional Date as Day;
        /// The value of a field of type boolean.
        "booleanValue" boolean_value: optional bool as Flag;
        /// The first day on which the worker has the value.
        "startDate" start_date: optional Date as Day;
        /// The last day on which the worker has the value.
        "endDate" end_date: optional Date as Day;
    }
}

/// The periods in which a worker has values for one field, for the detection of overlapping values.
#[derive(Debug, Default)]
pub(crate) struct ValuePeriods {
    /// The first and last day of each period. If the first day is `None`, the period has no start. If the
    /// last day is `None`, the period has no end.
    days: BTreeMap<Option<Date>, Option<Date>>,
}

/// Reads the list of a worker's custom field values, and checks that no value ends before its first day.
pub(crate) struct CustomValueListKind;

impl ListKind<WorkerCustomField> for CustomValueListKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<WorkerCustomField>> {
        object.read_list(name, |object| {
            let value = WorkerCustomField::read(object)?;
            object.check_date_range(value.start_date, value.end_date);
            Some(value)
        })
    }
}

impl ValuePeriods {
    /// Adds the period of a value. Returns `false` if the period overlaps the period of an earlier value.
    pub(crate) fn add_and_check_overlap(&mut self, value: &WorkerCustomField) -> bool {
        let (start, end) = (value.start_date, value.end_date);
        let goes_on = |last: &Option<Date>| last.is_none_or(|last| start.is_none_or(|start| start <= last));
        let before = self.days.range(..=start).next_back().is_some_and(|(_, last)| goes_on(last));
        let after = self
            .days
            .range(start..)
            .next()
            .is_some_and(|(first, _)| first.is_none_or(|first| end.is_none_or(|end| first <= end)));
        self.days.insert(start, end);
        !before && !after
    }
}

/// A fault of a value: the member, the reason, and a sentence that describes the fault.
pub(crate) type ValueFault = (&'static str, Reason, String);

impl WorkerCustomField {
    /// Returns the members of which a value must have exactly one, and whether each is present.
    const fn list_value_members(&self) -> [(&'static str, bool); 5] {
        [
            ("dropdownId", self.dropdown_id.is_some()),
            ("textValue", self.text_value.is_some()),
            ("numericValue", self.numeric_value.is_some()),
            ("dateValue", self.date_value.is_some()),
            ("booleanValue", self.boolean_value.is_some()),
        ]
    }

    /// Compares the value with the definition of its field and returns the faults of the value.
    pub(crate) fn find_faults(&self, field: &CustomField) -> Vec<ValueFault> {
        let (id, value) = (&field.custom_field_id, &field.definition.value);
        let field_type = value.field_type();
        let needed = member_for_type(field_type);
        let fault = |(member, present): (&'static str, bool)| match (member == needed, present) {
            (true, false) => {
                let sentence =
                    format!("{member} is missing: custom field {id} of type {field_type} requires it");
                Some((member, Reason::FieldMissing, sentence))
            }
            (false, true) => {
                let sentence = format!("{member} does not fit custom field {id} of type {field_type}");
                Some((member, Reason::FieldAmbiguous, sentence))
            }
            (true, true) => self
                .find_definition_mismatch(value)
                .map(|rule| (member, Reason::FieldInvalid, format!("{member} {rule} of custom field {id}"))),
            (false, false) => None,
        };
        self.list_value_members().into_iter().filter_map(fault).collect()
    }

    /// Returns the fault of a value that has the right type but breaks the definition of its field. The text,
    /// such as `must be the dropdownId of a choice`, omits the names of the member and of the field.
    fn find_definition_mismatch(&self, field: &CustomFieldValue) -> Option<String> {
        match field {
            CustomFieldValue::Dropdown(choices) => {
                let is_choice = choices.iter().any(|choice| choice.dropdown_id == self.dropdown_id);
                (!is_choice).then(|| "must be the dropdownId of a choice".to_owned())
            }
            CustomFieldValue::Text { max_length, .. } => {
                let most = (*max_length)?;
                let length = self.text_value.as_deref().map_or(0, |text| text.chars().count());
                let longest = usize::try_from(most).unwrap_or(usize::MAX);
                (length > longest).then(|| format!("must have at most {most} characters, the maximum"))
            }
            CustomFieldValue::Numeric { places, .. } => {
                let most = places.count();
                let has = self.numeric_value.map_or(0, |number| number.normalize().scale());
                (has > most).then(|| format!("must have at most {most} decimal places, the maximum"))
            }
            CustomFieldValue::Boolean(_) | CustomFieldValue::Date(_) => None,
        }
    }
}

/// Returns the member that contains the values of a type of field.
const fn member_for_type(field_type: CustomFieldType) -> &'static str {
    match field_type {
        CustomFieldType::Dropdown => "dropdownId",
        CustomFieldType::Text => "textValue",
        CustomFieldType::Boolean => "booleanValue",
        CustomFieldType::Date => "dateValue",
        CustomFieldType::Numeric | CustomFieldType::NumericTwoPlaces | CustomFieldType::NumericFourPlaces => {
            "numericValue"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Option<Date> {
        crate::date::parse_date(text).ok()
    }

    #[test]
    fn periods_overlap_if_they_have_a_day_in_common() {
        let value = |start: Option<Date>, end: Option<Date>| WorkerCustomField {
            worker_custom_field_id: "V".parse().unwrap(),
            custom_field_id: "F".parse().unwrap(),
            dropdown_id: None,
            text_value: None,
            numeric_value: None,
            date_value: None,
            boolean_value: Some(true),
            start_date: start,
            end_date: end,
        };
        for (start, end, fits) in [
            (day("2026-02-01"), day("2026-02-28"), true),
            (day("2026-01-31"), day("2026-02-28"), false),
            (day("2026-02-01"), day("2026-03-01"), false),
            (None, day("2025-12-31"), true),
            (None, None, false),
            (day("2027-01-01"), None, false),
            (day("2025-01-01"), None, false),
        ] {
            let mut periods = ValuePeriods::default();
            assert!(periods.add_and_check_overlap(&value(day("2026-01-01"), day("2026-01-31"))));
            assert!(periods.add_and_check_overlap(&value(day("2026-03-01"), None)));
            assert_eq!(periods.add_and_check_overlap(&value(start, end)), fits, "{start:?} {end:?}");
        }
    }
}
