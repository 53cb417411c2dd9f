//! Generators of companies and of the objects in their lists.

use super::RandomSource;
use crate::company::{Company, Organization, Product, RelationshipType};
use crate::custom_field::{
    CustomField, CustomFieldDefinition, CustomFieldValue, DecimalPlaces, DropdownChoice,
};
use crate::resource::CompanyRecord;

impl RandomSource {
    pub(super) fn company(&mut self) -> CompanyRecord {
        let company = Company {
            company_id: self.id(),
            display_id: self.random_text(32),
            legal_name: self.random_text(100),
            legal_id: self.optional_value(Self::legal_id),
            communications: self.short_list(Self::communication),
            parent_company_id: self.optional_value(Self::id),
            end_date: self.optional_value(Self::date),
            converting: self.random_bool(),
            wages_expense_account: self.optional_value(Self::account),
            wages_payable_account: self.optional_value(Self::account),
            employer_tax_expense_account: self.optional_value(Self::account),
            taxes_payable_account: self.optional_value(Self::account),
            deductions_payable_account: self.optional_value(Self::account),
            tax_states: self.optional_value(|_| vec!["NY".to_owned(), "9".to_owned()]).unwrap_or_default(),
        };
        CompanyRecord { company, products: self.short_list(Self::product) }
    }

    pub(super) fn product(&mut self) -> Product {
        let (start_date, end_date) = self.dates();
        let end_date = self.optional_value(|_| end_date);
        Product { product_code: self.random_word(), start_date, end_date }
    }

    pub(super) fn organization(&mut self) -> Organization {
        Organization {
            organization_id: self.id(),
            name: self.random_text(100),
            number: self.optional_value(Self::code),
            level: self.optional_value(|dice| u32::from(dice.random_below(100)) + 1),
            parent_organization_id: self.optional_value(Self::id),
        }
    }

    pub(super) fn relationship_type(&mut self) -> RelationshipType {
        RelationshipType { relationship_type_id: self.id(), relationship_type_name: self.random_text(100) }
    }

    pub(super) fn custom_field(&mut self) -> CustomField {
        let definition = CustomFieldDefinition {
            name: self.random_text(100),
            category_id: self.optional_value(Self::id),
            required: self.random_bool(),
            check_stub: self.random_bool(),
            employee_editable: self.random_bool(),
            value: self.field_value(),
        };
        CustomField { custom_field_id: self.id(), definition }
    }

    pub(super) fn field_value(&mut self) -> CustomFieldValue {
        match self.random_below(5) {
            0 => {
                let mut choices = self.short_list(|dice| DropdownChoice {
                    dropdown_id: Some(dice.id()),
                    value: dice.random_text(100),
                    default: false,
                });
                let default = self.random_bool();
                choices.iter_mut().take(1).for_each(|choice| choice.default = default);
                CustomFieldValue::Dropdown(choices)
            }
            1 => CustomFieldValue::Text {
                default: self.optional_value(|dice| dice.random_text(40)),
                max_length: self.optional_value(|dice| 40 + u32::from(dice.random_below(3_961))),
            },
            2 => CustomFieldValue::Boolean(self.optional_value(Self::random_bool)),
            3 => CustomFieldValue::Date(self.optional_value(Self::date)),
            _ => {
                let places =
                    self.random_element(&[DecimalPlaces::Zero, DecimalPlaces::Two, DecimalPlaces::Four]);
                let default = self.optional_value(|dice| dice.signed_decimal(places.count()));
                CustomFieldValue::Numeric { places, default }
            }
        }
    }
}
