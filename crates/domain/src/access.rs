//! Who may reach what: scopes, grants, and data that stays sealed until that is decided.
//!
//! Storage reads the access in the same round trip as the data, and hands both out as
//! [`Guarded`]: the data cannot be taken out without a decision on what was read beside it, so
//! a grant that was taken away stops the very next request.

use std::fmt;

use crate::code::Reason;
use crate::company::has_ended;
use crate::date::{Date, Timestamp};
use crate::id::{ApplicationId, SecretId};

/// Declares [`Scope`] with its spelling; the position is its bit in [`Scopes`].
macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A permission, of the form `read:<name>` or `write:<name>`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Scope { $($(#[$doc])* $name,)* }

        impl Scope {
            /// Every scope, in the order in which they are written out.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its spelling in a token answer.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The scope of that spelling.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

scopes! {
    /// Companies and their lists.
    ReadCompanies = "read:companies",
    /// Changes to companies' lists.
    WriteCompanies = "write:companies",
    /// Calculation bases, checks, pay periods, pay components, pay rates.
    ReadPayroll = "read:payroll",
    /// Adding and removing checks.
    WritePayroll = "write:payroll",
    /// Workers and their communications.
    ReadWorkers = "read:workers",
    /// Tax identities of persons, whole.
    ReadTaxIds = "read:taxids",
    /// The application's own webhooks; granted to the application, not per company.
    ReadWebhooks = "read:webhooks",
    /// Changes to them.
    WriteWebhooks = "write:webhooks",
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scopes(u16);

impl Scopes {
    /// No scope.
    pub const NONE: Self = Self(0);

    /// Every scope.
    #[must_use]
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// The scopes that an application has by itself, not on one of its companies.
    #[must_use]
    pub fn of_applications() -> Self {
        [Scope::ReadWebhooks, Scope::WriteWebhooks].into_iter().collect()
    }

    /// The scopes that are granted on a company where nobody names any: all but tax identities of
    /// persons, which are asked for by name.
    #[must_use]
    pub fn usual() -> Self {
        Self::of_companies().difference([Scope::ReadTaxIds].into_iter().collect())
    }

    /// The scopes that are granted on a company.
    #[must_use]
    pub fn of_companies() -> Self {
        Self::all().difference(Self::of_applications())
    }

    /// Whether the scope is in the set.
    #[must_use]
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & Self::bit(scope) != 0
    }

    /// The scopes that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The scopes that are in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The scopes of this set that the other lacks.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether no scope is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    /// Reads a space-separated list; the error is the first word that is no scope.
    ///
    /// # Errors
    /// The unknown word.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(' ')
            .filter(|word| !word.is_empty())
            .map(|word| Scope::parse(word).ok_or_else(|| word.to_owned()))
            .collect()
    }

    const fn bit(scope: Scope) -> u16 {
        1 << scope as u16
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | Self::bit(scope)))
    }
}

/// Space-separated, as in a token answer.
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

/// What a valid access token says: who calls, by which secret, with which scopes, until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The application.
    pub application_id: ApplicationId,
    /// The secret that the token was made with; the token dies with it.
    pub secret_id: SecretId,
    /// The scopes in the token.
    pub scopes: Scopes,
    /// When the token ends.
    pub expires: Timestamp,
}

/// What storage knows of a caller's access, read beside the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The application exists and is enabled.
    pub application_enabled: bool,
    /// The secret that made the token is still valid.
    pub secret_valid: bool,
    /// Grows with every change to the application's grants and settings; part of every `ETag`.
    pub version: i64,
    /// Requests per minute, when the application has a limit of its own.
    pub rate_limit_per_minute: Option<u32>,
    /// Correlation ids are unique per pay period, not only per request.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// The scopes of [`Scopes::of_applications`] that the application has now.
    pub application_scopes: Scopes,
    /// The company that was asked for; `None` when none was asked for, or none has that id.
    pub company: Option<CompanyAccess>,
}

/// A company as far as access to it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyAccess {
    /// The scopes granted to the application for this company.
    pub granted: Scopes,
    /// The last day on which the company takes part.
    pub end_date: Option<Date>,
    /// The company is marked as being converted.
    pub converting: bool,
}

/// Why a caller does not get the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// The application is disabled, or the token's secret was dropped.
    NotAuthenticated,
    /// No company has that id.
    UnknownCompany,
    /// The scope is not in the token, or not granted for the company.
    NotAuthorized,
    /// The company is end dated.
    EndDated,
}

impl Denied {
    /// The reason that the caller is told.
    #[must_use]
    pub const fn reason(self) -> Reason {
        match self {
            Self::NotAuthenticated => Reason::NotAuthenticated,
            Self::UnknownCompany => Reason::UnknownResource,
            Self::NotAuthorized => Reason::NotAuthorized,
            Self::EndDated => Reason::CompanyEndDated,
        }
    }
}

impl Access {
    /// Whether the caller is still who the token says.
    ///
    /// # Errors
    /// [`Denied::NotAuthenticated`].
    pub const fn authenticate(&self) -> Result<(), Denied> {
        if self.application_enabled && self.secret_valid { Ok(()) } else { Err(Denied::NotAuthenticated) }
    }

    /// Whether the caller may use the scope on the company that was read, on that day.
    ///
    /// # Errors
    /// The first of the [`Denied`] that applies, in the order of that list.
    pub fn admit(&self, caller: &Caller, needed: Scope, today: Date) -> Result<&CompanyAccess, Denied> {
        self.admit_if(today, |granted| granted.intersection(caller.scopes).contains(needed))
    }

    /// As [`Self::admit`], for what any of several scopes opens.
    ///
    /// # Errors
    /// The first of the [`Denied`] that applies, in the order of that list.
    pub fn admit_by_any_of(
        &self,
        caller: &Caller,
        sufficient: Scopes,
        today: Date,
    ) -> Result<&CompanyAccess, Denied> {
        let usable = sufficient.intersection(caller.scopes);
        self.admit_if(today, |granted| !granted.intersection(usable).is_empty())
    }

    /// Whether the application has any grant for the company that was read, on that day: enough to
    /// be told of what concerns it.
    ///
    /// # Errors
    /// The first of the [`Denied`] that applies, in the order of that list.
    pub fn admit_by_any_grant(&self, today: Date) -> Result<&CompanyAccess, Denied> {
        self.admit_if(today, |granted| !granted.is_empty())
    }

    fn admit_if(&self, today: Date, suffices: impl FnOnce(Scopes) -> bool) -> Result<&CompanyAccess, Denied> {
        self.authenticate()?;
        let company = self.company.as_ref().ok_or(Denied::UnknownCompany)?;
        if !suffices(company.granted) {
            return Err(Denied::NotAuthorized);
        }
        if has_ended(company.end_date, today) {
            return Err(Denied::EndDated);
        }
        Ok(company)
    }

    /// Whether the caller may use the scope where no company is concerned.
    ///
    /// # Errors
    /// [`Denied::NotAuthenticated`] or [`Denied::NotAuthorized`].
    pub const fn admit_without_company(&self, caller: &Caller, needed: Scope) -> Result<(), Denied> {
        if let Err(denied) = self.authenticate() {
            return Err(denied);
        }
        if caller.scopes.contains(needed) { Ok(()) } else { Err(Denied::NotAuthorized) }
    }

    /// Whether the caller may use a scope that the application has by itself.
    ///
    /// # Errors
    /// [`Denied::NotAuthenticated`] or [`Denied::NotAuthorized`].
    pub const fn admit_for_application(&self, caller: &Caller, needed: Scope) -> Result<(), Denied> {
        if let Err(denied) = self.admit_without_company(caller, needed) {
            return Err(denied);
        }
        if self.application_scopes.contains(needed) { Ok(()) } else { Err(Denied::NotAuthorized) }
    }

    /// The scopes that hold for the company right now: in the token and granted.
    #[must_use]
    pub fn effective_scopes(&self, caller: &Caller) -> Scopes {
        self.company.as_ref().map_or(Scopes::NONE, |company| company.granted.intersection(caller.scopes))
    }
}

/// Data with the access that was read beside it; the data comes out only by a decision.
#[derive(Debug)]
pub struct Guarded<T> {
    access: Access,
    data: T,
}

impl<T> Guarded<T> {
    /// Seals data with the access read in the same snapshot.
    pub const fn new(access: Access, data: T) -> Self {
        Self { access, data }
    }

    /// What is known of the caller's access.
    pub const fn access(&self) -> &Access {
        &self.access
    }

    /// Opens it for a caller who may use the scope on the company; see [`Access::admit`].
    ///
    /// # Errors
    /// [`Denied`]; the data is dropped unseen.
    pub fn open(self, caller: &Caller, needed: Scope, today: Date) -> Result<(Access, T), Denied> {
        self.access.admit(caller, needed, today)?;
        Ok((self.access, self.data))
    }

    /// Opens it for a caller who may use one of the scopes on the company; see
    /// [`Access::admit_by_any_of`].
    ///
    /// # Errors
    /// [`Denied`]; the data is dropped unseen.
    pub fn open_by_any_of(
        self,
        caller: &Caller,
        sufficient: Scopes,
        today: Date,
    ) -> Result<(Access, T), Denied> {
        self.access.admit_by_any_of(caller, sufficient, today)?;
        Ok((self.access, self.data))
    }

    /// Opens it where no company is concerned; see [`Access::admit_without_company`].
    ///
    /// # Errors
    /// [`Denied`]; the data is dropped unseen.
    pub fn open_without_company(self, caller: &Caller, needed: Scope) -> Result<(Access, T), Denied> {
        self.access.admit_without_company(caller, needed)?;
        Ok((self.access, self.data))
    }

    /// Opens it for a caller whose application has the scope by itself; see
    /// [`Access::admit_for_application`].
    ///
    /// # Errors
    /// [`Denied`]; the data is dropped unseen.
    pub fn open_for_application(self, caller: &Caller, needed: Scope) -> Result<(Access, T), Denied> {
        self.access.admit_for_application(caller, needed)?;
        Ok((self.access, self.data))
    }

    /// Opens it for an application with any grant for the company; see
    /// [`Access::admit_by_any_grant`]. Only for data that were chosen by what the caller may know.
    ///
    /// # Errors
    /// [`Denied`]; the data is dropped unseen.
    pub fn open_by_any_grant(self, today: Date) -> Result<(Access, T), Denied> {
        self.access.admit_by_any_grant(today)?;
        Ok((self.access, self.data))
    }

    /// Opens it for whoever is still who the token says; see [`Access::authenticate`]. Only for data
    /// that were chosen by what the caller may know.
    ///
    /// # Errors
    /// [`Denied`]; the data is dropped unseen.
    pub fn open_by_any_token(self) -> Result<(Access, T), Denied> {
        self.access.authenticate()?;
        Ok((self.access, self.data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_tax_identities_are_granted_only_by_name() {
        assert!(!Scopes::usual().contains(Scope::ReadTaxIds) && Scopes::usual().contains(Scope::ReadWorkers));
    }
    use time::macros::date;

    fn caller() -> Caller {
        Caller {
            application_id: "app".parse().unwrap(),
            secret_id: "secret".parse().unwrap(),
            scopes: [Scope::ReadPayroll].into_iter().collect(),
            expires: Timestamp::from_micros(0),
        }
    }

    fn access() -> Access {
        let company = CompanyAccess { granted: Scopes::all(), end_date: None, converting: false };
        Access {
            application_enabled: true,
            secret_valid: true,
            version: 1,
            rate_limit_per_minute: None,
            correlation_ids_last_for_the_pay_period: false,
            application_scopes: Scopes::NONE,
            company: Some(company),
        }
    }

    fn decide(change: impl FnOnce(&mut Access)) -> Result<(), Denied> {
        let mut access = access();
        change(&mut access);
        access.admit(&caller(), Scope::ReadPayroll, date!(2026 - 05 - 12)).map(|_| ())
    }

    #[test]
    fn each_lack_has_its_own_denial_and_authentication_comes_first() {
        assert_eq!(decide(|_| ()), Ok(()));
        assert_eq!(
            decide(|a| (a.application_enabled, a.company) = (false, None)),
            Err(Denied::NotAuthenticated)
        );
        assert_eq!(decide(|a| a.secret_valid = false), Err(Denied::NotAuthenticated));
        assert_eq!(decide(|a| a.company = None), Err(Denied::UnknownCompany));
        assert_eq!(
            decide(|a| a.company.as_mut().unwrap().granted = Scopes::NONE),
            Err(Denied::NotAuthorized)
        );
        let denied = access().admit(&caller(), Scope::ReadCompanies, date!(2026 - 05 - 12)).map(|_| ());
        assert_eq!(denied, Err(Denied::NotAuthorized), "a scope must be in the token too");
    }

    #[test]
    fn one_of_several_scopes_is_enough_if_it_is_in_the_token_and_granted() {
        let decide = |sufficient: &[Scope], granted: &[Scope]| {
            let mut access = access();
            access.company.as_mut().unwrap().granted = granted.iter().copied().collect();
            let sufficient = sufficient.iter().copied().collect();
            let opened =
                Guarded::new(access, ()).open_by_any_of(&caller(), sufficient, date!(2026 - 05 - 12));
            opened.map(|(_, ())| ())
        };
        let (payroll, workers) = (Scope::ReadPayroll, Scope::ReadWorkers);
        assert_eq!(decide(&[workers, payroll], &[payroll]), Ok(()));
        assert_eq!(decide(&[workers, payroll], &[workers]), Err(Denied::NotAuthorized), "not in the token");
        assert_eq!(decide(&[workers], &[workers, payroll]), Err(Denied::NotAuthorized));
        assert_eq!(decide(&[], &[payroll]), Err(Denied::NotAuthorized));
    }

    #[test]
    fn any_grant_is_enough_to_be_told_and_none_is_not() {
        let told = |change: fn(&mut Access)| {
            let mut access = access();
            change(&mut access);
            let opened = Guarded::new(access, ()).open_by_any_grant(date!(2026 - 05 - 12));
            opened.map(|(_, ())| ())
        };
        assert_eq!(told(|_| ()), Ok(()));
        assert_eq!(told(|a| a.company.as_mut().unwrap().granted = Scopes::NONE), Err(Denied::NotAuthorized));
        assert_eq!(told(|a| a.company = None), Err(Denied::UnknownCompany));
        assert_eq!(told(|a| a.secret_valid = false), Err(Denied::NotAuthenticated));
    }

    #[test]
    fn a_company_ends_the_day_after_its_end_date() {
        let ends = |day| move |a: &mut Access| a.company.as_mut().unwrap().end_date = Some(day);
        assert_eq!(decide(ends(date!(2026 - 05 - 12))), Ok(()));
        assert_eq!(decide(ends(date!(2026 - 05 - 11))), Err(Denied::EndDated));
    }

    #[test]
    fn scopes_are_read_and_written_as_words() {
        let scopes = Scopes::parse("write:payroll read:companies").unwrap();
        assert_eq!(scopes.to_string(), "read:companies write:payroll");
        assert_eq!(Scopes::parse("read:companies root"), Err("root".to_owned()));
    }
}
