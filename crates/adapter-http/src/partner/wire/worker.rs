//! A worker (specification §11.13). The media type determines which data are shown.

use payroll_domain::check::OrganizationLabel;
use payroll_domain::description::{MemberValue, MemberView};
use payroll_domain::worker::Worker;
use payroll_ports::workers::WorkerView;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::shared::wire::described_resource::{
    TaxIdentity, serialize_member, serialize_member_without, serialize_members,
};
use crate::shared::wire::link::{Href, Link};

/// The members that contain the ids of a new worker, its status and its communications. A dry run creates
/// none of these ids, so its response omits the members.
const CREATED_IDS: &[&str] = &["workerId", "workerStatusId", "communicationId"];

/// The context in which a worker is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkerContext<'a> {
    /// The base URL of links.
    pub(crate) base: &'a str,
    /// The view, which determines the members that are shown.
    pub(crate) view: MemberView,
    /// Whether the caller may see unmasked tax identities of persons.
    pub(crate) may_see_full_tax_ids: bool,
    /// Whether the caller may read communications of workers.
    pub(crate) may_read_communications: bool,
    /// Whether the caller may read pay rates.
    pub(crate) may_read_pay_rates: bool,
}

/// A worker as partners see it.
#[derive(Debug)]
pub(crate) struct WorkerResource<'a> {
    view: &'a WorkerView,
    context: WorkerContext<'a>,
    /// The client's own id of the worker, from the request that creates the worker.
    correlation_id: Option<&'a str>,
    /// Whether the worker is only previewed in a dry run. The worker then has no links.
    is_dry_run: bool,
}

impl<'a> WorkerResource<'a> {
    /// Creates the resource of a worker, as this context shows the worker.
    pub(crate) const fn new(view: &'a WorkerView, context: WorkerContext<'a>) -> Self {
        Self { view, context, correlation_id: None, is_dry_run: false }
    }

    /// Adds the correlation id and the dry-run flag of the request that creates the worker.
    pub(crate) const fn for_request(mut self, correlation_id: Option<&'a str>, is_dry_run: bool) -> Self {
        self.correlation_id = correlation_id;
        self.is_dry_run = is_dry_run;
        self
    }

    /// Writes a reference with the names of the referenced object. A reference to an organization that does
    /// not exist is omitted.
    fn serialize_reference<M: SerializeMap>(
        &self,
        map: &mut M,
        member: &'static str,
        (id_member, id): (&'static str, &str),
    ) -> Result<(), M::Error> {
        let Self { view, context, .. } = self;
        match member {
            "customEmploymentType" => {
                let name = view.custom_employment_type_name.as_deref();
                let resource =
                    CustomTypeResource { custom_employment_type_id: id, custom_employment_type_name: name };
                map.serialize_entry(member, &resource)
            }
            "organization" => match &view.organization {
                Some(label) => map.serialize_entry(member, &OrganizationResource::new(label)),
                None => Ok(()),
            },
            "supervisor" => {
                let name = view.supervisor_name.as_ref().filter(|_| context.view == MemberView::Full);
                map.serialize_entry(member, &SupervisorResource::new(id, name))
            }
            _ => serialize_member(map, member, MemberValue::Reference(id_member, id)),
        }
    }
}

impl Serialize for WorkerResource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { view, context, correlation_id, is_dry_run } = self;
        let mut map = serializer.serialize_map(None)?;
        serialize_members(&mut map, &view.worker, context.view, |map, member, shown| match shown {
            MemberValue::Reference(id_member, id) => self.serialize_reference(map, member, (id_member, id)),
            MemberValue::TaxIdentity(legal_id) => map.serialize_entry(
                member,
                &TaxIdentity { legal_id, is_complete: context.may_see_full_tax_ids },
            ),
            shown if *is_dry_run => serialize_member_without(map, member, shown, CREATED_IDS),
            shown => serialize_member(map, member, shown),
        })?;
        if let Some(correlation_id) = correlation_id {
            map.serialize_entry("workerCorrelationId", correlation_id)?;
        }
        if !is_dry_run {
            map.serialize_entry("links", &worker_links(&view.worker, *context))?;
        }
        map.end()
    }
}

/// Returns the links of a worker. Links to resources that the caller cannot read are omitted.
fn worker_links<'a>(worker: &'a Worker, context: WorkerContext<'a>) -> Vec<Link<'a>> {
    let (base, worker_id) = (context.base, &worker.worker_id);
    let to = |rel, path| Link { rel, href: Href::OfWorker { base, worker_id, path } };
    let communications = context.may_read_communications.then(|| to("communications", "communications"));
    let pay_rates = context.may_read_pay_rates.then(|| to("payRates", "compensation/payrates"));
    let own = Link::to_self(Href::Worker { base, worker_id });
    [Some(own), communications, pay_rates].into_iter().flatten().collect()
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CustomTypeResource<'a> {
    custom_employment_type_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_employment_type_name: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OrganizationResource<'a> {
    organization_id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<&'a str>,
}

impl<'a> OrganizationResource<'a> {
    fn new(label: &'a OrganizationLabel) -> Self {
        Self {
            organization_id: label.organization_id.as_str(),
            name: &label.name,
            number: label.number.as_deref(),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SupervisorResource<'a> {
    worker_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<ShortNameResource<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShortNameResource<'a> {
    family_name: &'a str,
    given_name: &'a str,
}

impl<'a> SupervisorResource<'a> {
    fn new(worker_id: &'a str, name: Option<&'a (String, String)>) -> Self {
        let name = name.map(|(family_name, given_name)| ShortNameResource { family_name, given_name });
        Self { worker_id, name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;

    fn worker_json(view: MemberView, has_full_tax_ids: bool, has_read_scopes: bool) -> String {
        let context = WorkerContext {
            base: "http://h",
            view,
            may_see_full_tax_ids: has_full_tax_ids,
            may_read_communications: has_read_scopes,
            may_read_pay_rates: has_read_scopes,
        };
        serde_json::to_string(&WorkerResource::new(&samples::worker(), context)).unwrap()
    }

    #[test]
    fn worker_has_its_members_in_order() {
        let expected = concat!(
            r#"{"workerId":"W1","employeeId":"7","clockId":"77","workerType":"EMPLOYEE","#,
            r#""employmentType":"FULL_TIME","customEmploymentType":{"customEmploymentTypeId":"HYBRID","#,
            r#""customEmploymentTypeName":"Hybrid"},"exemptionType":"NON_EXEMPT","workState":"NY","#,
            r#""birthDate":"1990-02-03T00:00:00Z","sex":"NOT_SPECIFIED","ethnicityCode":"X","#,
            r#""hireDate":"2020-01-06T00:00:00Z","name":{"familyName":"Sample","givenName":"Sam","#,
            r#""preferredName":"Sammy"},"legalId":{"legalIdType":"SSN","legalIdValue":"000006789"},"#,
            r#""locationId":"HERE","jobId":"J1","laborAssignmentId":"A1","#,
            r#""job":{"jobTitleId":"BAKER","title":"Baker"},"#,
            r#""organization":{"organizationId":"O1","name":"Ovens","number":"7"},"#,
            r#""supervisor":{"workerId":"W2","name":{"familyName":"Sample","givenName":"Sue"}},"#,
            r#""currentStatus":{"workerStatusId":"S1","statusType":"ACTIVE","statusReason":"HIRED","#,
            r#""effectiveDate":"2020-01-06T00:00:00Z"},"#,
            r#""communications":[{"communicationId":"CM","type":"STREET_ADDRESS","#,
            r#""usageType":"BUSINESS","city":"SAMPLETON","countryCode":"US"}],"#,
            r#""links":[{"rel":"self","href":"http://h/workers/W1"},"#,
            r#"{"rel":"communications","href":"http://h/workers/W1/communications"},"#,
            r#"{"rel":"payRates","href":"http://h/workers/W1/compensation/payrates"}]}"#,
        );
        assert_eq!(worker_json(MemberView::Full, true, true), expected);
        assert!(worker_json(MemberView::Full, false, true).contains(r#""legalIdValue":"*****6789""#));
    }

    #[test]
    fn impersonal_view_contains_no_personal_data() {
        let expected = concat!(
            r#"{"workerId":"W1","employeeId":"7","clockId":"77","workerType":"EMPLOYEE","#,
            r#""employmentType":"FULL_TIME","customEmploymentType":{"customEmploymentTypeId":"HYBRID","#,
            r#""customEmploymentTypeName":"Hybrid"},"exemptionType":"NON_EXEMPT","workState":"NY","#,
            r#""hireDate":"2020-01-06T00:00:00Z","#,
            r#""locationId":"HERE","jobId":"J1","laborAssignmentId":"A1","#,
            r#""job":{"jobTitleId":"BAKER","title":"Baker"},"#,
            r#""organization":{"organizationId":"O1","name":"Ovens","number":"7"},"#,
            r#""supervisor":{"workerId":"W2"},"#,
            r#""currentStatus":{"workerStatusId":"S1","statusType":"ACTIVE","statusReason":"HIRED","#,
            r#""effectiveDate":"2020-01-06T00:00:00Z"},"#,
            r#""links":[{"rel":"self","href":"http://h/workers/W1"}]}"#,
        );
        assert_eq!(worker_json(MemberView::Impersonal, true, false), expected);
    }

    #[test]
    fn a_roster_shows_each_worker_with_organization_and_job() {
        let expected = concat!(
            r#"{"workerId":"W1","employeeId":"7","clockId":"77","workerType":"EMPLOYEE","#,
            r#""employmentType":"FULL_TIME","name":{"familyName":"Sample","givenName":"Sam","#,
            r#""preferredName":"Sammy"},"locationId":"HERE","job":{"jobTitleId":"BAKER","title":"Baker"},"#,
            r#""organization":{"organizationId":"O1","name":"Ovens","number":"7"},"#,
            r#""currentStatus":{"workerStatusId":"S1","statusType":"ACTIVE","statusReason":"HIRED","#,
            r#""effectiveDate":"2020-01-06T00:00:00Z"},"#,
            r#""links":[{"rel":"self","href":"http://h/workers/W1"}]}"#,
        );
        assert_eq!(worker_json(MemberView::Roster, true, false), expected);
    }
}
