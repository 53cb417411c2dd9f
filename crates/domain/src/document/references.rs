//! The references of a company's objects to objects outside the document.

use std::collections::HashSet;

use crate::company::{Company, Organization};
use crate::complete_company::CompleteCompany;
use crate::custom_field::CustomField;
use crate::lookup::LookupKind;
use crate::resource::{Resource, ResourceKind};
use crate::worker::Worker;

/// An id in a document that refers to another object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The kind of the object to which the document refers.
    pub target: ResourceKind,
    /// The id of the object to which the document refers.
    pub id: &'a str,
    /// JSON Pointer to the id in the document.
    pub pointer: String,
}

/// Returns the references to objects that the document does not define, in the order of the document. Only
/// the storage knows whether these objects exist.
///
/// Lines of processed checks contain no references. They show the components, organizations and jobs at the
/// time of processing, which may have been deleted since.
#[must_use]
pub fn collect_external_references(complete: &CompleteCompany) -> Vec<Reference<'_>> {
    let known = collect_defined_objects(complete);
    let mut all = Vec::new();
    let note = &mut |target, id, pointer| all.push(Reference { target, id, pointer });
    visit_list_references(complete, note);
    for (at, worker) in complete.workers.iter().enumerate() {
        visit_worker_references(worker, &format!("/workers/{at}"), note);
    }
    all.retain(|reference| !known.contains(&(reference.target, reference.id)));
    all
}

/// Returns the references of one object in the order of its document. The pointers are relative to that
/// document.
///
/// ```
/// use payroll_domain::document::{collect_references, read_resource_document};
/// use payroll_domain::{input, resource::ResourceKind};
/// let node = input::parse(br#"{"organizationId": "U-2", "name": "Bakery", "parentOrganizationId": "U-1"}"#);
/// let unit = read_resource_document(ResourceKind::Organization, &node.unwrap()).unwrap();
/// let above = &collect_references(&unit)[0];
/// assert_eq!((above.target, above.id), (ResourceKind::Organization, "U-1"));
/// assert_eq!(above.pointer, "/parentOrganizationId");
/// ```
#[must_use]
pub fn collect_references(resource: &Resource) -> Vec<Reference<'_>> {
    let mut all = Vec::new();
    let mut note = |target, id, pointer| all.push(Reference { target, id, pointer });
    match resource {
        Resource::Company(record) => visit_company_references(&record.company, &mut note),
        Resource::Organization(unit) => visit_organization_references(unit, "", &mut note),
        Resource::CustomField(field) => visit_custom_field_references(field, "", &mut note),
        Resource::Worker(worker) => {
            visit_worker_references(worker, "", &mut note);
            visit_maintained_list_references(worker, &mut note);
        }
        Resource::ContactType(_)
        | Resource::CustomFieldCategory(_)
        | Resource::PayComponent(_)
        | Resource::PayPeriod(_)
        | Resource::Lookup(_) => {}
    }
    all
}

/// Returns all objects that the document itself defines. The company is not among them, because the parent of
/// a company is always another company.
pub(super) fn collect_defined_objects(complete: &CompleteCompany) -> HashSet<(ResourceKind, &str)> {
    let organizations =
        complete.organizations.iter().map(|it| (ResourceKind::Organization, it.organization_id.as_str()));
    let categories = complete.custom_field_categories.iter();
    let categories = categories.map(|it| (ResourceKind::CustomFieldCategory, it.category_id.as_str()));
    let components = complete.pay_components.iter();
    let components = components.map(|it| (ResourceKind::PayComponent, it.component_id.as_str()));
    let fields =
        complete.custom_fields.iter().map(|it| (ResourceKind::CustomField, it.custom_field_id.as_str()));
    let workers = complete.workers.iter().map(|it| (ResourceKind::Worker, it.worker_id.as_str()));
    let contact_types =
        complete.contact_types.iter().map(|it| (ResourceKind::ContactType, it.contact_type_id.as_str()));
    let lists = organizations.chain(categories).chain(components).chain(fields).chain(contact_types);
    let mut known: HashSet<_> = lists.chain(workers).collect();
    complete.lookups.for_each_id(|kind, _, id| _ = known.insert((ResourceKind::Lookup(kind), id)));
    known
}

/// Calls `note` with every reference in a company document, except the references of its workers.
pub(super) fn visit_list_references<'a>(
    complete: &'a CompleteCompany,
    note: &mut impl FnMut(ResourceKind, &'a str, String),
) {
    visit_company_references(&complete.company, note);
    for (at, unit) in complete.organizations.iter().enumerate() {
        visit_organization_references(unit, &format!("/organizations/{at}"), note);
    }
    for (at, field) in complete.custom_fields.iter().enumerate() {
        visit_custom_field_references(field, &format!("/customFields/{at}"), note);
    }
    for (at, period) in complete.pay_periods.iter().enumerate() {
        for (check_at, check) in period.processed_checks.iter().enumerate() {
            let pointer = format!("/payPeriods/{at}/checks/{check_at}/workerId");
            note(ResourceKind::Worker, check.worker_id.as_str(), pointer);
        }
    }
}

fn visit_company_references<'a>(company: &'a Company, note: &mut impl FnMut(ResourceKind, &'a str, String)) {
    if let Some(parent) = &company.parent_company_id {
        note(ResourceKind::Company, parent.as_str(), "/parentCompanyId".to_owned());
    }
}

fn visit_organization_references<'a>(
    unit: &'a Organization,
    place: &str,
    note: &mut impl FnMut(ResourceKind, &'a str, String),
) {
    if let Some(parent) = &unit.parent_organization_id {
        note(ResourceKind::Organization, parent.as_str(), format!("{place}/parentOrganizationId"));
    }
}

fn visit_custom_field_references<'a>(
    field: &'a CustomField,
    place: &str,
    note: &mut impl FnMut(ResourceKind, &'a str, String),
) {
    if let Some(category) = &field.definition.category_id {
        note(ResourceKind::CustomFieldCategory, category.as_str(), format!("{place}/categoryId"));
    }
}

/// Returns whether a company may maintain the lookup list of this kind in another system. If this server
/// stores no object of the kind for the company, references to the list may contain any id.
#[must_use]
pub const fn is_externally_maintained(kind: LookupKind) -> bool {
    match kind {
        LookupKind::CompanyJob
        | LookupKind::CompanyJobTitle
        | LookupKind::LaborAssignment
        | LookupKind::Location => true,
        LookupKind::CalculationBase
        | LookupKind::CompanyStatus
        | LookupKind::CompanyUser
        | LookupKind::CustomEmploymentType
        | LookupKind::DocumentCategory
        | LookupKind::JobSegment
        | LookupKind::PayFrequency => false,
    }
}

/// Calls `note` with the references of a worker to lists that may be maintained in another system. Imports do
/// not check these references.
fn visit_maintained_list_references<'a>(
    worker: &'a Worker,
    note: &mut impl FnMut(ResourceKind, &'a str, String),
) {
    let title = worker.job.as_ref().map(|job| &job.job_title_id);
    let references = [
        (LookupKind::Location, worker.location_id.as_ref(), "/locationId"),
        (LookupKind::CompanyJob, worker.job_id.as_ref(), "/jobId"),
        (LookupKind::LaborAssignment, worker.labor_assignment_id.as_ref(), "/laborAssignmentId"),
        (LookupKind::CompanyJobTitle, title, "/job/jobTitleId"),
    ];
    for (kind, id, pointer) in references {
        if let Some(id) = id {
            note(ResourceKind::Lookup(kind), id.as_str(), pointer.to_owned());
        }
    }
    for (at, part) in worker.assignment_distributions.iter().enumerate() {
        let references = [
            (LookupKind::CompanyJob, part.job_id.as_ref(), "jobId"),
            (LookupKind::LaborAssignment, part.labor_assignment_id.as_ref(), "laborAssignmentId"),
        ];
        for (kind, id, member) in references {
            if let Some(id) = id {
                let pointer = format!("/assignmentDistributions/{at}/{member}");
                note(ResourceKind::Lookup(kind), id.as_str(), pointer);
            }
        }
    }
}

/// Calls `note` with the references of a worker. `place` is the JSON pointer of the worker's document.
pub(super) fn visit_worker_references<'a>(
    worker: &'a Worker,
    place: &str,
    note: &mut impl FnMut(ResourceKind, &'a str, String),
) {
    if let Some(id) = &worker.custom_employment_type_id {
        let pointer = format!("{place}/customEmploymentType/customEmploymentTypeId");
        note(ResourceKind::Lookup(LookupKind::CustomEmploymentType), id.as_str(), pointer);
    }
    if let Some(id) = &worker.organization_id {
        note(ResourceKind::Organization, id.as_str(), format!("{place}/organization/organizationId"));
    }
    if let Some(id) = &worker.supervisor_id {
        note(ResourceKind::Worker, id.as_str(), format!("{place}/supervisor/workerId"));
    }
    for (at, component) in worker.recurring_components.iter().enumerate() {
        let place = format!("{place}/recurringComponents/{at}");
        note(ResourceKind::PayComponent, component.component_id.as_str(), format!("{place}/componentId"));
        if let Some(base) = &component.calculation_base_id {
            note(
                ResourceKind::Lookup(LookupKind::CalculationBase),
                base.as_str(),
                format!("{place}/calculationBaseId"),
            );
        }
    }
    for (at, contact) in worker.contacts.iter().enumerate() {
        let pointer = format!("{place}/contacts/{at}/contactType/contactTypeId");
        note(ResourceKind::ContactType, contact.contact_type_id.as_str(), pointer);
    }
    for (at, value) in worker.custom_fields.iter().enumerate() {
        let pointer = format!("{place}/customFields/{at}/customFieldId");
        note(ResourceKind::CustomField, value.custom_field_id.as_str(), pointer);
    }
}
