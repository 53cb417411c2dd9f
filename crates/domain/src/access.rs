//! Access control: scopes, grants, and data that callers cannot read until access is decided.
//!
//! Storage reads the caller's access and the data in one round trip, and returns them together as
//! [`Guarded`]. The only way to get the data is a decision on the access that was read together with the
//! data. A revoked grant therefore takes effect on the next request.

mod guarded;
mod scope;

use crate::code::Reason;
use crate::date::{Date, Timestamp, has_ended};
use crate::id::{ApplicationId, SecretId};

pub use guarded::Guarded;
pub use scope::{Scope, Scopes};

/// The claims of a valid access token: the caller, the secret, the scopes and the expiry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The application to which the token was issued.
    pub application_id: ApplicationId,
    /// The secret that the token was issued for. Revoking the secret invalidates the token.
    pub secret_id: SecretId,
    /// The scopes that the token contains. The application may have lost some scopes since the token was
    /// issued.
    pub scopes: Scopes,
    /// The instant at which the token expires.
    pub expires: Timestamp,
}

/// A caller's access as it is stored, read in the same snapshot as the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Whether the application exists and is enabled.
    pub application_enabled: bool,
    /// Whether the secret that the token was issued for is still valid.
    pub secret_valid: bool,
    /// The version of the application's grants and settings. Every change to the grants or settings increases
    /// the version. Every `ETag` contains the version, so a change of permissions also invalidates cached
    /// responses.
    pub version: i64,
    /// The application's own rate limit in requests per minute. `None` if the server's default applies.
    pub rate_limit_per_minute: Option<u32>,
    /// Whether correlation ids must be unique per pay period and not only per request.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// The scopes that the application itself has now, for example for its webhooks: a subset of
    /// [`Scopes::for_applications`].
    pub application_scopes: Scopes,
    /// The company of the request. `None` if the request contains no company id, or if the company is
    /// unknown.
    pub company: Option<CompanyAccess>,
}

/// The data of a company that determines access: granted scopes, end date and conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyAccess {
    /// The scopes granted to the application for this company.
    pub granted_scopes: Scopes,
    /// The last day on which the company is active. `None` if the company has no end.
    pub end_date: Option<Date>,
    /// Whether the company is marked as being converted.
    pub converting: bool,
}

/// The reason for denying a caller access to the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessDenial {
    /// The application is disabled, or the token's secret was revoked.
    NotAuthenticated,
    /// The company in the request does not exist.
    UnknownCompany,
    /// The scope is missing from the token, or is not granted for the company.
    NotAuthorized,
    /// The company's end date has passed.
    EndDated,
}

impl AccessDenial {
    /// Returns the reason code for the response to the caller.
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
    /// Checks that the application is enabled and that the token's secret is valid.
    ///
    /// # Errors
    /// Returns [`AccessDenial::NotAuthenticated`] if one of these conditions is false.
    pub const fn authenticate(&self) -> Result<(), AccessDenial> {
        if self.application_enabled && self.secret_valid {
            Ok(())
        } else {
            Err(AccessDenial::NotAuthenticated)
        }
    }

    /// Checks that the caller may use the scope on the company of the request on the day `today`.
    ///
    /// # Errors
    /// Returns the first [`AccessDenial`] that applies, in the order of the enum's variants.
    pub fn check_access(
        &self,
        caller: &Caller,
        required: Scope,
        today: Date,
    ) -> Result<&CompanyAccess, AccessDenial> {
        self.check_access_if_granted(today, |granted| granted.intersection(caller.scopes).contains(required))
    }

    /// Checks the caller like [`Self::check_access`], but accepts any one of several scopes.
    ///
    /// # Errors
    /// Returns the first [`AccessDenial`] that applies, in the order of the enum's variants.
    pub fn check_access_by_any_scope(
        &self,
        caller: &Caller,
        sufficient: Scopes,
        today: Date,
    ) -> Result<&CompanyAccess, AccessDenial> {
        let usable = sufficient.intersection(caller.scopes);
        self.check_access_if_granted(today, |granted| !granted.intersection(usable).is_empty())
    }

    /// Checks that the application has at least one scope for this company on the day `today`. The caller may
    /// then receive the company's events, for which any scope is enough.
    ///
    /// # Errors
    /// Returns the first [`AccessDenial`] that applies, in the order of the enum's variants.
    pub fn check_access_by_any_grant(&self, today: Date) -> Result<&CompanyAccess, AccessDenial> {
        self.check_access_if_granted(today, |granted| !granted.is_empty())
    }

    fn check_access_if_granted(
        &self,
        today: Date,
        suffices: impl FnOnce(Scopes) -> bool,
    ) -> Result<&CompanyAccess, AccessDenial> {
        self.authenticate()?;
        let company = self.company.as_ref().ok_or(AccessDenial::UnknownCompany)?;
        if !suffices(company.granted_scopes) {
            return Err(AccessDenial::NotAuthorized);
        }
        if has_ended(company.end_date, today) {
            return Err(AccessDenial::EndDated);
        }
        Ok(company)
    }

    /// Checks that the caller's token has a scope, for requests that concern no company.
    ///
    /// # Errors
    /// Returns [`AccessDenial::NotAuthenticated`] in the same cases as [`Self::authenticate`]. Otherwise
    /// returns [`AccessDenial::NotAuthorized`] if the caller lacks the scope.
    pub const fn check_access_without_company(
        &self,
        caller: &Caller,
        required: Scope,
    ) -> Result<(), AccessDenial> {
        if let Err(denied) = self.authenticate() {
            return Err(denied);
        }
        if caller.scopes.contains(required) { Ok(()) } else { Err(AccessDenial::NotAuthorized) }
    }

    /// Checks that the token has a scope that is granted to the application itself, such as one for webhooks.
    ///
    /// # Errors
    /// Returns [`AccessDenial::NotAuthenticated`] in the same cases as [`Self::authenticate`]. Otherwise
    /// returns [`AccessDenial::NotAuthorized`] if the caller lacks the scope.
    pub const fn check_access_for_application(
        &self,
        caller: &Caller,
        required: Scope,
    ) -> Result<(), AccessDenial> {
        if let Err(denied) = self.check_access_without_company(caller, required) {
            return Err(denied);
        }
        if self.application_scopes.contains(required) { Ok(()) } else { Err(AccessDenial::NotAuthorized) }
    }

    /// Returns the scopes that the caller can use on the company now: the scopes in the token that are also
    /// granted for the company.
    #[must_use]
    pub fn effective_scopes(&self, caller: &Caller) -> Scopes {
        self.company
            .as_ref()
            .map_or(Scopes::NONE, |company| company.granted_scopes.intersection(caller.scopes))
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
        let company = CompanyAccess { granted_scopes: Scopes::all(), end_date: None, converting: false };
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

    fn check_access_after_change(change: impl FnOnce(&mut Access)) -> Result<(), AccessDenial> {
        let mut access = access();
        change(&mut access);
        access.check_access(&caller(), Scope::ReadPayroll, date!(2026 - 05 - 12)).map(|_| ())
    }

    #[test]
    fn each_missing_permission_has_its_own_denial_after_authentication() {
        assert_eq!(check_access_after_change(|_| ()), Ok(()));
        assert_eq!(
            check_access_after_change(|a| (a.application_enabled, a.company) = (false, None)),
            Err(AccessDenial::NotAuthenticated)
        );
        assert_eq!(
            check_access_after_change(|a| a.secret_valid = false),
            Err(AccessDenial::NotAuthenticated)
        );
        assert_eq!(check_access_after_change(|a| a.company = None), Err(AccessDenial::UnknownCompany));
        assert_eq!(
            check_access_after_change(|a| a.company.as_mut().unwrap().granted_scopes = Scopes::NONE),
            Err(AccessDenial::NotAuthorized)
        );
        let denied =
            access().check_access(&caller(), Scope::ReadCompanies, date!(2026 - 05 - 12)).map(|_| ());
        assert_eq!(denied, Err(AccessDenial::NotAuthorized), "a scope must be in the token too");
    }

    #[test]
    fn one_of_several_scopes_is_enough_if_it_is_in_the_token_and_granted() {
        let decide = |sufficient: &[Scope], granted: &[Scope]| {
            let mut access = access();
            access.company.as_mut().unwrap().granted_scopes = granted.iter().copied().collect();
            let sufficient = sufficient.iter().copied().collect();
            let opened =
                Guarded::new(access, ()).open_for_any_scope(&caller(), sufficient, date!(2026 - 05 - 12));
            opened.map(|(_, ())| ())
        };
        let (payroll, workers) = (Scope::ReadPayroll, Scope::ReadWorkers);
        assert_eq!(decide(&[workers, payroll], &[payroll]), Ok(()));
        assert_eq!(
            decide(&[workers, payroll], &[workers]),
            Err(AccessDenial::NotAuthorized),
            "not in the token"
        );
        assert_eq!(decide(&[workers], &[workers, payroll]), Err(AccessDenial::NotAuthorized));
        assert_eq!(decide(&[], &[payroll]), Err(AccessDenial::NotAuthorized));
    }

    #[test]
    fn access_by_any_grant_needs_at_least_one_grant() {
        let reported = |change: fn(&mut Access)| {
            let mut access = access();
            change(&mut access);
            let opened = Guarded::new(access, ()).open_by_any_grant(date!(2026 - 05 - 12));
            opened.map(|(_, ())| ())
        };
        assert_eq!(reported(|_| ()), Ok(()));
        assert_eq!(
            reported(|a| a.company.as_mut().unwrap().granted_scopes = Scopes::NONE),
            Err(AccessDenial::NotAuthorized)
        );
        assert_eq!(reported(|a| a.company = None), Err(AccessDenial::UnknownCompany));
        assert_eq!(reported(|a| a.secret_valid = false), Err(AccessDenial::NotAuthenticated));
    }

    #[test]
    fn a_company_ends_the_day_after_its_end_date() {
        let ends = |day| move |a: &mut Access| a.company.as_mut().unwrap().end_date = Some(day);
        assert_eq!(check_access_after_change(ends(date!(2026 - 05 - 12))), Ok(()));
        assert_eq!(check_access_after_change(ends(date!(2026 - 05 - 11))), Err(AccessDenial::EndDated));
    }
}
