//! Generators of companies and of the objects in their lists.

use super::RandomSource;
use crate::company::{Company, Organization, Product, RelationshipType};
use crate::custom_field::{
    CustomField, CustomFieldDefinition, CustomFieldValue, DecimalPlaces, DropdownChoice,
};
use crate::resource::CompanyRecord;

impl RandomSource {
    pub(super) fn random_company(&mut self) -> CompanyRecord {
        let company = Company {
            company_id: self.random_id(),
            display_id: self.random_text(32),
            legal_name: self.random_text(100),
            legal_id: self.random_option(Self::random_legal_id),
            communications: self.random_list(Self::random_communication),
            parent_company_id: self.random_option(Self::random_id),
            end_date: self.random_option(Self::random_date),
            converting: self.random_bool(),
            wages_expense_account: self.random_option(Self::random_account),
            wages_payable_account: self.random_option(Self::random_account),
            employer_tax_expense_account: self.random_option(Self::random_account),
            taxes_payable_account: self.random_option(Self::random_account),
            deductions_payable_account: self.random_option(Self::random_account),
            tax_states: self.random_option(|_| vec!["NY".to_owned(), "9".to_owned()]).unwrap_or_default(),
        };
        CompanyRecord { company, products: self.random_list(Self::random_product) }
    }

    pub(super) fn random_product(&mut self) -> Product {
        let (start_date, end_date) = self.random_dates();
        let end_date = self.random_option(|_| end_date);
        Product { product_code: self.random_word(), start_date, end_date }
    }

    pub(super) fn random_organization(&mut self) -> Organization {
        Organization {
            organization_id: self.random_id(),
            name: self.random_text(100),
            number: self.random_option(Self::random_code),
            level: self.random_option(|dice| u32::from(dice.random_below(100)) + 1),
            parent_organization_id: self.random_option(Self::random_id),
        }
    }

    pub(super) fn random_relationship_type(&mut self) -> RelationshipType {
        RelationshipType {
            relationship_type_id: self.random_id(),
            relationship_type_name: self.random_text(100),
        }
    }

    pub(super) fn random_custom_field(&mut self) -> CustomField {
        let definition = CustomFieldDefinition {
            name: self.random_text(100),
            category_id: self.random_option(Self::random_id),
            required: self.random_bool(),
            check_stub: self.random_bool(),
            employee_editable: self.random_bool(),
            value: self.random_field_value(),
        };
        CustomField { custom_field_id: self.random_id(), definition }
    }

    pub(super) fn random_field_value(&mut self) -> CustomFieldValue {
        match self.random_below(5) {
            0 => {
                let mut choices = self.random_list(|dice| DropdownChoice {
                    dropdown_id: Some(dice.random_id()),
                    value: dice.random_text(100),
                    default: false,
                });
                let default = self.random_bool();
                choices.iter_mut().take(1).for_each(|choice| choice.default = default);
                CustomFieldValue::Dropdown(choices)
            }
            1 => CustomFieldValue::Text {
                default: self.random_option(|dice| dice.random_text(40)),
                max_length: self.random_option(|dice| 40 + u32::from(dice.random_below(3_961))),
            },
            2 => CustomFieldValue::Boolean(self.random_option(Self::random_bool)),
            3 => CustomFieldValue::Date(self.random_option(Self::random_date)),
            _ => {
                let places =
                    self.random_element(&[DecimalPlaces::Zero, DecimalPlaces::Two, DecimalPlaces::Four]);
                let default = self.random_option(|dice| dice.random_signed_decimal(places.count()));
                CustomFieldValue::Numeric { places, default }
            }
        }
    }
}
