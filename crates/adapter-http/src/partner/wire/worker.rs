//! A worker (specification §11.13), as much of them as a media type shows.

use payroll_domain::check::OrganizationLabel;
use payroll_domain::company::Communication;
use payroll_domain::worker::{CurrentStatus, Job, Name, Worker};
use payroll_ports::workers::WorkerView;
use serde::Serialize;

use super::company::LegalIdResource;
use crate::shared::wire::described::DescribedResource;
use crate::shared::wire::link::{Href, Link};
use crate::shared::wire::value::Day;

/// How much of a worker is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Everything that partners may see.
    Whole,
    /// Nothing personal: who is to be paid, and not who that is.
    Impersonal,
    /// The same, and what they can be reached by.
    ImpersonalWithCommunications,
    /// What a roster lists: who works where as what.
    Roster,
}

impl Shown {
    const fn has_communications(self) -> bool {
        matches!(self, Self::Whole | Self::ImpersonalWithCommunications)
    }

    const fn has_name(self) -> bool {
        matches!(self, Self::Whole | Self::Roster)
    }
}

/// What a worker looks like depends on who asks and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkerContext<'a> {
    /// The address that links begin with.
    pub(crate) base: &'a str,
    /// How much is shown.
    pub(crate) shown: Shown,
    /// The caller may see tax identities of persons whole.
    pub(crate) whole_tax_ids: bool,
    /// The caller may read what workers can be reached by.
    pub(crate) to_communications: bool,
    /// The caller may read pay rates.
    pub(crate) to_pay_rates: bool,
}

/// A worker.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkerResource<'a> {
    worker_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    employee_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_id: Option<&'a str>,
    worker_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    employment_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_employment_type: Option<CustomTypeResource<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exemption_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work_state: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    birth_date: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sex: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ethnicity_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hire_date: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<NameResource<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_id: Option<LegalIdResource<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labor_assignment_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<JobResource<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization: Option<OrganizationResource<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supervisor: Option<SupervisorResource<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_status: Option<StatusResource<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    communications: Vec<DescribedResource<'a, Communication>>,
    links: Vec<Link<'a>>,
}

impl<'a> WorkerResource<'a> {
    /// The worker, as the context has them.
    pub(crate) fn new(view: &'a WorkerView, context: WorkerContext<'a>) -> Self {
        let worker = &view.worker;
        // What only a person's own record shows, and what a roster leaves out besides.
        let personal = context.shown == Shown::Whole;
        let beyond_roster = context.shown != Shown::Roster;
        let legal_id = |id| LegalIdResource::new(id, context.whole_tax_ids);
        let communications =
            if context.shown.has_communications() { worker.communications.as_slice() } else { &[] };
        Self {
            worker_id: worker.worker_id.as_str(),
            employee_id: worker.employee_id.as_deref(),
            clock_id: worker.clock_id.as_deref(),
            worker_type: worker.worker_type.as_str(),
            employment_type: worker.employment_type.map(|kind| kind.as_str()),
            custom_employment_type: CustomTypeResource::of(view).filter(|_| beyond_roster),
            exemption_type: worker.exemption_type.map(|kind| kind.as_str()).filter(|_| beyond_roster),
            work_state: worker.work_state.as_deref().filter(|_| beyond_roster),
            birth_date: worker.birth_date.map(Day).filter(|_| personal),
            sex: worker.sex.map(|sex| sex.as_str()).filter(|_| personal),
            ethnicity_code: worker.ethnicity_code.as_deref().filter(|_| personal),
            hire_date: worker.hire_date.map(Day).filter(|_| beyond_roster),
            name: context.shown.has_name().then(|| NameResource::new(&worker.name)),
            legal_id: worker.legal_id.as_ref().filter(|_| personal).map(legal_id),
            location_id: worker.location_id.as_ref().map(|id| id.as_str()),
            job_id: worker.job_id.as_ref().map(|id| id.as_str()).filter(|_| beyond_roster),
            labor_assignment_id: worker
                .labor_assignment_id
                .as_ref()
                .map(|id| id.as_str())
                .filter(|_| beyond_roster),
            job: worker.job.as_ref().map(JobResource::new),
            organization: view.organization.as_ref().map(OrganizationResource::new),
            supervisor: SupervisorResource::of(view, personal).filter(|_| beyond_roster),
            current_status: worker.current_status.as_ref().map(StatusResource::new),
            communications: communications.iter().map(DescribedResource::bare).collect(),
            links: links(worker, context),
        }
    }
}

/// A worker's links: to what the caller may read.
fn links<'a>(worker: &'a Worker, context: WorkerContext<'a>) -> Vec<Link<'a>> {
    let (base, worker_id) = (context.base, &worker.worker_id);
    let to = |rel, path| Link { rel, href: Href::OfWorker { base, worker_id, path } };
    let communications = context.to_communications.then(|| to("communications", "communications"));
    let pay_rates = context.to_pay_rates.then(|| to("payRates", "compensation/payrates"));
    let own = Link::own(Href::Worker { base, worker_id });
    [Some(own), communications, pay_rates].into_iter().flatten().collect()
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CustomTypeResource<'a> {
    custom_employment_type_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_employment_type_name: Option<&'a str>,
}

impl<'a> CustomTypeResource<'a> {
    fn of(view: &'a WorkerView) -> Option<Self> {
        let id = view.worker.custom_employment_type_id.as_ref()?;
        let custom_employment_type_name = view.custom_employment_type_name.as_deref();
        Some(Self { custom_employment_type_id: id.as_str(), custom_employment_type_name })
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NameResource<'a> {
    family_name: &'a str,
    given_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    middle_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preferred_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualification_affix_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title_affix_code: Option<&'a str>,
}

impl<'a> NameResource<'a> {
    fn new(name: &'a Name) -> Self {
        Self {
            family_name: &name.family_name,
            given_name: &name.given_name,
            middle_name: name.middle_name.as_deref(),
            preferred_name: name.preferred_name.as_deref(),
            qualification_affix_code: name.qualification_affix_code.as_deref(),
            title_affix_code: name.title_affix_code.as_deref(),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JobResource<'a> {
    job_title_id: &'a str,
    title: &'a str,
}

impl<'a> JobResource<'a> {
    fn new(job: &'a Job) -> Self {
        Self { job_title_id: job.job_title_id.as_str(), title: &job.title }
    }
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
    fn of(view: &'a WorkerView, with_name: bool) -> Option<Self> {
        let worker_id = view.worker.supervisor_id.as_ref()?.as_str();
        let name = view.supervisor_name.as_ref().filter(|_| with_name);
        let name = name.map(|(family_name, given_name)| ShortNameResource { family_name, given_name });
        Some(Self { worker_id, name })
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusResource<'a> {
    worker_status_id: &'a str,
    status_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_reason: Option<&'a str>,
    effective_date: Day,
}

impl<'a> StatusResource<'a> {
    fn new(status: &'a CurrentStatus) -> Self {
        Self {
            worker_status_id: status.worker_status_id.as_str(),
            status_type: status.status_type.as_str(),
            status_reason: status.status_reason.as_deref(),
            effective_date: Day(status.effective_date),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;

    fn shown(shown: Shown, whole_tax_ids: bool, to_all: bool) -> String {
        let context = WorkerContext {
            base: "http://h",
            shown,
            whole_tax_ids,
            to_communications: to_all,
            to_pay_rates: to_all,
        };
        serde_json::to_string(&WorkerResource::new(&samples::worker(), context)).unwrap()
    }

    #[test]
    fn a_worker_shows_their_members_in_order() {
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
        assert_eq!(shown(Shown::Whole, true, true), expected);
        assert!(shown(Shown::Whole, false, true).contains(r#""legalIdValue":"*****6789""#));
    }

    #[test]
    fn without_anything_personal_nobody_can_be_told_by_name() {
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
        assert_eq!(shown(Shown::Impersonal, true, false), expected);
    }

    #[test]
    fn a_roster_lists_who_works_where_as_what() {
        let expected = concat!(
            r#"{"workerId":"W1","employeeId":"7","clockId":"77","workerType":"EMPLOYEE","#,
            r#""employmentType":"FULL_TIME","name":{"familyName":"Sample","givenName":"Sam","#,
            r#""preferredName":"Sammy"},"locationId":"HERE","job":{"jobTitleId":"BAKER","title":"Baker"},"#,
            r#""organization":{"organizationId":"O1","name":"Ovens","number":"7"},"#,
            r#""currentStatus":{"workerStatusId":"S1","statusType":"ACTIVE","statusReason":"HIRED","#,
            r#""effectiveDate":"2020-01-06T00:00:00Z"},"#,
            r#""links":[{"rel":"self","href":"http://h/workers/W1"}]}"#,
        );
        assert_eq!(shown(Shown::Roster, true, false), expected);
    }
}
