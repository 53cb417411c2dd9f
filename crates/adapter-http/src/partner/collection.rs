//! Responses with lists and single elements for partners. Negotiation, paging, `ETag`, streaming and 404 are
//! the same for all lists. A handler supplies the media types, the owner of the elements, and functions that
//! read and serialize the elements.

use actix_web::http::header::IF_NONE_MATCH;
use payroll_domain::access::{Access, Scopes};
use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::id::CompanyId;
use payroll_ports::resources::Versioned;
use payroll_ports::{Listing, Rows, Window};

use super::call::PartnerCall;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::page::RequestedPage;
use crate::shared::response::GetResponse;

/// The rows of a response, with the data that determine the media type and the entity tag. The caller's
/// access to the rows has been verified.
#[derive(Debug)]
pub(crate) struct AuthorizedListing<'a, T> {
    access: Access,
    /// The elements; `None` if the object in the path is unknown.
    listing: Option<Listing<T>>,
    /// The vendor media type of the response, if the data determine it.
    kind: Option<&'a str>,
    /// The date, if the response depends on the current day.
    day: Option<Date>,
}

impl<'a, T> AuthorizedListing<'a, T> {
    /// Sets the vendor media type that the data determine. The response is then offered in this type and in
    /// plain JSON.
    pub(crate) const fn with_media_type(mut self, kind: &'a str) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Declares that the response depends on the current day.
    pub(crate) const fn with_day_dependency(mut self, today: Date) -> Self {
        self.day = Some(today);
        self
    }
}

impl<T> From<(Access, Option<Listing<T>>)> for AuthorizedListing<'_, T> {
    fn from((access, listing): (Access, Option<Listing<T>>)) -> Self {
        Self { access, listing, kind: None, day: None }
    }
}

impl<T> From<(Access, Listing<T>)> for AuthorizedListing<'_, T> {
    fn from((access, listing): (Access, Listing<T>)) -> Self {
        (access, Some(listing)).into()
    }
}

impl<T> From<(Access, Option<Versioned<T>>)> for AuthorizedListing<'_, T> {
    fn from((access, element): (Access, Option<Versioned<T>>)) -> Self {
        let alone =
            |Versioned { value, version }| Listing { total: 1, version, rows: Rows::All(vec![value]) };
        (access, element.map(alone)).into()
    }
}

/// The context in which an element is serialized.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElementContext<'a, P = CompanyId> {
    /// The base URL of links.
    pub(crate) base: &'a str,
    /// The object in the path that contains the element, such as its company.
    pub(crate) owner: &'a P,
    /// The scopes of the caller on the company.
    pub(crate) scopes: Scopes,
}

impl PartnerCall {
    /// Creates the response to a GET of a list. `owner` returns the object that contains the elements.
    ///
    /// Usually the entity tag is computed from the version of the list. For a request with `If-None-Match`,
    /// this function first reads only the version. If the tag is computed from the elements of the page
    /// instead, the page is read immediately.
    ///
    /// # Errors
    /// The errors of [`Self::negotiate`], of `owner` and of `read`, then 404 API-7 if the object in the path
    /// is unknown.
    pub(crate) async fn list_response<
        'a,
        P: Send + 'static,
        T: Send + 'static,
        F: Into<AuthorizedListing<'a, T>>,
    >(
        &'a self,
        (page, offers): (RequestedPage, impl AsRef<[&'a str]>),
        owner: impl AsyncFnOnce(&Self) -> Result<P, Failure>,
        read: impl AsyncFn(&P, Window) -> Result<F, Failure>,
        write: impl Fn(&T, ElementContext<'_, P>, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    ) -> HandlerResult {
        let media_type = self.negotiate(offers.as_ref()).await?;
        let owner = owner(self).await?;
        let read = async |window| self.prepare_response(media_type, read(&owner, window).await?.into());
        let is_head = self.incoming.is_head();
        let may_be_held = !is_head && self.incoming.headers().contains_key(IF_NONE_MATCH);
        let mut found = read(page.window_for_response(is_head || may_be_held)).await?;
        if may_be_held && page.has_list_etag() && !found.0.is_not_modified() {
            found = read(page.window_for_response(false)).await?;
        }
        let (reading, scopes, listing) = found;
        reading.collection_response(page, listing, move |row, base, out| {
            write(row, ElementContext { base, owner: &owner, scopes }, out)
        })
    }

    /// Creates the response to a GET of one element, or of a list without pages.
    ///
    /// # Errors
    /// Returns the errors of [`Self::list_response`].
    pub(crate) async fn single_response<
        'a,
        P: Send + 'static,
        T: Send + 'static,
        F: Into<AuthorizedListing<'a, T>>,
    >(
        &'a self,
        offers: &[&'a str],
        owner: impl AsyncFnOnce(&Self) -> Result<P, Failure>,
        read: impl AsyncFnOnce(&P) -> Result<F, Failure>,
        write: impl Fn(&T, ElementContext<'_, P>, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    ) -> HandlerResult {
        let media_type = self.negotiate(offers).await?;
        let owner = owner(self).await?;
        let (reading, scopes, listing) = self.prepare_response(media_type, read(&owner).await?.into())?;
        reading.rows_response(listing.rows, move |row, base, out| {
            write(row, ElementContext { base, owner: &owner, scopes }, out)
        })
    }

    /// Prepares the response for the rows that were read. Returns the prepared response, the caller's scopes,
    /// and the rows.
    fn prepare_response<'a, T>(
        &'a self,
        media_type: &'a str,
        found: AuthorizedListing<'a, T>,
    ) -> Result<(GetResponse<'a>, Scopes, Listing<T>), Failure> {
        let AuthorizedListing { access, listing, kind, day } = found;
        let listing = listing.ok_or(Reason::UnknownResource)?;
        let media_type = match kind {
            Some(kind) => self.incoming.negotiate(&[kind, JSON])?,
            None => media_type,
        };
        let reading = GetResponse::with_day(self, &access, media_type, listing.version, day);
        Ok((reading, access.effective_scopes(&self.caller), listing))
    }
}
