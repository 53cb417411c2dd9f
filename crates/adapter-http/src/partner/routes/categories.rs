//! Categories of custom fields (specification §6.10): adding one. The list is in `lists`.

use payroll_domain::custom_field::{self, CategoryDefinition, CustomFieldCategory, CustomFieldFacts};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violations;

use super::additions::{self, Added};
use crate::partner::call::Call;
use crate::shared::handled::Handled;
use crate::shared::media_type::VendorTypes;
use crate::shared::wire::described::DescribedResource;

/// POST /companies/{companyId}/customfieldscategories.
pub(crate) async fn add(call: Call) -> Handled {
    additions::add::<CustomFieldCategory>(call).await
}

impl Added for CustomFieldCategory {
    fn media_types(types: &VendorTypes) -> Vec<&str> {
        vec![&types.categories]
    }

    fn read(document: &Node<'_>, facts: &CustomFieldFacts, ids: &mut IdSequence) -> Result<Self, Violations> {
        let CategoryDefinition { category_name, default } = custom_field::read_category(document, facts)?;
        Ok(Self { category_id: ids.next_id(), category_name, default })
    }

    fn show(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(out, &DescribedResource::bare(self))
    }

    fn into_resource(self) -> Resource {
        Resource::CustomFieldCategory(self)
    }
}
