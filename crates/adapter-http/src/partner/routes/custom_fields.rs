//! Custom fields of a company (specification §6.6, §6.7): adding one. The list is in `lists`.

use payroll_domain::custom_field::{
    self, CustomField, CustomFieldDefinition, CustomFieldFacts, CustomFieldValue,
};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violations;

use super::additions::{self, Added};
use crate::partner::call::Call;
use crate::shared::handled::Handled;
use crate::shared::media_type::VendorTypes;
use crate::shared::wire::described::DescribedResource;

/// POST /companies/{companyId}/customfields.
pub(crate) async fn add(call: Call) -> Handled {
    additions::add::<CustomField>(call).await
}

impl Added for CustomField {
    fn media_types(types: &VendorTypes) -> Vec<&str> {
        vec![&types.custom_fields, &types.custom_field]
    }

    fn read(document: &Node<'_>, facts: &CustomFieldFacts, ids: &mut IdSequence) -> Result<Self, Violations> {
        let mut definition = custom_field::read(document, facts)?;
        let custom_field_id = ids.next_id();
        give_ids(&mut definition, ids);
        Ok(Self { custom_field_id, definition })
    }

    fn show(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(out, &DescribedResource::bare(self))
    }

    fn into_resource(self) -> Resource {
        Resource::CustomField(Box::new(self))
    }
}

/// Gives ids to the choices of a drop-down that have none.
pub(super) fn give_ids(definition: &mut CustomFieldDefinition, ids: &mut IdSequence) {
    if let CustomFieldValue::Dropdown(choices) = &mut definition.value {
        for choice in choices {
            choice.dropdown_id.get_or_insert_with(|| ids.next_id());
        }
    }
}
