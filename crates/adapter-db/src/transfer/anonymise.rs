//! Anonymises rows of a real database, so that they contain no real person or company. The module `personal`
//! lists the treatment of each column.
//!
//! Encrypted values are decrypted before this step and encrypted afterwards. The columns of a check are
//! changed together (`checks`), because the amounts of a check depend on each other.

mod amounts;
mod checks;
mod original_row;
mod pseudonyms;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use payroll_domain::SecretText;
use payroll_domain::check::{DEFAULT_CHECK_TYPE, REVERSAL_CHECK_TYPE};
use payroll_domain::company::to_display_key;
use payroll_domain::custom_field::CustomFieldType;
use payroll_domain::hook::{Address, AuthType, Authentication, OAuthClient};
use payroll_domain::tax_id::LegalIdType;
use payroll_domain::worker::{CalculationType, PaymentType, Sex};
use sha2::{Digest, Sha256};

use self::amounts::AmountFactor;
use self::checks::CheckAnonymiser;
use self::original_row::OriginalRow;
use self::pseudonyms::{KEY_LENGTH, PseudonymGenerator};
use super::columns::SourceTable;
use super::personal::treatment_of_column;
use super::progress::TextRow;
use crate::rows::anonymisation::Anonymisation;

/// The treatment of amounts of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AmountTreatment {
    /// The copy contains the original amounts of money.
    #[default]
    Keep,
    /// The amounts of each company are multiplied by its own factor.
    Scale,
}

/// The settings for anonymising a copy.
pub struct AnonymiseSettings {
    /// The key from which replacements are derived. The same key creates the same replacements. Do not use
    /// this key for anything else.
    pub key: [u8; KEY_LENGTH],
    /// The treatment of amounts of money.
    pub amounts: AmountTreatment,
}

impl AnonymiseSettings {
    /// The length of the key for replacements, in bytes.
    pub const KEY_LENGTH: usize = KEY_LENGTH;

    /// Derives the key from a text, so that the same text creates the same replacements again.
    #[must_use]
    pub fn from_seed(seed: &str, amounts: AmountTreatment) -> Self {
        let hash = Sha256::new_with_prefix(b"replacements of a copy").chain_update(seed).finalize();
        Self { key: hash.into(), amounts }
    }
}

/// Replaces the values of rows, one row at a time. Between rows, only the sums of the checks of each pay
/// period are kept, because the later row of the period needs them.
pub(super) struct Anonymiser {
    pseudonyms: PseudonymGenerator,
    scales: bool,
    checks: CheckAnonymiser,
}

impl Anonymiser {
    pub(super) fn new(from: &AnonymiseSettings) -> Option<Self> {
        Some(Self {
            pseudonyms: PseudonymGenerator::new(&from.key)?,
            scales: from.amounts == AmountTreatment::Scale,
            checks: CheckAnonymiser::new(from.amounts == AmountTreatment::Scale),
        })
    }

    /// Replaces the values of a row whose encrypted values were decrypted. The error contains the reason, and
    /// the index of the column that could not be replaced.
    pub(super) fn anonymise_row(
        &mut self,
        table: &SourceTable,
        row: &mut TextRow,
    ) -> Result<(), (usize, &'static str)> {
        // The replacement of a column may depend on the original values of other columns.
        let original_row = OriginalRow { table, row: row.clone() };
        for (at, column) in table.columns.iter().enumerate() {
            let treatment = treatment_of_column(&table.name, &column.name);
            let treatment =
                treatment.ok_or((at, "this release does not know whether the column is personal data"))?;
            let (Some(value), Some(old)) = (row.get_mut(at), original_row.row.get(at)) else { continue };
            if let Some(old) = old {
                *value = self
                    .choose_replacement(treatment, old, &original_row)
                    .map_err(|problem| (at, problem))?;
            } else if let Anonymisation::SameAs(other) = treatment {
                *value = original_row.value(other).map(str::to_owned);
            }
        }
        match table.name.as_str() {
            "checks" => self.checks.anonymise_check(&self.pseudonyms, &original_row, row),
            "pay_periods" => {
                self.checks.anonymise_totals(&original_row, row);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns the replacement of a value.
    fn choose_replacement(
        &self,
        treatment: Anonymisation,
        old: &str,
        row: &OriginalRow<'_>,
    ) -> Result<Option<String>, &'static str> {
        let pseudonyms = &self.pseudonyms;
        Ok(match treatment {
            Anonymisation::Kept
            | Anonymisation::SetByTarget
            | Anonymisation::OfCheck
            | Anonymisation::Total => Some(old.to_owned()),
            Anonymisation::Absent => None,
            Anonymisation::False | Anonymisation::Zero => Some("0".to_owned()),
            Anonymisation::SameAs(other) => row.value(other).map(str::to_owned),
            Anonymisation::Name(label) => Some(pseudonyms.replace_name(label, old)),
            Anonymisation::Code => Some(pseudonyms.replace_code(old)),
            Anonymisation::Number => Some(pseudonyms.replace_digits_and_letters(old)),
            Anonymisation::Email => Some(pseudonyms.replace_email(old)),
            Anonymisation::LegalId => {
                Some(pseudonyms.replace_tax_id(row.parse_value("legal_id_type", LegalIdType::parse)?, old))
            }
            Anonymisation::Birthday => {
                Some(pseudonyms.replace_birthday(old).ok_or("the value is not a date")?)
            }
            Anonymisation::Sex => self.choose_sex(row),
            Anonymisation::DisplayKey => {
                row.value("display_id").map(|id| to_display_key(&pseudonyms.replace_code(id)))
            }
            Anonymisation::DefaultText => Some(self.anonymise_default_text(old, row)?),
            Anonymisation::Correlation if row.value("reversal_of") == Some(old) => Some(old.to_owned()),
            Anonymisation::Correlation => Some(pseudonyms.replace_name("Check", old)),
            Anonymisation::CheckType if [DEFAULT_CHECK_TYPE, REVERSAL_CHECK_TYPE].contains(&old) => {
                Some(old.to_owned())
            }
            Anonymisation::CheckType => Some(pseudonyms.replace_name("Type", old)),
            Anonymisation::HookAddress => Some(pseudonyms.replace_address(old)),
            Anonymisation::Authentication => Some(self.anonymise_authentication(old, row)?),
            Anonymisation::SigningSecret => {
                Some(STANDARD_NO_PAD.encode(pseudonyms.hash("signing secret", old)))
            }
            Anonymisation::Amount => Some(self.scale_money(old, row, AmountFactor::scale_amount)?),
            Anonymisation::Rate => Some(self.scale_money(old, row, AmountFactor::scale_rate)?),
            Anonymisation::DepositValue(column) => match row.parse_value(column, PaymentType::parse)? {
                PaymentType::Percentage => Some(old.to_owned()),
                PaymentType::FlatDollarAmount | PaymentType::Remainder => {
                    Some(self.scale_money(old, row, AmountFactor::scale_amount)?)
                }
            },
            Anonymisation::RecurringValue => {
                match row.parse_value("calculation_type", CalculationType::parse)? {
                    CalculationType::Percentage => Some(old.to_owned()),
                    CalculationType::FlatDollarAmount
                    | CalculationType::RateXUnits
                    | CalculationType::RateXHours
                    | CalculationType::ScheduledAmount => {
                        Some(self.scale_money(old, row, AmountFactor::scale_rate)?)
                    }
                }
            }
        })
    }

    /// Returns a sex that depends on the worker and not on the old value. The distribution of the sexes in
    /// the copy therefore reveals nothing about the original.
    fn choose_sex(&self, row: &OriginalRow<'_>) -> Option<String> {
        let among = u64::try_from(Sex::ALL.len()).unwrap_or(1);
        let at = self.pseudonyms.derive_number("sex", row.value("worker_id")?, among);
        Sex::ALL.get(usize::try_from(at).ok()?).map(|sex| sex.as_str().to_owned())
    }

    fn anonymise_default_text(&self, old: &str, row: &OriginalRow<'_>) -> Result<String, &'static str> {
        if row.parse_value("field_type", CustomFieldType::parse)? != CustomFieldType::Text {
            return Ok(old.to_owned());
        }
        let new = self.pseudonyms.replace_name("Text", old);
        let longest = row.value("max_length").and_then(|length| length.parse().ok()).unwrap_or(usize::MAX);
        Ok(new.chars().take(longest).collect())
    }

    /// Returns the credentials of a hook with all values replaced except the method.
    fn anonymise_authentication(&self, old: &str, row: &OriginalRow<'_>) -> Result<String, &'static str> {
        let pseudonyms = &self.pseudonyms;
        let client = |from: &OAuthClient| {
            Some(OAuthClient {
                token_url: Address::from_stored(&pseudonyms.replace_address(from.token_url.as_str()))?,
                client_id: pseudonyms.replace_name("Client", &from.client_id),
                client_secret: SecretText::new(
                    pseudonyms.replace_name("Secret", from.client_secret.expose()),
                ),
                scope: from.scope.as_deref().map(|scope| pseudonyms.replace_name("Scope", scope)),
            })
        };
        let shown = Authentication::from_stored(row.parse_value("auth_type", AuthType::parse)?, old);
        let other = match shown.ok_or("the value is invalid")? {
            Authentication::Basic { username, password } => Some(Authentication::Basic {
                username: pseudonyms.replace_name("User", &username),
                password: SecretText::new(pseudonyms.replace_name("Secret", password.expose())),
            }),
            Authentication::ApiKey { header, key } => Some(Authentication::ApiKey {
                header: format!(
                    "x-{}",
                    pseudonyms.replace_name("key", &header).to_lowercase().replace(' ', "-")
                ),
                key: SecretText::new(pseudonyms.replace_name("Secret", key.expose())),
            }),
            Authentication::OAuth2(from) => client(&from).map(Authentication::OAuth2),
            Authentication::OAuth2Basic(from) => client(&from).map(Authentication::OAuth2Basic),
        };
        Ok(other.ok_or("the value is invalid")?.to_stored().expose().to_owned())
    }

    /// Returns a replaced amount of money of a company, in ten-thousandths.
    fn scale_money(
        &self,
        old: &str,
        row: &OriginalRow<'_>,
        scaled: impl Fn(AmountFactor, i64) -> i64,
    ) -> Result<String, &'static str> {
        if !self.scales {
            return Ok(old.to_owned());
        }
        let stored = old.parse().map_err(|_| "the value is not an amount")?;
        let factor = AmountFactor::for_company(row.value("company_id").unwrap_or_default(), &self.pseudonyms);
        Ok(scaled(factor, stored).to_string())
    }
}

#[cfg(test)]
mod tests;
