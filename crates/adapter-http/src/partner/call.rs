//! The input of a partner's handler: the request and the caller. The functions of [`PartnerCall`] define the
//! order in which the parts of a request are validated.
//!
//! The store reads the caller's access together with the data, so [`PartnerCall::check_access`] reports most
//! rejections. A caller without access must not see faults that are found earlier (media type, parameter,
//! body). For such faults, [`PartnerCall::prefer_authentication_failure`] and
//! [`PartnerCall::prefer_authorization_failure`] check the access first.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::access::{Access, AccessDenial, Caller, Guarded, Scope, Scopes};
use payroll_domain::code::Reason;
use payroll_domain::hook::Hook;
use payroll_domain::id::{CompanyId, Id};
use payroll_domain::id_sequence::IdSequence;
use payroll_ports::{Store, id_sequence};

use crate::partner::context::PartnerContext;
use crate::shared::error::{Failure, unknown_company_fault};
use crate::shared::incoming::{IncomingRequest, ReadBody};
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;
use crate::shared::rate_limit::RateLimitCharge;
use crate::shared::route_table::PathIds;

/// A request of a caller with a valid token.
pub(crate) struct PartnerCall {
    pub(crate) partner: Arc<PartnerContext>,
    pub(crate) incoming: IncomingRequest,
    pub(crate) caller: Arc<Caller>,
    pub(crate) target: AccessTarget,
    /// The ids in the path.
    pub(crate) ids: PathIds,
    pub(crate) ticket: RateLimitCharge,
    /// The replica to read from. `None` means the primary store.
    pub(crate) replica: Option<Arc<dyn Store>>,
}

/// The company that a request accesses, and the scope that the request requires.
#[derive(Debug, Clone)]
pub(crate) struct AccessTarget {
    /// The required scope; `None` accepts any token and, for a company, any grant.
    pub(crate) scope: Option<Scope>,
    /// Further scopes, each of which is sufficient in place of `scope`.
    pub(crate) alternative_scopes: Scopes,
    /// The company in the path, or the company of the worker or check in the path.
    pub(crate) company: Option<CompanyInPath>,
    /// The reason that the error response contains if the company is unknown.
    pub(crate) unknown_company: Reason,
}

/// The company that a path identifies, directly or by a worker or check.
#[derive(Debug, Clone)]
pub(crate) enum CompanyInPath {
    /// The id of the company.
    Id(CompanyId),
    /// The id is malformed, or the worker or check is unknown.
    Unknown,
}

impl AccessTarget {
    /// Returns the company of the path; `None` if the company is unknown or the path contains no company.
    pub(super) fn company_id(&self) -> Option<&CompanyId> {
        match &self.company {
            Some(CompanyInPath::Id(id)) => Some(id),
            Some(CompanyInPath::Unknown) | None => None,
        }
    }
}

impl PartnerCall {
    pub(crate) fn store(&self) -> &dyn Store {
        self.replica.as_ref().unwrap_or(&self.incoming.api.store).as_ref()
    }

    /// Returns a generator of ids for new objects.
    pub(crate) fn new_ids(&self) -> IdSequence {
        let api = &self.incoming.api;
        id_sequence(api.clock.as_ref(), api.randomness.as_ref())
    }

    /// Returns the company in the path, or the company of the worker or check in the path.
    ///
    /// # Errors
    /// The errors of [`Self::check_access`], then the error for an unknown company.
    pub(crate) async fn company_id(&self) -> Result<CompanyId, Failure> {
        match &self.target.company {
            Some(CompanyInPath::Id(id)) => Ok(id.clone()),
            Some(CompanyInPath::Unknown) | None => {
                self.authorize().await?;
                Err(self.unknown_company_failure())
            }
        }
    }

    /// Returns the id with this name in the path.
    ///
    /// # Errors
    /// The errors of [`Self::check_access`], then 404 API-7 if the text is not a valid id.
    pub(crate) async fn id<K>(&self, name: &str) -> Result<Id<K>, Failure> {
        match self.ids.get(name) {
            Some(id) => Ok(id),
            None => {
                self.authorize().await?;
                Err(Reason::UnknownResource.into())
            }
        }
    }

    /// Returns the hook in the path, if it belongs to the caller's application.
    ///
    /// # Errors
    /// The errors of [`Self::check_access`], then 404 API-7 if the application has no such hook.
    pub(crate) async fn read_hook(&self) -> Result<(Access, Hook), Failure> {
        let Some(hook_id) = self.ids.get("hookId") else {
            self.authorize().await?;
            return Err(Reason::UnknownResource.into());
        };
        let (access, hook) = self.check_access(self.store().hook_of_caller(&self.caller, &hook_id).await?)?;
        Ok((access, hook.ok_or(Reason::UnknownResource)?))
    }

    /// Chooses the media type that the client prefers among the offered ones.
    ///
    /// # Errors
    /// 401 API-102 for an invalid token, then 406 API-75 if the client accepts none of the offered types.
    pub(crate) async fn negotiate<'t>(&self, offers: &[&'t str]) -> Result<&'t str, Failure> {
        self.prefer_authentication_failure(self.incoming.negotiate(offers)).await
    }

    /// Verifies the caller's access, which the store read together with the data. Returns the access and the
    /// data.
    ///
    /// # Errors
    /// 401 API-102 for a revoked token, 404 API-7 for an unknown company, 403 API-2 without the permission,
    /// and 403 API-68 if the company has ended.
    pub(crate) fn check_access<T>(&self, guarded: Guarded<T>) -> Result<(Access, T), Failure> {
        self.apply_rate_limit(guarded.access());
        let today = self.incoming.api.today();
        let granted =
            guarded.access().company.as_ref().is_none_or(|company| !company.granted_scopes.is_empty());
        let opened = match (&self.target.company, self.target.scope) {
            (Some(_), Some(scope)) => {
                let sufficient = self.target.alternative_scopes.union([scope].into_iter().collect());
                guarded.open_for_any_scope(&self.caller, sufficient, today)
            }
            (None, Some(scope)) if Scopes::for_applications().contains(scope) => {
                guarded.open_for_application(&self.caller, scope)
            }
            (None, Some(scope)) => guarded.open_without_company(&self.caller, scope),
            (Some(_), None) => guarded.open_by_any_grant(today),
            (None, None) => guarded.open_by_any_token(),
        };
        if let (Ok(_), Some(CompanyInPath::Id(company_id))) = (&opened, &self.target.company) {
            // `OnceCell::set` fails if the path contains the company id, because the company is already set
            // then. The company is the same, so the result is ignored.
            let _ = self.incoming.context.company.set(company_id.clone());
        }
        opened.map_err(|denied| match (denied, self.target.scope) {
            // The error names the missing scope only if the caller has a grant on the company. A caller
            // without any grant learns only that access is denied.
            (AccessDenial::NotAuthorized, Some(scope)) if granted => Failure::insufficient_scope(scope),
            (denied, _) => self.denied_failure(denied),
        })
    }

    /// Verifies that the caller has an additional scope on the company.
    ///
    /// # Errors
    /// 403 API-2 if the scope is missing.
    pub(crate) fn require_scope(&self, access: &Access, scope: Scope) -> Result<(), Failure> {
        if access.effective_scopes(&self.caller).contains(scope) {
            return Ok(());
        }
        Err(Failure::insufficient_scope(scope))
    }

    /// Verifies that the token has not been revoked.
    ///
    /// # Errors
    /// 401 API-102 if the token has been revoked.
    pub(crate) fn check_authentication(&self, access: &Access) -> Result<(), Failure> {
        self.apply_rate_limit(access);
        access.authenticate().map_err(|denied| self.denied_failure(denied))
    }

    /// Returns `result` unchanged if it is a success. A fault is returned only if the token is valid.
    ///
    /// # Errors
    /// 401 API-102 for an invalid token, otherwise the fault.
    pub(crate) async fn prefer_authentication_failure<T, F>(&self, result: Result<T, F>) -> Result<T, Failure>
    where
        F: Into<Failure>,
    {
        let Err(fault) = result else { return result.map_err(Into::into) };
        let access = self.store().read_access(&self.caller, None).await?;
        self.check_authentication(&access)?;
        Err(fault.into())
    }

    /// Returns `result` unchanged if it is a success. A fault is returned only if the caller has access.
    ///
    /// # Errors
    /// The errors of [`Self::check_access`], otherwise the fault.
    pub(crate) async fn prefer_authorization_failure<T, F>(&self, result: Result<T, F>) -> Result<T, Failure>
    where
        F: Into<Failure>,
    {
        let Err(fault) = result else { return result.map_err(Into::into) };
        self.authorize().await?;
        Err(fault.into())
    }

    /// Reads the page parameters of the query.
    ///
    /// # Errors
    /// 401 API-102 for an invalid token, then 400 API-40 for an invalid parameter.
    pub(crate) async fn read_page(&self) -> Result<RequestedPage, Failure> {
        self.read_query(RequestedPage::read).await
    }

    /// Reads the query parameters of the request.
    ///
    /// # Errors
    /// 401 API-102 for an invalid token, then 400 API-40 for an invalid parameter.
    pub(crate) async fn read_query<T, F: Into<Failure>>(
        &self,
        read: impl FnOnce(&Query) -> Result<T, F>,
    ) -> Result<T, Failure> {
        self.prefer_authentication_failure(read(&self.incoming.query())).await
    }

    /// Reads the body. A small body is read before authorization, because the handler checks the access
    /// together with the data. A large body, or one whose client waits for `100 Continue`, is read only after
    /// authorization.
    ///
    /// # Errors
    /// The errors of [`Self::check_access`], then the errors of [`IncomingRequest::read_body`]. The reason
    /// `too_large` is reported for a body that is too large.
    pub(crate) async fn read_body(&mut self, too_large: Reason) -> Result<Bytes, Failure> {
        let reader = self.incoming.document_reader(too_large);
        let mut reader = self.prefer_authorization_failure(reader).await?;
        if self.incoming.must_authorize_before_body(&reader) {
            self.authorize().await?;
            reader.allow_large_body();
        }
        loop {
            let read = self.incoming.read_body(reader).await;
            match self.prefer_authorization_failure(read).await? {
                ReadBody::Complete(bytes) => return Ok(bytes),
                ReadBody::Large(more) => {
                    self.authorize().await?;
                    reader = more;
                    reader.allow_large_body();
                }
            }
        }
    }

    /// Reads the caller's access from the store and verifies this access, without reading other data.
    ///
    /// # Errors
    /// Returns the errors of [`Self::check_access`].
    pub(crate) async fn authorize(&self) -> Result<Access, Failure> {
        let access = self.store().read_access(&self.caller, self.target.company_id()).await?;
        self.check_access(Guarded::new(access, ())).map(|(access, ())| access)
    }

    fn apply_rate_limit(&self, access: &Access) {
        self.ticket.set_limit(access.rate_limit_per_minute);
    }

    /// Returns the error for an unknown company.
    fn unknown_company_failure(&self) -> Failure {
        let reason = self.target.unknown_company;
        if reason == Reason::UnknownResource { unknown_company_fault().into() } else { reason.into() }
    }

    fn denied_failure(&self, denied: AccessDenial) -> Failure {
        match denied {
            AccessDenial::NotAuthenticated => {
                // The request is charged to a separate bucket for the secret of the token. A request with an
                // invalid token therefore does not use up the rate limit of the application.
                self.ticket.refund_tokens();
                let now = self.incoming.api.monotonic_time();
                let _ = self.partner.revoked_tokens.take_from_bucket(self.caller.secret_id.as_str(), now).1;
                Failure::invalid_token()
            }
            AccessDenial::UnknownCompany => self.unknown_company_failure(),
            AccessDenial::NotAuthorized | AccessDenial::EndDated => denied.reason().into(),
        }
    }
}
