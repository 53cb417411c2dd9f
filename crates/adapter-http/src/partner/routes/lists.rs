//! The short lists of a company (specification §6.3 to §6.6, §6.10): a row says where one is, its media type,
//! and whether its elements have links. They have no filter, and their elements are shown as they are stored.

use payroll_domain::id::CompanyId;
use payroll_domain::plain::PlainKind;
use payroll_domain::resource::Resource;
use payroll_ports::Window;
use payroll_ports::setup::SetupList;

use crate::partner::call::Call;
use crate::shared::handled::Handled;
use crate::shared::media_type::{JSON, VendorTypes};
use crate::shared::plain;
use crate::shared::wire::described::DescribedResource;

/// A short list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShortList {
    list: SetupList,
    /// Its media type beside plain JSON, if it has one.
    media_type: Option<fn(&VendorTypes) -> &str>,
    /// Its elements have `links`, of which there are none so far.
    has_links: bool,
}

/// Categories of custom fields.
pub(crate) const CATEGORIES: ShortList =
    ShortList::new(SetupList::CustomFieldCategories).of_type(|types| &types.categories);
/// Custom fields.
pub(crate) const CUSTOM_FIELDS: ShortList =
    ShortList::new(SetupList::CustomFields).of_type(|types| &types.custom_fields);
/// Contact types.
const CONTACT_TYPES: ShortList =
    ShortList::new(SetupList::ContactTypes).of_type(|types| &types.contact_types);

impl ShortList {
    const fn new(list: SetupList) -> Self {
        Self { list, media_type: None, has_links: false }
    }

    /// The list of a plain kind.
    pub(crate) fn plain(kind: PlainKind) -> Self {
        Self { has_links: plain::paths(kind).has_links, ..Self::new(SetupList::Plain(kind)) }
    }

    const fn of_type(self, media_type: fn(&VendorTypes) -> &str) -> Self {
        Self { media_type: Some(media_type), ..self }
    }

    fn offers(self, types: &VendorTypes) -> Vec<&str> {
        let own = match self.list {
            SetupList::Plain(kind) => types.plain(kind),
            _ => self.media_type.map(|media_type| media_type(types)),
        };
        own.into_iter().chain([JSON]).collect()
    }

    fn write(self, row: &Resource, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let shown = match self.has_links {
            true => DescribedResource::with_links(row, Vec::new()),
            false => DescribedResource::bare(row),
        };
        serde_json::to_writer(out, &shown)
    }
}

/// GET of a short list.
pub(crate) async fn list(call: Call, of: ShortList) -> Handled {
    let page = call.page().await?;
    let offers = of.offers(&call.partner.media_types);
    let read = async |company_id: &CompanyId, window| {
        call.open(call.store().setup_list(&call.caller, company_id, of.list, window).await?)
    };
    call.list((page, &offers), Call::company_id, read, move |row, _, out| of.write(row, out)).await
}

/// GET /companies/{companyId}/contacttypes: the one collection without pages. The parameters of a page are
/// judged all the same.
pub(crate) async fn contact_types(call: Call) -> Handled {
    call.page().await?;
    let offers = CONTACT_TYPES.offers(&call.partner.media_types);
    let read = async |company_id: &CompanyId| {
        let all = call.store().setup_list(&call.caller, company_id, CONTACT_TYPES.list, Window::default());
        call.open(all.await?)
    };
    call.one(&offers, Call::company_id, read, |row, _, out| CONTACT_TYPES.write(row, out)).await
}
