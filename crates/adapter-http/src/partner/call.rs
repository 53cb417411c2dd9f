//! What a handler is given: the request, who sent it, and the order in which things are refused.
//!
//! The store reads the caller's access beside the data, so most refusals come out of [`Call::open`]. A fault
//! that is found before the store is queried (a media type, a parameter, a body) must not be reported to a
//! caller without access: [`Call::after_authentication`] and [`Call::after_admission`] read the access first,
//! only in that case.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::access::{Access, Caller, Denied, Guarded, Scope, Scopes};
use payroll_domain::code::Reason;
use payroll_domain::hook::Hook;
use payroll_domain::id::{CompanyId, Id};
use payroll_domain::id_sequence::IdSequence;
use payroll_ports::{Store, id_sequence};

use crate::partner::context::PartnerContext;
use crate::shared::error::{Failure, unknown_company};
use crate::shared::incoming::{Incoming, ReadBody};
use crate::shared::page::Page;
use crate::shared::query::Query;
use crate::shared::rate_limit::Ticket;
use crate::shared::route_table::PathIds;

/// A request of a caller with a valid token.
pub(crate) struct Call {
    pub(crate) partner: Arc<PartnerContext>,
    pub(crate) incoming: Incoming,
    pub(crate) caller: Arc<Caller>,
    pub(crate) target: Target,
    /// The segments of the path in the places of names in braces.
    pub(crate) ids: PathIds,
    pub(crate) ticket: Ticket,
    /// Where it is read, if not from the store; the response may then be a little old.
    pub(crate) replica: Option<Arc<dyn Store>>,
}

/// What a request is for, and which scope it takes.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// `None`: any token will do, and for a company any grant.
    pub(crate) scope: Option<Scope>,
    /// Scopes on the company that will do as well as that one.
    pub(crate) others: Scopes,
    /// The company in the path, or of the worker in the path, when the path has one.
    pub(crate) company: Option<CompanyInPath>,
    /// The error when there is no such company.
    pub(crate) unknown_company: Reason,
}

/// The company that a path names, itself or by one of its workers.
#[derive(Debug, Clone)]
pub(crate) enum CompanyInPath {
    /// Its id.
    Id(CompanyId),
    /// A text that can be no id, or an unknown worker.
    Nowhere,
}

impl Target {
    /// The company of the path, where it names one that can exist.
    pub(super) fn company_id(&self) -> Option<&CompanyId> {
        match &self.company {
            Some(CompanyInPath::Id(id)) => Some(id),
            Some(CompanyInPath::Nowhere) | None => None,
        }
    }
}

impl Call {
    pub(crate) fn store(&self) -> &dyn Store {
        self.replica.as_ref().unwrap_or(&self.incoming.api.store).as_ref()
    }

    /// New ids.
    pub(crate) fn new_ids(&self) -> IdSequence {
        let api = &self.incoming.api;
        id_sequence(api.clock.as_ref(), api.randomness.as_ref())
    }

    /// The company that the path names, itself or by one of its workers.
    ///
    /// # Errors
    /// That of an unknown company, or what comes before it, when there is none of that name.
    pub(crate) async fn company_id(&self) -> Result<CompanyId, Failure> {
        match &self.target.company {
            Some(CompanyInPath::Id(id)) => Ok(id.clone()),
            Some(CompanyInPath::Nowhere) | None => {
                self.admit().await?;
                Err(self.unknown_company())
            }
        }
    }

    /// The id of that name in the path.
    ///
    /// # Errors
    /// Those of [`Self::open`], then 404 API-7 for a text that can be the id of nothing.
    pub(crate) async fn id<K>(&self, name: &str) -> Result<Id<K>, Failure> {
        match self.ids.get(name) {
            Some(id) => Ok(id),
            None => {
                self.admit().await?;
                Err(Reason::UnknownResource.into())
            }
        }
    }

    /// The hook that the path names, if it is the caller's.
    ///
    /// # Errors
    /// Those of [`Self::open`], then 404 API-7.
    pub(crate) async fn hook(&self) -> Result<(Access, Hook), Failure> {
        let Some(hook_id) = self.ids.get("hookId") else {
            self.admit().await?;
            return Err(Reason::UnknownResource.into());
        };
        let (access, hook) = self.open(self.store().hook_of(&self.caller, &hook_id).await?)?;
        Ok((access, hook.ok_or(Reason::UnknownResource)?))
    }

    /// The best of the offered media types.
    ///
    /// # Errors
    /// 401 API-102, then 406 API-75.
    pub(crate) async fn negotiate<'t>(&self, offers: &[&'t str]) -> Result<&'t str, Failure> {
        self.after_authentication(self.incoming.negotiate(offers)).await
    }

    /// Takes out what the store sealed, if the caller may have it.
    ///
    /// # Errors
    /// 401 API-102, 404 API-7, 403 API-2, 403 API-68.
    pub(crate) fn open<T>(&self, guarded: Guarded<T>) -> Result<(Access, T), Failure> {
        self.learn(guarded.access());
        let today = self.incoming.api.today();
        let granted = guarded.access().company.as_ref().is_none_or(|company| !company.granted.is_empty());
        let opened = match (&self.target.company, self.target.scope) {
            (Some(_), Some(scope)) => {
                let sufficient = self.target.others.union([scope].into_iter().collect());
                guarded.open_by_any_of(&self.caller, sufficient, today)
            }
            (None, Some(scope)) if Scopes::of_applications().contains(scope) => {
                guarded.open_for_application(&self.caller, scope)
            }
            (None, Some(scope)) => guarded.open_without_company(&self.caller, scope),
            (Some(_), None) => guarded.open_by_any_grant(today),
            (None, None) => guarded.open_by_any_token(),
        };
        if let (Ok(_), Some(CompanyInPath::Id(company_id))) = (&opened, &self.target.company) {
            // Where the path names it, it is known already.
            let _ = self.incoming.trail.company.set(company_id.clone());
        }
        opened.map_err(|denied| match (denied, self.target.scope) {
            // Where nothing is granted no scope is missing, but the company itself.
            (Denied::NotAuthorized, Some(scope)) if granted => Failure::insufficient_scope(scope),
            (denied, _) => self.denied(denied),
        })
    }

    /// Whether the caller may use another scope on the company as well.
    ///
    /// # Errors
    /// 403 API-2.
    pub(crate) fn needs(&self, access: &Access, scope: Scope) -> Result<(), Failure> {
        if access.effective_scopes(&self.caller).contains(scope) {
            return Ok(());
        }
        Err(Failure::insufficient_scope(scope))
    }

    /// Whether the token is still valid, for any use.
    ///
    /// # Errors
    /// 401 API-102.
    pub(crate) fn check_authentication(&self, access: &Access) -> Result<(), Failure> {
        self.learn(access);
        access.authenticate().map_err(|denied| self.denied(denied))
    }

    /// Lets a fault speak only after a token that is worth nothing was refused.
    ///
    /// # Errors
    /// 401 API-102, else the fault.
    pub(crate) async fn after_authentication<T, F>(&self, judged: Result<T, F>) -> Result<T, Failure>
    where
        F: Into<Failure>,
    {
        let Err(fault) = judged else { return judged.map_err(Into::into) };
        let access = self.store().access(&self.caller, None).await?;
        self.check_authentication(&access)?;
        Err(fault.into())
    }

    /// Lets a fault speak only after everything was refused that comes before it.
    ///
    /// # Errors
    /// Those of [`Self::open`], else the fault.
    pub(crate) async fn after_admission<T, F>(&self, judged: Result<T, F>) -> Result<T, Failure>
    where
        F: Into<Failure>,
    {
        let Err(fault) = judged else { return judged.map_err(Into::into) };
        self.admit().await?;
        Err(fault.into())
    }

    /// The page that is requested.
    ///
    /// # Errors
    /// 401 API-102, then 400 API-40.
    pub(crate) async fn page(&self) -> Result<Page, Failure> {
        self.query(Page::read).await
    }

    /// What the query says.
    ///
    /// # Errors
    /// 401 API-102, then 400 API-40.
    pub(crate) async fn query<T, F: Into<Failure>>(
        &self,
        read: impl FnOnce(&Query) -> Result<T, F>,
    ) -> Result<T, Failure> {
        self.after_authentication(read(&self.incoming.query())).await
    }

    /// Reads the body, for a caller who may send it. Of a large body, and of one that the client
    /// sends only after a `100 Continue`, nothing is read before that is known.
    ///
    /// # Errors
    /// Those of [`Self::open`], then 413 with that reason, 408 API-408, 400 API-40, 429 API-429 and 503
    /// API-503.
    pub(crate) async fn body(&mut self, too_large: Reason) -> Result<Bytes, Failure> {
        let reader = self.incoming.document_reader(too_large);
        let mut reader = self.after_admission(reader).await?;
        if self.incoming.is_admitted_first(&reader) {
            self.admit().await?;
            reader.admit();
        }
        loop {
            let read = self.incoming.read_body(reader).await;
            match self.after_admission(read).await? {
                ReadBody::Whole(bytes) => return Ok(bytes),
                ReadBody::Large(more) => {
                    self.admit().await?;
                    reader = more;
                    reader.admit();
                }
            }
        }
    }

    /// Asks the store for the access alone, and decides.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub(crate) async fn admit(&self) -> Result<Access, Failure> {
        let access = self.store().access(&self.caller, self.target.company_id()).await?;
        self.open(Guarded::new(access, ())).map(|(access, ())| access)
    }

    fn learn(&self, access: &Access) {
        self.ticket.learn(access.rate_limit_per_minute);
    }

    /// The error for a company that does not exist.
    fn unknown_company(&self) -> Failure {
        let reason = self.target.unknown_company;
        if reason == Reason::UnknownResource { unknown_company().into() } else { reason.into() }
    }

    fn denied(&self, denied: Denied) -> Failure {
        match denied {
            Denied::NotAuthenticated => {
                // The request was not this application's: it must not use up what it may ask. It
                // counts against the others by tokens of that secret.
                self.ticket.give_back();
                let now = self.incoming.api.monotonic();
                let _ = self.partner.refused.take(self.caller.secret_id.as_str(), now).1;
                Failure::invalid_token()
            }
            Denied::UnknownCompany => self.unknown_company(),
            Denied::NotAuthorized | Denied::EndDated => denied.reason().into(),
        }
    }
}
