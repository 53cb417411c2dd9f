//! What the objects of a company refer to, beyond what stands in the same document.

use std::collections::HashSet;

use crate::company::WholeCompany;
use crate::named::named;
use crate::worker::Worker;

named! {
    /// What a reference leads to, in words for a sentence.
    Target {
        /// Another company of this server.
        Company = "company",
        /// A unit of the same company.
        Organization = "organization",
        /// A calculation base of the same company.
        CalculationBase = "calculation base",
        /// A custom employment type of the same company.
        CustomEmploymentType = "custom employment type",
        /// A category of custom fields of the same company.
        CustomFieldCategory = "category of custom fields",
        /// A pay component of the same company.
        PayComponent = "pay component",
        /// A worker of the same company.
        Worker = "worker",
    }
}

/// An id in a document that names another object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// What it leads to.
    pub target: Target,
    /// The id.
    pub id: &'a str,
    /// JSON Pointer to the id in the company's document.
    pub pointer: String,
}

/// The references of a company that its document does not answer itself, in the order of the
/// document: they must be stored already, which only a store can tell.
///
/// Lines of processed checks refer to nothing: they show components, units and jobs as they were,
/// and those may be gone.
#[must_use]
pub fn open_references(whole: &WholeCompany) -> Vec<Reference<'_>> {
    let known = known(whole);
    let mut all = Vec::new();
    collect_references(whole, &mut |target, id, pointer| all.push(Reference { target, id, pointer }));
    all.retain(|reference| !known.contains(&(reference.target, reference.id)));
    all
}

/// Everything that the document itself defines. A company's parent is always another company.
fn known(whole: &WholeCompany) -> HashSet<(Target, &str)> {
    let organizations =
        whole.organizations.iter().map(|it| (Target::Organization, it.organization_id.as_str()));
    let bases =
        whole.calculation_bases.iter().map(|it| (Target::CalculationBase, it.calculation_base_id.as_str()));
    let employment = whole.custom_employment_types.iter();
    let employment =
        employment.map(|it| (Target::CustomEmploymentType, it.custom_employment_type_id.as_str()));
    let categories = whole.custom_field_categories.iter();
    let categories = categories.map(|it| (Target::CustomFieldCategory, it.category_id.as_str()));
    let components = whole.pay_components.iter().map(|it| (Target::PayComponent, it.component_id.as_str()));
    let workers = whole.workers.iter().map(|it| (Target::Worker, it.worker_id.as_str()));
    organizations.chain(bases).chain(employment).chain(categories).chain(components).chain(workers).collect()
}

fn collect_references<'a>(whole: &'a WholeCompany, note: &mut impl FnMut(Target, &'a str, String)) {
    if let Some(parent) = &whole.company.parent_company_id {
        note(Target::Company, parent.as_str(), "/parentCompanyId".to_owned());
    }
    for (at, organization) in whole.organizations.iter().enumerate() {
        if let Some(parent) = &organization.parent_organization_id {
            note(Target::Organization, parent.as_str(), format!("/organizations/{at}/parentOrganizationId"));
        }
    }
    for (at, field) in whole.custom_fields.iter().enumerate() {
        if let Some(category) = &field.definition.category_id {
            note(Target::CustomFieldCategory, category.as_str(), format!("/customFields/{at}/categoryId"));
        }
    }
    for (at, period) in whole.pay_periods.iter().enumerate() {
        for (check_at, check) in period.processed_checks.iter().enumerate() {
            let pointer = format!("/payPeriods/{at}/checks/{check_at}/workerId");
            note(Target::Worker, check.worker_id.as_str(), pointer);
        }
    }
    for (at, worker) in whole.workers.iter().enumerate() {
        collect_references_of_worker(worker, &format!("/workers/{at}"), note);
    }
}

fn collect_references_of_worker<'a>(
    worker: &'a Worker,
    place: &str,
    note: &mut impl FnMut(Target, &'a str, String),
) {
    if let Some(id) = &worker.custom_employment_type_id {
        let pointer = format!("{place}/customEmploymentType/customEmploymentTypeId");
        note(Target::CustomEmploymentType, id.as_str(), pointer);
    }
    if let Some(id) = &worker.organization_id {
        note(Target::Organization, id.as_str(), format!("{place}/organization/organizationId"));
    }
    if let Some(id) = &worker.supervisor_id {
        note(Target::Worker, id.as_str(), format!("{place}/supervisor/workerId"));
    }
    for (at, component) in worker.recurring_components.iter().enumerate() {
        let place = format!("{place}/recurringComponents/{at}");
        note(Target::PayComponent, component.component_id.as_str(), format!("{place}/componentId"));
        if let Some(base) = &component.calculation_base_id {
            note(Target::CalculationBase, base.as_str(), format!("{place}/calculationBaseId"));
        }
    }
}
