//! The partners' rules for values of a worker's custom fields. The company defines the names and types of the
//! fields.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::TryStreamExt;
use payroll_domain::code::Reason;
use payroll_domain::custom_field::{CustomField, CustomFieldValue, DropdownChoice};
use payroll_domain::date::Date;
use payroll_domain::id::CustomFieldId;
use payroll_domain::input::{Node, Value};
use payroll_domain::lookup::ValidityPeriod;
use payroll_domain::resource::Resource;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_domain::worker::WorkerCustomField;
use payroll_ports::setup::SetupList;
use payroll_ports::workers::WorkerListKind;
use payroll_ports::{Listing, Window};
use serde_json::Value as Json;

use super::element::{has_member, periods_overlap, text_member};
use crate::partner::call::PartnerCall;
use crate::partner::parts::PartnerListElement;
use crate::shared::error::Failure;
use crate::shared::filters;
use crate::shared::media_type::VendorTypes;
use crate::shared::objects::side::{ElementChange, ElementOperation};

/// The member that contains the text of the selected choice.
const CHOICE_MEMBER: &str = "dropdownValue";

/// The custom fields of the company.
#[derive(Debug, Clone, Default)]
pub(crate) struct CustomFields {
    by_id: Arc<HashMap<CustomFieldId, CustomField>>,
    /// The version of the company's data, which is part of the entity tag.
    version: i64,
}

impl CustomFields {
    async fn read(call: &PartnerCall) -> Result<Self, Failure> {
        let (company_id, list) = (call.company_id().await?, SetupList::CustomFields);
        let found = call.store().setup_list(&call.caller, &company_id, list, Window::default()).await?;
        let (_, Listing { version, rows, .. }) = call.check_access(found)?;
        let rows: Vec<Vec<Resource>> = rows.into_stream().try_collect().await?;
        let fields = rows.into_iter().flatten().filter_map(|resource| match resource {
            Resource::CustomField(field) => Some((field.custom_field_id.clone(), *field)),
            _ => None,
        });
        Ok(Self { by_id: Arc::new(fields.collect()), version })
    }

    /// Returns the choices of a drop-down field. `None` if the field has another type, and an empty list if
    /// the company has no such field.
    fn choices(&self, field_id: &str) -> Option<&[DropdownChoice]> {
        match self.by_id.get(field_id).map(|field| &field.definition.value) {
            Some(CustomFieldValue::Dropdown(choices)) => Some(choices),
            Some(_) => None,
            None => Some(&[]),
        }
    }
}

impl PartnerListElement for WorkerCustomField {
    const STORED_LIST: Option<WorkerListKind> = Some(WorkerListKind::CustomFields);
    const HAS_LINKS: bool = false;
    const PARAMETERS: &'static [&'static str] = &[filters::AS_OF_PARAMETER];

    type Facts = CustomFields;

    async fn read_facts(call: &PartnerCall) -> Result<CustomFields, Failure> {
        CustomFields::read(call).await
    }

    fn referenced_data_version(facts: &CustomFields) -> Option<i64> {
        Some(facts.version)
    }

    fn added_members(&self, facts: &CustomFields) -> Vec<(&'static str, Json)> {
        let Some(field) = facts.by_id.get(&self.custom_field_id) else { return Vec::new() };
        let definition = &field.definition;
        let mut also = vec![
            ("customFieldName", definition.name.clone().into()),
            ("type", definition.value.field_type().as_str().into()),
            ("required", definition.required.into()),
            ("checkStub", definition.check_stub.into()),
            ("employeeEditable", definition.employee_editable.into()),
        ];
        let choices = facts.choices(self.custom_field_id.as_str()).unwrap_or_default().iter();
        let chosen =
            choices.filter(|choice| choice.dropdown_id.is_some() && choice.dropdown_id == self.dropdown_id);
        also.extend(chosen.map(|choice| (CHOICE_MEMBER, choice.value.clone().into())));
        also
    }

    fn is_effective_on(&self, day: Date) -> bool {
        ValidityPeriod { first: self.start_date, last: self.end_date }.contains(day)
    }

    fn media_types(types: &VendorTypes) -> [&str; 2] {
        [&types.custom_fields_of_worker, &types.custom_field_of_worker]
    }

    /// Adds the id of a choice if the client sent only the text of the choice. If the client sent the id and
    /// the text, both must belong to the same choice.
    fn convert_to_stored_form<'n>(
        sent: &mut Node<'n>,
        stored: Option<&Node<'n>>,
        facts: &CustomFields,
    ) -> Vec<Violation> {
        let fault_for = |reason, sentence: String| {
            let pointer = format!("/{CHOICE_MEMBER}");
            vec![Violation::new(reason, sentence).at_position(pointer, DocumentPosition::default())]
        };
        let fault = |sentence| fault_for(Reason::FieldInvalid, sentence);
        if !has_member(sent, CHOICE_MEMBER) {
            return Vec::new();
        }
        let Some(choice) = text_member(sent, CHOICE_MEMBER) else {
            return fault(format!("{CHOICE_MEMBER} must be a string"));
        };
        let field_id = text_member(sent, "customFieldId").or_else(|| text_member(stored?, "customFieldId"));
        let Some(choices) = facts.choices(field_id.unwrap_or_default()) else {
            let sentence =
                format!("{CHOICE_MEMBER} must be absent: the custom field is not a drop-down list");
            return fault_for(Reason::FieldAmbiguous, sentence);
        };
        let id =
            choices.iter().filter(|known| known.value == choice).find_map(|known| known.dropdown_id.clone());
        match (id, text_member(sent, "dropdownId")) {
            (Some(id), None) => {
                if let Value::Object(members) = &mut sent.value {
                    members.retain(|(name, _)| name != "dropdownId");
                    members.push(("dropdownId".into(), Node::from(Value::Text(id.to_string().into()))));
                }
                Vec::new()
            }
            (Some(id), Some(named)) if id.as_str() == named => Vec::new(),
            (_, _) => fault(format!(
                "{CHOICE_MEMBER} must be a choice of the custom field, and match dropdownId if both are sent"
            )),
        }
    }

    fn find_change_faults(change: ElementChange<'_, '_>, _: Date) -> Vec<Violation> {
        let named = change.text("customFieldId");
        let before = change.before.and_then(|before| text_member(before, "customFieldId"));
        let fault = |reason, sentence: &str| {
            vec![Violation::new(reason, sentence).at_position("/customFieldId", DocumentPosition::default())]
        };
        if change.operation == ElementOperation::Delete || named.is_none() {
            return Vec::new();
        }
        if before.is_some() && named != before {
            return fault(Reason::FieldInvalid, "customFieldId cannot be changed");
        }
        let others = change.others.iter().filter(|other| text_member(other, "customFieldId") == named);
        match others.into_iter().any(|other| periods_overlap(other, change.after)) {
            true => fault(
                Reason::AlreadyUsed,
                "the worker already has a value of this custom field on some of these days",
            ),
            false => Vec::new(),
        }
    }
}
