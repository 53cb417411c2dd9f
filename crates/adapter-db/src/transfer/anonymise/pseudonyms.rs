//! Pseudonyms of values. Equal values get equal pseudonyms of the same format. Pseudonyms are derived with a
//! keyed hash. Without the key, the original values cannot be computed from them.

use hmac::{Hmac, KeyInit, Mac};
use payroll_domain::tax_id::LegalIdType;
use sha2::Sha256;
use time::macros::format_description;
use time::{Date, Duration};

/// The length in bytes of the key from which pseudonyms are derived.
pub(crate) const KEY_LENGTH: usize = 32;
/// The length of a hash in bytes.
const HASH_LENGTH: usize = 32;

/// The number of syllables in a name. Six syllables encode 36 bits, so two different texts of a database
/// almost never get the same name.
const MAX_SYLLABLES: usize = 6;
const CONSONANTS: &[u8; 16] = b"bdfghjklmnprstvz";
const VOWELS: &[u8; 4] = b"aeio";
/// The number of rounds that mix the two halves of a code. After these rounds, each character depends on all
/// others.
const FEISTEL_ROUNDS: u8 = 8;
/// The number of leading digits of a phone number or postal code that are replaced by 0.
const ZEROED_LEADING_DIGITS: usize = 3;
/// The first digit of pseudonymous SSNs. SSNs from 900 on are not issued.
const FIRST_DIGIT_OF_SSNS: u64 = 9;
/// The number of days in a year that is not a leap year.
const DAYS_PER_YEAR: u16 = 365;

/// Creates pseudonyms with one key.
#[derive(Clone)]
pub(super) struct PseudonymGenerator {
    hmac: Hmac<Sha256>,
}

impl PseudonymGenerator {
    /// Creates pseudonyms with the given key.
    pub(super) fn new(key: &[u8; KEY_LENGTH]) -> Option<Self> {
        <Hmac<Sha256> as KeyInit>::new_from_slice(key).ok().map(|keyed| Self { hmac: keyed })
    }

    /// Returns the keyed hash of a value. The hash also depends on the purpose, so equal values have
    /// different hashes for different purposes.
    pub(super) fn hash(&self, purpose: &str, value: &str) -> [u8; HASH_LENGTH] {
        let mut hash = self.hmac.clone();
        hash.update(purpose.as_bytes());
        hash.update(&[0]);
        hash.update(value.as_bytes());
        hash.finalize().into_bytes().into()
    }

    /// Returns a pseudonymous number below `bound`.
    pub(super) fn derive_number(&self, purpose: &str, value: &str, bound: u64) -> u64 {
        let hash = self.hash(purpose, value);
        let first = hash.first_chunk().copied().map(u64::from_le_bytes).unwrap_or_default();
        first % bound.max(1)
    }

    /// Returns a pronounceable word without a meaning.
    fn create_pseudonym(&self, value: &str) -> String {
        let mut number = self.derive_number("word", value, u64::MAX);
        let mut word = String::with_capacity(2 * MAX_SYLLABLES);
        for _ in 0..MAX_SYLLABLES {
            for letters in [CONSONANTS.as_slice(), VOWELS.as_slice()] {
                let among = letters.len() as u64;
                let letter = usize::try_from(number % among).ok().and_then(|at| letters.get(at));
                word.extend(letter.copied().map(char::from));
                number /= among;
            }
        }
        word
    }

    /// Returns a name that consists of a label and a generated word. An empty value stays empty.
    pub(super) fn replace_name(&self, label: &str, value: &str) -> String {
        if value.trim().is_empty() {
            return value.to_owned();
        }
        let word = self.create_pseudonym(value);
        let (first, rest) = word.split_at_checked(1).unwrap_or(("", &word));
        format!("{label} {}{rest}", first.to_uppercase())
    }

    /// Returns an e-mail address at the domain `example.invalid`, which never exists.
    pub(super) fn replace_email(&self, value: &str) -> String {
        format!("{}@example.invalid", self.create_pseudonym(value))
    }

    /// Returns the address of a receiver whose host name never resolves.
    pub(super) fn replace_address(&self, value: &str) -> String {
        format!("https://{}.invalid/", self.create_pseudonym(value))
    }

    /// Returns nine digits from a range that is never issued.
    pub(super) fn replace_tax_id(&self, kind: LegalIdType, digits: &str) -> String {
        match kind {
            LegalIdType::Ssn => {
                let (area, rest) =
                    (self.derive_number("area", digits, 100), self.derive_number("group", digits, 500_000));
                format!("{FIRST_DIGIT_OF_SSNS}{area:02}{rest:06}")
            }
            LegalIdType::Fein => format!("00{:07}", self.derive_number("fein", digits, 10_000_000)),
        }
    }

    /// Returns another day of the same year. `None` if the text is not a date.
    pub(super) fn replace_birthday(&self, day: &str) -> Option<String> {
        let form = format_description!("[year]-[month]-[day]");
        let date = Date::parse(day, form).ok()?;
        // The shift is never a complete year, so the day always changes.
        let shift =
            u16::try_from(self.derive_number("birthday", day, u64::from(DAYS_PER_YEAR) - 1)).ok()? + 1;
        let ordinal = (date.ordinal() - 1 + shift) % DAYS_PER_YEAR;
        let first = Date::from_ordinal_date(date.year(), 1).ok()?;
        first.checked_add(Duration::days(ordinal.into()))?.format(form).ok()
    }

    /// Replaces digits by digits and letters by letters. The first digits become 0.
    pub(super) fn replace_digits_and_letters(&self, value: &str) -> String {
        let hash = self.hash("number", value);
        let mut bytes = hash.iter().cycle();
        let mut zeros = ZEROED_LEADING_DIGITS;
        let other = value.chars().map(|old| match AlphabetSymbol::from_char(old) {
            Some(AlphabetSymbol { first: '0', .. }) if zeros > 0 => {
                zeros -= 1;
                '0'
            }
            Some(symbol) => {
                AlphabetSymbol { value: bytes.next().copied().unwrap_or_default(), ..symbol }.to_char()
            }
            None => old,
        });
        other.collect()
    }

    /// Replaces each digit by a digit and each letter by a letter. Two different codes of one format, in
    /// ASCII characters, never get the same replacement, because the mapping is a Feistel network. Each round
    /// adds a hash of one half of the code to the other half. With the key, each round can be reversed, so
    /// the mapping is one-to-one.
    pub(super) fn replace_code(&self, value: &str) -> String {
        let mut symbols: Vec<AlphabetSymbol> = value.chars().filter_map(AlphabetSymbol::from_char).collect();
        let form: String =
            value.chars().map(|old| AlphabetSymbol::from_char(old).map_or(old, |it| it.first)).collect();
        if let [alone] = symbols.as_mut_slice() {
            // A code with a single symbol has no second half for the mixing. A shift within the alphabet
            // turns this symbol into another one.
            let shift = self.derive_number("code", &form, alone.radix() - 1) + 1;
            alone.value = alone.value.wrapping_add(u8::try_from(shift).unwrap_or_default());
        }
        let middle = symbols.len() / 2;
        let (mut left, mut right) = symbols.split_at_mut(middle);
        for round in 0..if middle == 0 { 0 } else { FEISTEL_ROUNDS } {
            let known: String = left.iter().map(|symbol| symbol.to_char()).collect();
            for (at, symbol) in right.iter_mut().enumerate() {
                let shift =
                    self.derive_number("code", &format!("{round} {at} {known} {form}"), symbol.radix());
                let shift = u8::try_from(shift).unwrap_or_default();
                symbol.value = symbol.value.wrapping_add(shift);
            }
            std::mem::swap(&mut left, &mut right);
        }
        let mut others = symbols.iter().map(|symbol| symbol.to_char());
        value
            .chars()
            .map(|old| AlphabetSymbol::from_char(old).and_then(|_| others.next()).unwrap_or(old))
            .collect()
    }
}

/// A letter or a digit, with its index in the alphabet of its kind (upper-case letters, lower-case letters or
/// digits).
#[derive(Debug, Clone, Copy)]
struct AlphabetSymbol {
    first: char,
    value: u8,
}

impl AlphabetSymbol {
    /// Returns the symbol of a letter or digit, and `None` for other characters. A letter outside ASCII
    /// becomes a lower-case letter.
    fn from_char(from: char) -> Option<Self> {
        let first = match from {
            '0'..='9' => '0',
            'A'..='Z' => 'A',
            letter if letter.is_alphanumeric() => 'a',
            _ => return None,
        };
        let value = u32::from(from).wrapping_sub(u32::from(first));
        let mut symbol = Self { first, value: 0 };
        symbol.value = u8::try_from(u64::from(value) % symbol.radix()).ok()?;
        Some(symbol)
    }

    fn radix(&self) -> u64 {
        if self.first == '0' { 10 } else { 26 }
    }

    fn to_char(self) -> char {
        let value = u64::from(self.value) % self.radix();
        let code = u64::from(u32::from(self.first)) + value;
        u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(self.first)
    }
}

#[cfg(test)]
mod tests;
