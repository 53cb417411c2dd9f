//! The members of custom fields and of their categories, as operators send them.

use crate::code::Reason;
use crate::custom_field::{CUSTOM_FIELD_MEMBERS, CustomField, CustomFieldCategory, read_stored};
use crate::description::objects::Readable;
use crate::object::reader::{ObjectReader, read_struct};
use crate::object::values::read_id;

/// Reads the categories of the company, of which at most one may be the default.
pub(super) fn read_categories(object: &mut ObjectReader<'_>) -> Option<Vec<CustomFieldCategory>> {
    let mut has_default = false;
    object.read_list("customFieldCategories", |object| {
        let category = CustomFieldCategory::read(object)?;
        if category.default && std::mem::replace(&mut has_default, true) {
            object.report_fault(Reason::FieldInvalid, "default", "can be true for only one category");
        }
        Some(category)
    })
}

/// Reads a custom field of a company.
pub(super) fn read_custom_field(object: &mut ObjectReader<'_>) -> Option<CustomField> {
    read_struct!(CustomField {
        custom_field_id: object.read_required("customFieldId", read_id),
        definition: object.read_members(&CUSTOM_FIELD_MEMBERS, read_stored),
    })
}
