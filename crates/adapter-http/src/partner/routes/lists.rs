//! The short lists of a company (specification §6.3 to §6.6, §6.10, §6.19, §6.21). A [`ConfigurationList`]
//! contains the media type of a list. Elements are shown as they are stored. Only lookup lists have filters
//! and a path for a single element.

use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::id::CompanyId;
use payroll_domain::id::kind::Reference;
use payroll_domain::lookup::LookupKind;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violations;
use payroll_ports::filters::LookupFilter;
use payroll_ports::setup::SetupList;
use payroll_ports::{Rows, Window};

use crate::partner::call::PartnerCall;
use crate::partner::collection::{AuthorizedListing, ElementContext};
use crate::partner::writing;
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::lookup::{self, ElementLinks, LookupListFilter, LookupListSpec};
use crate::shared::media_type::{JSON, VendorTypes};
use crate::shared::objects::ObjectKey;
use crate::shared::page::{self, RequestedPage};
use crate::shared::query::Query;
use crate::shared::response::GetResponse;
use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::{Href, Link};

/// The declaration of a short list of a company, such as the list of custom fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConfigurationList {
    list: ListedObjects,
    /// The vendor media type, if the list has one.
    media_type: Option<fn(&VendorTypes) -> &str>,
}

/// The objects of a short list of a company.
#[derive(Debug, Clone, Copy)]
enum ListedObjects {
    /// Elements of a lookup list.
    Lookup(LookupKind),
    /// Objects of another kind, such as custom fields.
    Other(SetupList),
}

/// The list of custom field categories.
pub(crate) const CATEGORY_LIST: ConfigurationList =
    ConfigurationList::new(SetupList::CustomFieldCategories).with_media_type(|types| &types.categories);
/// The list of custom fields.
pub(crate) const CUSTOM_FIELD_LIST: ConfigurationList =
    ConfigurationList::new(SetupList::CustomFields).with_media_type(|types| &types.custom_fields);
/// The list of contact types.
const CONTACT_TYPE_LIST: ConfigurationList =
    ConfigurationList::new(SetupList::ContactTypes).with_media_type(|types| &types.contact_types);

impl ConfigurationList {
    const fn new(list: SetupList) -> Self {
        Self { list: ListedObjects::Other(list), media_type: None }
    }

    /// Creates the declaration of a lookup list of this kind.
    pub(crate) const fn for_lookup(kind: LookupKind) -> Self {
        Self { list: ListedObjects::Lookup(kind), media_type: None }
    }

    const fn with_media_type(self, media_type: fn(&VendorTypes) -> &str) -> Self {
        Self { media_type: Some(media_type), ..self }
    }

    fn offered_media_types(self, types: &VendorTypes) -> Vec<&str> {
        let own = match self.list {
            ListedObjects::Lookup(kind) => types.lookup_list_type(kind),
            ListedObjects::Other(_) => self.media_type.map(|media_type| media_type(types)),
        };
        own.into_iter().chain([JSON]).collect()
    }

    /// Reads the page and the filter. If the list filters by a date and the query contains none, the function
    /// also returns the current date. The response then depends on the current day.
    fn read_query(
        self,
        query: &Query,
        today: Date,
    ) -> Result<(RequestedPage, SetupList, Option<Date>), Violations> {
        let ListedObjects::Lookup(kind) = self.list else {
            return RequestedPage::read(query).map(|page| (page, self.unfiltered_list(), None));
        };
        let mut faults = Vec::new();
        let (filter, day) = match lookup::lookup_list_spec(kind).filter {
            LookupListFilter::None => (LookupFilter::default(), None),
            LookupListFilter::Day => {
                let requested = filters::read_as_of(query, &mut faults);
                let day = if requested.is_none() { Some(today) } else { None };
                (LookupFilter { in_force_on: requested.or(day), ..LookupFilter::default() }, day)
            }
            LookupListFilter::PayFrequency => {
                let pay_frequency = filters::read_pay_frequency(query, &mut faults);
                (LookupFilter { pay_frequency, ..LookupFilter::default() }, None)
            }
        };
        RequestedPage::read_with_faults(query, faults)
            .map(|page| (page, SetupList::Lookup(kind, filter), day))
    }

    /// Returns the list that the store reads, without a filter, so that the list contains all elements.
    fn unfiltered_list(self) -> SetupList {
        match self.list {
            ListedObjects::Lookup(kind) => SetupList::Lookup(kind, LookupFilter::default()),
            ListedObjects::Other(list) => list,
        }
    }

    fn write_object(
        self,
        row: &Resource,
        context: ElementContext<'_>,
        out: &mut Vec<u8>,
    ) -> serde_json::Result<()> {
        match self.list {
            ListedObjects::Lookup(kind) => {
                write_lookup(lookup::lookup_list_spec(kind), row, context.base, context.owner, out)
            }
            ListedObjects::Other(_) => serde_json::to_writer(out, &DescribedResource::without_links(row)),
        }
    }
}

/// Returns the query parameters of a lookup list.
pub(crate) const fn lookup_parameters(filter: LookupListFilter) -> &'static [&'static str] {
    match filter {
        LookupListFilter::None => page::PARAMETERS,
        LookupListFilter::Day => &[filters::AS_OF_PARAMETER, "offset", "limit"],
        LookupListFilter::PayFrequency => &[filters::PAY_FREQUENCY_PARAMETER, "offset", "limit"],
    }
}

/// Returns the query parameters of one element of a lookup list.
pub(crate) const fn lookup_item_parameters(filter: LookupListFilter) -> &'static [&'static str] {
    match filter {
        LookupListFilter::None | LookupListFilter::PayFrequency => &[],
        LookupListFilter::Day => &[filters::AS_OF_PARAMETER],
    }
}

/// Writes an element of a lookup list with its links.
fn write_lookup(
    spec: &LookupListSpec,
    row: &Resource,
    base: &str,
    company_id: &CompanyId,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let shown = match spec.links {
        ElementLinks::Absent => DescribedResource::without_links(row),
        ElementLinks::Empty => DescribedResource::with_links(row, Vec::new()),
        ElementLinks::Own => {
            let own = Href::InCompany { base, company_id, list: spec.paths.segment, id: row.id() };
            DescribedResource::with_links(row, vec![Link::to_self(own)])
        }
    };
    serde_json::to_writer(out, &shown)
}

/// Handles GET of a short list.
pub(crate) async fn list_objects(call: PartnerCall, of: ConfigurationList) -> HandlerResult {
    let today = call.incoming.api.today();
    let (page, list, day) = call.read_query(|query| of.read_query(query, today)).await?;
    let offers = of.offered_media_types(&call.partner.media_types);
    let read = async |company_id: &CompanyId, window| {
        let listed = read_list(&call, company_id, list, window).await?;
        Ok(match day {
            Some(day) => listed.with_day_dependency(day),
            None => listed,
        })
    };
    call.list_response((page, &offers), PartnerCall::company_id, read, move |row, context, out| {
        of.write_object(row, context, out)
    })
    .await
}

/// Reads a list for an authorized caller.
async fn read_list(
    call: &PartnerCall,
    company_id: &CompanyId,
    list: SetupList,
    window: Window,
) -> Result<AuthorizedListing<'static, Resource>, Failure> {
    let guarded = call.store().setup_list(&call.caller, company_id, list, window).await?;
    Ok(call.check_access(guarded)?.into())
}

/// Handles GET of one element of a lookup list. The entity tag is strong, because the element is shown as it
/// is stored.
pub(crate) async fn get_lookup_item(call: PartnerCall, kind: LookupKind) -> HandlerResult {
    let spec = lookup::lookup_list_spec(kind);
    let day = call.read_query(|query| read_effective_day(query, spec.filter)).await?;
    let own = call.partner.media_types.lookup_element_type(kind);
    let offers: Vec<&str> = own.into_iter().chain([JSON]).collect();
    let media_type = call.negotiate(&offers).await?;
    let company_id = call.company_id().await?;
    let id = call.id::<Reference>(spec.id.name).await?.to_string();
    let key = ObjectKey { company_id: company_id.clone(), kind: ResourceKind::Lookup(kind), id };
    let found = writing::read_object(&call, &key).await?;
    if let (Some(day), Resource::Lookup(object)) = (day, &found.value)
        && !object.days().contains(day)
    {
        return Err(Reason::UnknownResource.into());
    }
    let reading = GetResponse::with_etag(&call.incoming, media_type, EntityTag::from_version(found.version));
    reading.rows_response(Rows::All(vec![found.value]), move |row: &Resource, base, out| {
        write_lookup(spec, row, base, &company_id, out)
    })
}

/// Returns the date on which the element must be effective; `None` if the list has no such filter.
fn read_effective_day(query: &Query, filter: LookupListFilter) -> Result<Option<Date>, Violations> {
    match filter {
        LookupListFilter::None | LookupListFilter::PayFrequency => Ok(None),
        LookupListFilter::Day => filters::read_as_of_only(query),
    }
}

/// Handles `GET /companies/{companyId}/contacttypes`: lists the contact types. The response has no pages,
/// but the paging parameters are still validated.
pub(crate) async fn list_contact_types(call: PartnerCall) -> HandlerResult {
    call.read_page().await?;
    let offers = CONTACT_TYPE_LIST.offered_media_types(&call.partner.media_types);
    let read = async |company_id: &CompanyId| {
        read_list(&call, company_id, CONTACT_TYPE_LIST.unfiltered_list(), Window::default()).await
    };
    call.single_response(&offers, PartnerCall::company_id, read, |row, context, out| {
        CONTACT_TYPE_LIST.write_object(row, context, out)
    })
    .await
}
