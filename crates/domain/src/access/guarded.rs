//! Data that stays sealed until access to it is decided.

use super::{Access, Caller, Denied, Scope, Scopes};
use crate::date::Date;

/// Data with the access that was read with it; the data comes out only by a decision.
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

    /// Opens it for a caller who is still who the token says; see [`Access::authenticate`]. Only for data
    /// that were chosen by what the caller may know.
    ///
    /// # Errors
    /// [`Denied`]; the data is dropped unseen.
    pub fn open_by_any_token(self) -> Result<(Access, T), Denied> {
        self.access.authenticate()?;
        Ok((self.access, self.data))
    }
}
