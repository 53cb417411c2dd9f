//! The rows of the tables, and their conversion to domain types.
//!
//! An invalid stored value causes a [`Failure::Corrupt`] with the table and key of its row. Invalid values
//! are never replaced by a guess and never cause a panic.

pub(crate) mod access;
pub(crate) mod access_requests;
pub(crate) mod anonymisation;
pub(crate) mod archived_checks;
pub(crate) mod audit_log;
pub(crate) mod cells;
pub(crate) mod checks;
pub(crate) mod company;
pub(crate) mod completion_requests;
pub(crate) mod custom_fields;
pub(crate) mod declared;
pub(crate) mod deliveries;
pub(crate) mod delivery_log;
pub(crate) mod files;
pub(crate) mod hooks;
pub(crate) mod ids;
pub(crate) mod lists;
pub(crate) mod lookup;
pub(crate) mod operator_sessions;
pub(crate) mod parts;
pub(crate) mod pay_period;
pub(crate) mod period_totals;
pub(crate) mod requests;
pub(crate) mod resources;
pub(crate) mod stored_table;
pub(crate) mod workers;

use payroll_domain::id::Id;
use payroll_domain::money::{Amount, Quantity, Rate};
use payroll_domain::tax_id::{LegalId, LegalIdType};

use crate::error::{Failure, Outcome};
use crate::seal::Sealer;

/// The table and key of a row, for errors about its values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowLocation<'r> {
    pub(crate) table: &'static str,
    pub(crate) key: &'r str,
}

impl RowLocation<'_> {
    /// Returns the failure for an invalid value in the row.
    pub(crate) fn corruption_failure(self, problem: impl Into<String>) -> Failure {
        Failure::Corrupt { table: self.table, key: self.key.to_owned(), problem: problem.into() }
    }

    pub(crate) fn parse_id<K>(self, text: &str) -> Outcome<Id<K>> {
        Id::parse(text).map_err(|_| self.corruption_failure("an id is malformed"))
    }

    pub(crate) fn parse_optional_id<K>(self, text: Option<&str>) -> Outcome<Option<Id<K>>> {
        text.map(|text| self.parse_id(text)).transpose()
    }

    /// Parses a text that must be one of a fixed set of values.
    pub(crate) fn parse_text<T>(self, text: &str, parse: fn(&str) -> Option<T>) -> Outcome<T> {
        parse(text).ok_or_else(|| self.corruption_failure(format!("unknown value {text:?}")))
    }

    pub(crate) fn parse_optional_text<T>(
        self,
        text: Option<&str>,
        parse: fn(&str) -> Option<T>,
    ) -> Outcome<Option<T>> {
        text.map(|text| self.parse_text(text, parse)).transpose()
    }

    pub(crate) fn read_amount(self, stored: i64) -> Outcome<Amount> {
        Amount::from_ten_thousandths(stored)
            .ok_or_else(|| self.corruption_failure("an amount has parts of a cent"))
    }

    /// Returns the sum of many amounts. The sum may exceed 64 bits, so the database divides each amount by
    /// 1,000,000. The database adds up the quotients (`millions`) and the remainders separately.
    pub(crate) fn read_amount_of_sums(self, millions: i64, remainders: i64) -> Outcome<Amount> {
        let sum = i128::from(millions) * 1_000_000 + i128::from(remainders);
        let amount = Amount::from_sum_of_ten_thousandths(sum);
        amount.ok_or_else(|| self.corruption_failure("an amount has parts of a cent"))
    }

    pub(crate) fn read_optional_amount(self, stored: Option<i64>) -> Outcome<Option<Amount>> {
        stored.map(|stored| self.read_amount(stored)).transpose()
    }

    pub(crate) fn read_rate(self, stored: i64) -> Outcome<Rate> {
        Rate::from_ten_thousandths(stored).ok_or_else(|| self.corruption_failure("a rate is malformed"))
    }

    pub(crate) fn read_optional_rate(self, stored: Option<i64>) -> Outcome<Option<Rate>> {
        stored.map(|stored| self.read_rate(stored)).transpose()
    }

    pub(crate) fn read_optional_quantity(self, stored: Option<i64>) -> Outcome<Option<Quantity>> {
        let quantity = |stored| {
            Quantity::from_ten_thousandths(stored)
                .ok_or_else(|| self.corruption_failure("a quantity is malformed"))
        };
        stored.map(quantity).transpose()
    }

    /// Converts a stored number to a narrower type. A number that does not fit is an invalid stored value.
    pub(crate) fn read_number<T: TryFrom<i64>>(self, stored: i64) -> Outcome<T> {
        T::try_from(stored).map_err(|_| self.corruption_failure("a number is out of range"))
    }

    /// Parses a tax ID. The tax ID of a person is first decrypted. Its encryption is bound to the id of its
    /// row.
    pub(crate) fn decrypt_legal_id(
        self,
        kind: Option<&str>,
        stored: Option<&str>,
        sealer: &Sealer,
    ) -> Outcome<Option<LegalId>> {
        let (Some(kind), Some(stored)) = (kind, stored) else { return Ok(None) };
        let kind = self.parse_text(kind, LegalIdType::parse)?;
        let digits = match kind {
            LegalIdType::Fein => stored.to_owned(),
            LegalIdType::Ssn => sealer
                .unseal(stored, self.key)
                .ok_or_else(|| self.corruption_failure("the tax identity cannot be decrypted"))?,
        };
        let legal_id = LegalId::parse(kind, &digits);
        legal_id.map(Some).ok_or_else(|| self.corruption_failure("the tax identity is malformed"))
    }
}

/// Returns the number to store, in ten-thousandths. The input `None` means that the number exceeds 64 bits.
/// This is a bug, because the domain limits all numbers.
pub(crate) fn require_ten_thousandths(value: Option<i64>) -> Outcome<i64> {
    value.ok_or_else(|| Failure::Bug("a decimal is beyond 64 bits".to_owned()))
}
