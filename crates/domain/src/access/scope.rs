//! Scopes: the permissions of an application, for itself or on a company, and sets of scopes.

use std::fmt;

use crate::named::named_enum;

named_enum! {
    /// A permission, of the form `read:<name>` or `write:<name>`. [`Scope::ALL`] is in the order in which a
    /// token response lists them. The position of a scope is its bit in [`Scopes`].
    Scope {
        /// Reads companies and their lists.
        ReadCompanies = "read:companies",
        /// Changes the lists of companies.
        WriteCompanies = "write:companies",
        /// Reads calculation bases, checks, pay periods, pay components and pay rates.
        ReadPayroll = "read:payroll",
        /// Adds and removes checks.
        WritePayroll = "write:payroll",
        /// Reads workers and their communications.
        ReadWorkers = "read:workers",
        /// Changes workers and their communications.
        WriteWorkers = "write:workers",
        /// Reads tax IDs of persons unmasked.
        ReadTaxIds = "read:taxids",
        /// Reads the tax settings of workers.
        ReadTaxes = "read:taxes",
        /// Changes the tax settings of workers.
        WriteTaxes = "write:taxes",
        /// Reads direct deposits of workers, with account numbers.
        ReadDeposits = "read:deposits",
        /// Changes direct deposits of workers.
        WriteDeposits = "write:deposits",
        /// Reads documents and profile images of workers.
        ReadDocuments = "read:documents",
        /// Changes documents and profile images of workers.
        WriteDocuments = "write:documents",
        /// Reads the application's own webhooks. The scope is granted to the application itself and not for
        /// a company.
        ReadWebhooks = "read:webhooks",
        /// Changes the application's own webhooks.
        WriteWebhooks = "write:webhooks",
    }
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scopes(u16);

impl Scopes {
    /// The set without any scope.
    pub const NONE: Self = Self(0);

    /// Returns the set of all scopes.
    #[must_use]
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// Returns the scopes that are granted to an application itself and not on a company.
    #[must_use]
    pub fn for_applications() -> Self {
        [Scope::ReadWebhooks, Scope::WriteWebhooks].into_iter().collect()
    }

    /// Returns the scopes of a grant that does not list any scopes. These defaults exclude unmasked tax IDs
    /// of persons, tax settings, direct deposits, documents and changes to workers. Such scopes must be
    /// requested explicitly.
    #[must_use]
    pub fn default_scopes() -> Self {
        let by_name = [
            Scope::ReadTaxIds,
            Scope::ReadTaxes,
            Scope::WriteTaxes,
            Scope::ReadDeposits,
            Scope::WriteDeposits,
            Scope::WriteWorkers,
            Scope::ReadDocuments,
            Scope::WriteDocuments,
        ];
        Self::for_companies().difference(by_name.into_iter().collect())
    }

    /// Returns the scopes that can be granted on a company.
    #[must_use]
    pub fn for_companies() -> Self {
        Self::all().difference(Self::for_applications())
    }

    /// Returns whether the set contains the scope.
    #[must_use]
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & Self::to_bit(scope) != 0
    }

    /// Returns the scopes that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the scopes that are in at least one of the sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the scopes of this set that the other set does not contain.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns whether the set contains no scope.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the scopes of the set in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    /// Parses a space-separated list of scopes.
    ///
    /// # Errors
    /// Returns the first word that is not the name of a scope.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(' ')
            .filter(|word| !word.is_empty())
            .map(|word| Scope::parse(word).ok_or_else(|| word.to_owned()))
            .collect()
    }

    const fn to_bit(scope: Scope) -> u16 {
        1 << scope as u16
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | Self::to_bit(scope)))
    }
}

/// Writes the scopes separated by spaces, as in a token response.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { " " }, scope.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_scopes_exclude_unmasked_tax_ids() {
        assert!(
            !Scopes::default_scopes().contains(Scope::ReadTaxIds)
                && Scopes::default_scopes().contains(Scope::ReadWorkers)
        );
    }

    #[test]
    fn scopes_are_read_and_written_as_words() {
        let scopes = Scopes::parse("write:payroll read:companies").unwrap();
        assert_eq!(scopes.to_string(), "read:companies write:payroll");
        assert_eq!(Scopes::parse("read:companies root"), Err("root".to_owned()));
    }
}
