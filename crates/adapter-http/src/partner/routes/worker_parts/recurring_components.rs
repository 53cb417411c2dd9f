//! The partners' rules for recurring components of a worker. The name, the effect on pay and the
//! classification come from the pay component.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::TryStreamExt;
use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::id::ComponentId;
use payroll_domain::input::Node;
use payroll_domain::lookup::ValidityPeriod;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::violation::{DocumentPosition, Violation, Violations};
use payroll_domain::worker::{RecurringComponent, WorkerPart};
use payroll_ports::filters::ComponentFilter;
use payroll_ports::workers::{WorkerKey, WorkerListKind};
use payroll_ports::{Listing, Window};
use serde_json::Value as Json;

use crate::partner::call::PartnerCall;
use crate::partner::collection::{AuthorizedListing, ElementContext};
use crate::partner::parts::PartnerListElement;
use crate::partner::routes::worker_parts::element::{
    date_member, find_future_effective_date_fault, has_member, periods_overlap, text_member,
};
use crate::partner::routes::workers;
use crate::shared::error::Failure;
use crate::shared::feed::{collect_fault, parse_parameter};
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::{JSON, VendorTypes};
use crate::shared::objects::side::{ElementChange, ElementOperation};
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;
use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::{Href, Link};

/// The query parameters of the list of recurring components.
pub(crate) const PARAMETERS: &[&str] = &[
    "effectonpay",
    filters::AS_OF_PARAMETER,
    "name",
    "componentid",
    "classificationtype",
    "offset",
    "limit",
];

/// The pay components of the company.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompanyComponents {
    by_id: Arc<HashMap<ComponentId, PayComponent>>,
    /// The version of the company's data, which is part of the entity tag.
    version: i64,
}

impl CompanyComponents {
    async fn read(call: &PartnerCall) -> Result<Self, Failure> {
        let (company_id, all) = (call.company_id().await?, ComponentFilter::default());
        let found = call.store().pay_components(&call.caller, &company_id, &all, Window::default()).await?;
        let (_, Listing { version, rows, .. }) = call.check_access(found)?;
        let rows: Vec<Vec<PayComponent>> = rows.into_stream().try_collect().await?;
        let by_id = rows.into_iter().flatten().map(|it| (it.component_id.clone(), it)).collect();
        Ok(Self { by_id: Arc::new(by_id), version })
    }
}

impl PartnerListElement for RecurringComponent {
    const CREATED_STATUS: u16 = 201;
    const STARTS_TODAY_BY_DEFAULT: bool = true;
    const PARAMETERS: &'static [&'static str] = &[filters::AS_OF_PARAMETER];
    const REASONS: &'static [(&'static str, Reason)] =
        &[("value", Reason::RateAmountInvalid), ("calculationBaseId", Reason::CalculationBaseInvalid)];

    type Facts = CompanyComponents;

    async fn read_facts(call: &PartnerCall) -> Result<CompanyComponents, Failure> {
        CompanyComponents::read(call).await
    }

    fn added_members(&self, facts: &CompanyComponents) -> Vec<(&'static str, Json)> {
        let Some(component) = facts.by_id.get(&self.component_id) else { return Vec::new() };
        vec![
            ("name", component.name.clone().into()),
            ("effectOnPay", component.effect_on_pay.as_str().into()),
            ("classificationType", component.classification_type.as_str().into()),
        ]
    }

    fn is_effective_on(&self, day: Date) -> bool {
        ValidityPeriod { first: self.start_date, last: self.end_date }.contains(day)
    }

    fn media_types(types: &VendorTypes) -> [&str; 2] {
        [&types.pay_components, &types.pay_component]
    }

    fn find_change_faults(change: ElementChange<'_, '_>, today: Date) -> Vec<Violation> {
        let starts = change.after.and_then(|after| date_member(after, "startDate"));
        let started = change.before.and_then(|before| date_member(before, "startDate"));
        if change.operation == ElementOperation::Delete {
            let is_ahead = started.is_some_and(|start| today < start);
            let sentence = "a recurring component that starts in the future cannot be deleted";
            return is_ahead.then(|| Violation::new(Reason::StartsLater, sentence)).into_iter().collect();
        }
        let mut faults = Vec::from_iter(find_future_effective_date_fault(change, today));
        let mut fault = |reason, member: &str, sentence: String| {
            faults.push(
                Violation::new(reason, sentence)
                    .at_position(format!("/{member}"), DocumentPosition::default()),
            );
        };
        // Without a start date, a component would be effective from the beginning. The removal of the start
        // date is therefore a fault.
        let removed = started.is_some() && change.after.is_some_and(|after| !has_member(after, "startDate"));
        if removed || (starts != started && starts.is_some_and(|start| start < today)) {
            fault(Reason::StartsTooEarly, "startDate", "startDate must not be before today".to_owned());
        }
        let component = |node: &Node<'_>| text_member(node, "componentId").map(str::to_owned);
        let (named, before) = (change.after.and_then(component), change.before.and_then(component));
        if before.is_some() && named.is_some() && named != before {
            fault(Reason::FieldInvalid, "componentId", "componentId cannot be changed".to_owned());
        }
        let overlapping = change.others.iter().find(|other| {
            named.is_some() && component(other) == named && periods_overlap(other, change.after)
        });
        if let Some(id) = overlapping.and_then(|other| text_member(other, RecurringComponent::LIST.id_member))
        {
            let sentence =
                format!("the dates overlap those of recurring component {id} with this componentId");
            fault(Reason::DatesOverlap, "startDate", sentence);
        }
        faults
    }
}

/// The filters of the list of recurring components.
struct RecurringFilter {
    day: Date,
    component_id: Option<String>,
    component: ComponentFilter,
}

impl RecurringFilter {
    fn read(query: &Query, today: Date) -> Result<(RequestedPage, Self), Violations> {
        let mut faults = Vec::new();
        let component = filters::read_component_filter(query, &mut faults);
        let name = collect_fault(
            parse_parameter(query, "name", "not empty", filters::normalized_search_term),
            &mut faults,
        )
        .flatten();
        let component_id = collect_fault(
            parse_parameter(query, "componentid", "an id", filters::normalized_search_term),
            &mut faults,
        )
        .flatten();
        let day = filters::read_as_of(query, &mut faults).unwrap_or(today);
        let filter = Self { day, component_id, component: ComponentFilter { name, ..component } };
        RequestedPage::read_with_faults(query, faults).map(|page| (page, filter))
    }

    fn includes(&self, row: &RecurringComponent, components: &CompanyComponents) -> bool {
        let ComponentFilter { effect_on_pay, classification_type, name, .. } = &self.component;
        let component = components.by_id.get(&row.component_id);
        let fits = component.is_some_and(|it| {
            effect_on_pay.is_none_or(|effect| it.effect_on_pay == effect)
                && classification_type.is_none_or(|class| it.classification_type == class)
                && name.as_ref().is_none_or(|name| it.name == *name)
        });
        fits && row.is_effective_on(self.day)
            && self.component_id.as_deref().is_none_or(|id| row.component_id.as_str() == id)
    }
}

/// Handles `GET /workers/{workerId}/paycomponents`: lists the recurring components that are effective on a
/// date, by default today.
pub(crate) async fn list_components(call: PartnerCall) -> HandlerResult {
    let today = call.incoming.api.today();
    let (page, filter) = call.read_query(|query| RecurringFilter::read(query, today)).await?;
    let offers: [&str; 2] = [&call.partner.media_types.pay_components, JSON];
    let read = async |worker: &WorkerKey, window| {
        // The entity tag uses the version of the company's data, so these data are read before the worker.
        // If the worker changes between the two reads, the tag belongs to the older data. The next response
        // then has another entity tag, so no client keeps outdated data.
        let components = CompanyComponents::read(&call).await?;
        let list = Some(WorkerListKind::RecurringComponents);
        let found = call.store().worker_with_list(&call.caller, worker, list).await?;
        let (access, found) = call.check_access(found)?;
        let rows = found.map(|found| {
            let rows =
                found.value.recurring_components.into_iter().filter(|row| filter.includes(row, &components));
            let rows = rows.map(|row| (row.added_members(&components), row)).collect();
            Listing::from_all(rows, components.version, window)
        });
        Ok(AuthorizedListing::from((access, rows)).with_day_dependency(filter.day))
    };
    call.list_response((page, &offers), workers::worker_key, read, write_component).await
}

type RowWithAddedMembers = (Vec<(&'static str, Json)>, RecurringComponent);

fn write_component(
    (also, row): &RowWithAddedMembers,
    context: ElementContext<'_, WorkerKey>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let ElementContext { base, owner, .. } = context;
    let own = format!("{base}/workers/{}/paycomponents/{}", owner.worker_id, row.worker_component_id);
    let shown = DescribedResource::with_links(row, vec![Link::to_self(Href::Complete(own))]);
    serde_json::to_writer(out, &shown.with_members(also.clone()))
}
