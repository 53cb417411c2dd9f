//! Who may reach what: scopes, grants, and data that stays sealed until that is decided.
//!
//! Storage reads the access in the same round trip as the data, and hands both out as
//! [`Guarded`]: the data cannot be taken out without a decision on the access that was read with it, so
//! a grant that was taken away stops the very next request.

mod guarded;
mod scope;

use crate::code::Reason;
use crate::date::{Date, Timestamp, has_ended};
use crate::id::{ApplicationId, SecretId};

pub use guarded::Guarded;
pub use scope::{Scope, Scopes};

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

/// What storage knows of a caller's access, read with the data.
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
    /// The company that was named; `None` when none was named, or none has that id.
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
    /// The reason in the response to the caller.
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
    /// be notified of what concerns it.
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

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

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
        let reported = |change: fn(&mut Access)| {
            let mut access = access();
            change(&mut access);
            let opened = Guarded::new(access, ()).open_by_any_grant(date!(2026 - 05 - 12));
            opened.map(|(_, ())| ())
        };
        assert_eq!(reported(|_| ()), Ok(()));
        assert_eq!(
            reported(|a| a.company.as_mut().unwrap().granted = Scopes::NONE),
            Err(Denied::NotAuthorized)
        );
        assert_eq!(reported(|a| a.company = None), Err(Denied::UnknownCompany));
        assert_eq!(reported(|a| a.secret_valid = false), Err(Denied::NotAuthenticated));
    }

    #[test]
    fn a_company_ends_the_day_after_its_end_date() {
        let ends = |day| move |a: &mut Access| a.company.as_mut().unwrap().end_date = Some(day);
        assert_eq!(decide(ends(date!(2026 - 05 - 12))), Ok(()));
        assert_eq!(decide(ends(date!(2026 - 05 - 11))), Err(Denied::EndDated));
    }
}
