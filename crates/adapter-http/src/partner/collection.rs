//! Lists of a company, and one element of a list, as partners read them: negotiation, paging, `ETag`,
//! streaming and 404 are the same for all. A handler says which media types there are, what the query
//! may select, what reads and what writes.

use actix_web::http::header::IF_NONE_MATCH;
use payroll_domain::access::{Access, Guarded};
use payroll_domain::code::Reason;
use payroll_domain::id::{CompanyId, Id};
use payroll_domain::violation::Violations;
use payroll_ports::resources::Versioned;
use payroll_ports::{Listing, Rows, StoreError, Window};

use super::call::Call;
use crate::shared::answer::Reading;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::page::Page;
use crate::shared::query::Query;

/// Where an element is written: the address that links begin with, and the company that has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Home<'a> {
    pub(crate) base: &'a str,
    pub(crate) company_id: &'a CompanyId,
}

/// The page in the query of a list without filters.
pub(crate) fn unfiltered(query: &Query) -> Result<(Page, ()), Violations> {
    Ok((Page::read(query)?, ()))
}

impl Call {
    /// The response to a GET of a list of the company in the path.
    ///
    /// # Errors
    /// 401 API-102, 400 API-40, 406 API-75, then those of [`Self::open`].
    pub(crate) async fn list<F, T: Send + 'static>(
        &self,
        offers: &[&str],
        read_query: impl FnOnce(&Query) -> Result<(Page, F), Violations>,
        read: impl AsyncFn(&CompanyId, &F, Window) -> Result<Guarded<Listing<T>>, StoreError>,
        write: impl Fn(&T, Home<'_>, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    ) -> Handled {
        let (page, filter) = self.after_authentication(read_query(&self.incoming.query())).await?;
        let media_type = self.negotiate(offers).await?;
        let company_id = self.company_id().await?;
        let read = async |window| self.open(read(&company_id, &filter, window).await?);
        let reading = |(access, listing): &(Access, Listing<T>)| {
            Ok(Reading::new(self, access, media_type, listing.version))
        };
        let found = self.unless_held(page, read, reading).await?;
        let reading = reading(&found)?;
        reading.collection(page, found.1, move |row, base, out| {
            write(row, Home { base, company_id: &company_id }, out)
        })
    }

    /// The response to a GET of one element of such a list, whose id stands in the path under that name.
    ///
    /// # Errors
    /// 401 API-102, 406 API-75, those of [`Self::open`], then 404 API-7.
    pub(crate) async fn one_of_list<K, T: Send + 'static>(
        &self,
        offers: &[&str],
        id: &str,
        read: impl AsyncFnOnce(&CompanyId, &Id<K>) -> Result<Guarded<Option<Versioned<T>>>, StoreError>,
        write: impl Fn(&T, Home<'_>, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    ) -> Handled {
        let media_type = self.negotiate(offers).await?;
        let company_id = self.company_id().await?;
        let id = self.id(id).await?;
        let (access, found) = self.open(read(&company_id, &id).await?)?;
        let found = found.ok_or(Reason::UnknownResource)?;
        let reading = Reading::new(self, &access, media_type, found.version);
        reading.plain(Rows::All(vec![found.value]), move |row, base, out| {
            write(row, Home { base, company_id: &company_id }, out)
        })
    }

    /// Reads a page of a list. For a caller who may hold the response already, no more is read at first
    /// than shows whether that is so: the tag depends on the version of the list and on none of its
    /// elements.
    ///
    /// # Errors
    /// Those of the reading.
    pub(crate) async fn unless_held<'a, T>(
        &self,
        page: Page,
        read: impl AsyncFn(Window) -> Result<T, Failure>,
        reading: impl Fn(&T) -> Result<Reading<'a>, Failure>,
    ) -> Result<T, Failure> {
        let is_head = self.incoming.is_head();
        if !is_head && self.incoming.headers().contains_key(IF_NONE_MATCH) {
            let found = read(page.window(true)).await?;
            if reading(&found)?.is_held() {
                return Ok(found);
            }
        }
        read(page.window(is_head)).await
    }
}
