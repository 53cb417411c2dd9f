//! Generators of valid values of every type.

use super::RandomSource;
use crate::date::Date;
use crate::id::Id;
use crate::money::{Amount, Quantity, Rate};
use crate::tax_id::{LegalId, LegalIdType};
use proptest::prelude::*;

impl RandomSource {
    pub(super) fn random_legal_id(&mut self) -> LegalId {
        let digits = format!("{:04}{:05}", self.random_below(10_000), self.random_below(u16::MAX));
        LegalId::parse(self.random_element(LegalIdType::ALL), &digits).unwrap()
    }

    pub(super) fn random_id<K>(&mut self) -> Id<K> {
        self.ids += 1;
        let rest = self.random_below(1_000);
        Id::parse(&format!("{}-{rest}_x", self.ids)).unwrap()
    }

    /// Generates a day in any year that a date can have in JSON.
    pub(super) fn random_date(&mut self) -> Date {
        Date::from_ordinal_date(1 + i32::from(self.random_below(9_999)), 1 + self.random_below(365)).unwrap()
    }

    /// Generates two days, the earlier one first.
    pub(super) fn random_dates(&mut self) -> (Date, Date) {
        let (one, other) = (self.random_date(), self.random_date());
        (one.min(other), one.max(other))
    }

    pub(super) fn random_amount(&mut self) -> Amount {
        Amount::from_ten_thousandths(self.random_ten_thousandths() / 100 * 100).unwrap()
    }

    pub(super) fn random_rate(&mut self) -> Rate {
        Rate::from_ten_thousandths(self.random_ten_thousandths()).unwrap()
    }

    pub(super) fn random_quantity(&mut self) -> Quantity {
        Quantity::from_ten_thousandths(self.random_ten_thousandths()).unwrap()
    }

    pub(super) fn random_percentage(&mut self) -> Rate {
        Rate::from_ten_thousandths(self.random_ten_thousandths() % 1_000_001).unwrap()
    }

    /// Generates a number with up to 14 digits before the decimal point. Small and large numbers are equally
    /// frequent.
    pub(super) fn random_ten_thousandths(&mut self) -> i64 {
        let most = 10_i64.pow(u32::from(self.random_below(18)) + 1);
        i64::try_from(self.rng.next_u64() >> 1).unwrap() % most
    }

    pub(super) fn random_signed_decimal(&mut self, decimal_places: u32) -> rust_decimal::Decimal {
        let unit = 10_i64.pow(4 - decimal_places);
        let value = Rate::from_ten_thousandths(self.random_ten_thousandths() / unit * unit).unwrap().value();
        if self.random_bool() { value } else { (-value).normalize() }
    }

    pub(super) fn random_code(&mut self) -> String {
        self.random_text(32)
    }

    /// Generates text without control characters, but with characters that JSON escapes and characters beyond
    /// the Basic Multilingual Plane.
    pub(super) fn random_text(&mut self, max_length: u16) -> String {
        let length = 1 + self.random_below(max_length.min(12));
        (0..length)
            .map(|_| self.random_element(&['a', 'Z', ' ', '"', '\\', '/', '\'', '~', 'é', '€', '😀']))
            .collect()
    }

    pub(super) fn random_word(&mut self) -> String {
        let length = 1 + self.random_below(20);
        (0..length).map(|_| self.random_element(&['A', 'Z', '_', '0', '9'])).collect()
    }

    pub(super) fn random_state(&mut self) -> String {
        self.random_element(&["NY", "NJ", "9", "ENG"]).to_owned()
    }

    pub(super) fn random_list<T>(&mut self, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.random_below(4)).map(|_| make(self)).collect()
    }

    pub(super) fn random_option<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.random_bool().then(|| make(self))
    }

    pub(super) fn random_element<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::from(self.random_below(u16::try_from(values.len()).unwrap()))]
    }

    pub(super) fn random_bool(&mut self) -> bool {
        self.random_below(2) == 1
    }

    pub(super) fn random_below(&mut self, end: u16) -> u16 {
        u16::try_from(self.rng.next_u64() % u64::from(end)).unwrap()
    }
}
