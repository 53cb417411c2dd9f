//! Ids and names that may stand once in a company, and objects that may not refer to themselves.

use std::collections::{HashMap, HashSet};

use super::values::LEVELS;
use crate::check::{ProcessedCheck, Section};
use crate::code::Reason;
use crate::company::WholeCompany;
use crate::violation::{Place, Violation, Violations};
use crate::worker::Worker;

/// Judges that each id and name of the company stands once, and that nothing is its own parent.
///
/// # Errors
/// Every fault, list by list.
pub(super) fn judge(whole: &WholeCompany) -> Result<(), Violations> {
    let mut met = Met::default();
    met.parents(whole);
    met.lists(whole);
    for (at, period) in whole.pay_periods.iter().enumerate() {
        let place = format!("/payPeriods/{at}/checks");
        met.each(&period.processed_checks, &place, "paycheckId", |it| it.paycheck_id.as_str());
        for (at, check) in period.processed_checks.iter().enumerate() {
            met.lines(check, &format!("{place}/{at}"));
        }
    }
    for (at, worker) in whole.workers.iter().enumerate() {
        met.worker(worker, &format!("/workers/{at}"));
    }
    Violations::collect(met.faults).map_or(Ok(()), Err)
}

/// What has been met so far, each kind of id or name under the name of its member.
#[derive(Default)]
struct Met<'a> {
    texts: HashMap<&'static str, HashSet<&'a str>>,
    faults: Vec<Violation>,
}

impl<'a> Met<'a> {
    fn parents(&mut self, whole: &WholeCompany) {
        if whole.company.parent_company_id.as_ref() == Some(&whole.company.company_id) {
            self.fault("/parentCompanyId".to_owned(), "parentCompanyId must be another company");
        }
        let units = whole.organizations.iter();
        let parents: HashMap<&str, &str> = units
            .filter_map(|unit| {
                Some((unit.organization_id.as_str(), unit.parent_organization_id.as_ref()?.as_str()))
            })
            .collect();
        for (at, unit) in whole.organizations.iter().enumerate() {
            let unit = unit.organization_id.as_str();
            let above = std::iter::successors(parents.get(unit), |above| parents.get(*above));
            // A walk that enters a circle without this unit ends here too, and is not its fault.
            if above.take(LEVELS as usize).any(|above| *above == unit) {
                let pointer = format!("/organizations/{at}/parentOrganizationId");
                self.fault(pointer, "parentOrganizationId must not lead back to the unit itself");
            }
        }
    }

    fn lists(&mut self, whole: &'a WholeCompany) {
        self.products(whole);
        let own = &whole.company.communications;
        self.each(own, "/communications", "communicationId", |it| it.communication_id.as_str());
        self.each(&whole.organizations, "/organizations", "organizationId", |it| it.organization_id.as_str());
        self.each(&whole.contact_types, "/contactTypes", "contactTypeId", |it| it.contact_type_id.as_str());
        for (at, contact_type) in whole.contact_types.iter().enumerate() {
            let place = format!("/contactTypes/{at}/relationshipTypes");
            let types = &contact_type.relationship_types;
            self.each(types, &place, "relationshipTypeId", |it| it.relationship_type_id.as_str());
        }
        let types = &whole.custom_employment_types;
        self.each(types, "/customEmploymentTypes", "customEmploymentTypeId", |it| {
            it.custom_employment_type_id.as_str()
        });
        let categories = &whole.custom_field_categories;
        self.each(categories, "/customFieldCategories", "categoryId", |it| it.category_id.as_str());
        self.custom_fields(whole);
        let bases = &whole.calculation_bases;
        self.each(bases, "/calculationBases", "calculationBaseId", |it| it.calculation_base_id.as_str());
        self.each(&whole.pay_components, "/payComponents", "componentId", |it| it.component_id.as_str());
        self.each(&whole.pay_periods, "/payPeriods", "payPeriodId", |it| it.period.pay_period_id.as_str());
        self.each(&whole.workers, "/workers", "workerId", |it| it.worker_id.as_str());
    }

    /// A product may come more than once, with a time of its own each.
    fn products(&mut self, whole: &WholeCompany) {
        let mut starts = HashSet::new();
        for (at, product) in whole.products.iter().flatten().enumerate() {
            if !starts.insert((&product.product_code, product.start_date)) {
                let rule = "startDate must differ from that of the same product before";
                self.fault(format!("/products/{at}/startDate"), rule);
            }
        }
    }

    fn custom_fields(&mut self, whole: &'a WholeCompany) {
        let fields = &whole.custom_fields;
        self.each(fields, "/customFields", "customFieldId", |it| it.custom_field_id.as_str());
        self.each(fields, "/customFields", "customFieldName", |it| &it.definition.name);
        for (at, field) in fields.iter().enumerate() {
            let crate::custom_field::CustomFieldValue::Dropdown(choices) = &field.definition.value else {
                continue;
            };
            for (choice_at, choice) in choices.iter().enumerate() {
                let pointer = || format!("/customFields/{at}/dropdown/{choice_at}/dropdownId");
                let id = choice.dropdown_id.as_ref();
                id.into_iter().for_each(|id| self.one("dropdownId", id.as_str(), pointer));
            }
        }
    }

    /// The lines of a check: they stand in one list, the document has one for each section.
    fn lines(&mut self, check: &'a ProcessedCheck, place: &str) {
        for section in Section::ALL {
            let lines = check.lines.iter().filter(|line| line.section == *section);
            for (at, line) in lines.enumerate() {
                let pointer = || format!("{place}/{section}/{at}/checkComponentId");
                self.one("checkComponentId", line.check_component_id.as_str(), pointer);
            }
        }
    }

    fn worker(&mut self, worker: &'a Worker, place: &str) {
        let communications = format!("{place}/communications");
        self.each(&worker.communications, &communications, "communicationId", |it| {
            it.communication_id.as_str()
        });
        self.each(&worker.pay_rates, &format!("{place}/payRates"), "rateId", |it| it.rate_id.as_str());
        let components = format!("{place}/recurringComponents");
        self.each(&worker.recurring_components, &components, "workerComponentId", |it| {
            it.worker_component_id.as_str()
        });
        if let Some(status) = &worker.current_status {
            let pointer = || format!("{place}/currentStatus/workerStatusId");
            self.one("workerStatusId", status.worker_status_id.as_str(), pointer);
        }
        let mut states = HashSet::new();
        for (at, state) in worker.taxes.iter().flat_map(|taxes| &taxes.states).enumerate() {
            if !states.insert(&state.country_subdivision_code) {
                let rule = "countrySubdivisionCode stands more than once for the worker";
                self.fault(format!("{place}/taxes/states/{at}/countrySubdivisionCode"), rule);
            }
        }
    }

    /// Meets a text of each element of a list.
    fn each<T>(&mut self, list: &'a [T], place: &str, member: &'static str, text: impl Fn(&'a T) -> &'a str) {
        for (at, element) in list.iter().enumerate() {
            self.one(member, text(element), || format!("{place}/{at}/{member}"));
        }
    }

    fn one(&mut self, member: &'static str, text: &'a str, pointer: impl FnOnce() -> String) {
        if !self.texts.entry(member).or_default().insert(text) {
            self.fault(pointer(), &format!("{member} stands more than once in the company"));
        }
    }

    fn fault(&mut self, pointer: String, description: &str) {
        let at = u32::try_from(self.faults.len()).unwrap_or(u32::MAX);
        let violation = Violation::new(Reason::FieldInvalid, description);
        self.faults.push(violation.at(pointer, Place { at, rank: 0 }));
    }
}
