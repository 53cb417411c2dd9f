//! Data that callers cannot read until a decision about their access.

use super::{Access, AccessDenial, Caller, Scope, Scopes};
use crate::date::Date;

/// Data with the access that was read together with the data. Only a decision on the access releases the
/// data.
#[derive(Debug)]
pub struct Guarded<T> {
    access: Access,
    data: T,
}

impl<T> Guarded<T> {
    /// Wraps data with the access that was read in the same snapshot. Only a decision on the access releases
    /// the data.
    pub const fn new(access: Access, data: T) -> Self {
        Self { access, data }
    }

    /// Returns the caller's access as it is stored.
    pub const fn access(&self) -> &Access {
        &self.access
    }

    /// Returns the data to a caller who may use the scope on the company. See [`Access::check_access`].
    ///
    /// # Errors
    /// Returns [`AccessDenial`] if the caller has no access. The data is then discarded.
    pub fn open_for_scope(
        self,
        caller: &Caller,
        required: Scope,
        today: Date,
    ) -> Result<(Access, T), AccessDenial> {
        self.access.check_access(caller, required, today)?;
        Ok((self.access, self.data))
    }

    /// Returns the data to a caller who may use one of the scopes on the company. See
    /// [`Access::check_access_by_any_scope`].
    ///
    /// # Errors
    /// Returns [`AccessDenial`] if the caller has no access. The data is then discarded.
    pub fn open_for_any_scope(
        self,
        caller: &Caller,
        sufficient: Scopes,
        today: Date,
    ) -> Result<(Access, T), AccessDenial> {
        self.access.check_access_by_any_scope(caller, sufficient, today)?;
        Ok((self.access, self.data))
    }

    /// Returns the data to a caller whose token has the scope, for requests that concern no company. See
    /// [`Access::check_access_without_company`].
    ///
    /// # Errors
    /// Returns [`AccessDenial`] if the caller has no access. The data is then discarded.
    pub fn open_without_company(self, caller: &Caller, required: Scope) -> Result<(Access, T), AccessDenial> {
        self.access.check_access_without_company(caller, required)?;
        Ok((self.access, self.data))
    }

    /// Returns the data if the application itself has the scope, regardless of its grants. See
    /// [`Access::check_access_for_application`].
    ///
    /// # Errors
    /// Returns [`AccessDenial`] if the caller has no access. The data is then discarded.
    pub fn open_for_application(self, caller: &Caller, required: Scope) -> Result<(Access, T), AccessDenial> {
        self.access.check_access_for_application(caller, required)?;
        Ok((self.access, self.data))
    }

    /// Returns the data to an application with any grant for the company. See
    /// [`Access::check_access_by_any_grant`]. Use this function only for data that was already selected by
    /// the caller's permissions.
    ///
    /// # Errors
    /// Returns [`AccessDenial`] if the caller has no access. The data is then discarded.
    pub fn open_by_any_grant(self, today: Date) -> Result<(Access, T), AccessDenial> {
        self.access.check_access_by_any_grant(today)?;
        Ok((self.access, self.data))
    }

    /// Returns the data to a caller whose token is still valid. See [`Access::authenticate`]. Use this
    /// function only for data that was already selected by the caller's permissions.
    ///
    /// # Errors
    /// Returns [`AccessDenial`] if the caller has no access. The data is then discarded.
    pub fn open_by_any_token(self) -> Result<(Access, T), AccessDenial> {
        self.access.authenticate()?;
        Ok((self.access, self.data))
    }
}
