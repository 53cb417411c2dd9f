//! Checks ids and names that must be unique in a company, and references of objects to themselves.

use std::collections::{HashMap, HashSet};

use rust_decimal::Decimal;

use super::definitions::{DefinitionMismatch, Definitions};
use crate::check::{ProcessedCheck, Section};
use crate::code::Reason;
use crate::company::{Communication, Company, ContactType, Organization, Product};
use crate::complete_company::CompleteCompany;
use crate::custom_field::{CustomField, CustomFieldValue, DUPLICATE_CHOICE_MESSAGE};
use crate::object::values::MAX_ORGANIZATION_LEVELS;
#[cfg(feature = "server")]
use crate::resource::Resource;
use crate::violation::{DocumentPosition, Violation, Violations};
use crate::worker::custom_values::ValuePeriods;
use crate::worker::parts::{PartVisitor, visit_parts};
use crate::worker::{Worker, WorkerList, WorkerPart};

/// Checks that each id and name of the company is unique, and that no object is its own ancestor.
///
/// # Errors
/// Returns every fault, list by list.
pub(super) fn check_company(complete: &CompleteCompany) -> Result<(), Violations> {
    let mut met = UniquenessChecker::from_company(complete);
    for (at, worker) in complete.workers.iter().enumerate() {
        met.check_worker(worker, at);
    }
    met.into_result()
}

/// Verifies the rules of [`check_company`] that concern only a single object.
///
/// # Errors
/// Returns every fault of the object.
#[cfg(feature = "server")]
pub(super) fn check_object(resource: &Resource) -> Result<(), Violations> {
    let mut met = UniquenessChecker::default();
    match resource {
        Resource::Company(record) => {
            met.check_own_parent(&record.company);
            met.check_products(&record.products);
            met.check_communications(&record.company.communications, "");
        }
        Resource::Organization(unit) => met.check_cycles(std::slice::from_ref(unit), |_| String::new()),
        Resource::ContactType(contact_type) => met.check_relationship_types(contact_type, ""),
        Resource::CustomField(field) => met.check_choices(field, ""),
        Resource::Worker(worker) => met.check_worker_lists(worker, ""),
        Resource::CustomFieldCategory(_)
        | Resource::PayComponent(_)
        | Resource::PayPeriod(_)
        | Resource::Lookup(_) => {}
    }
    met.into_result()
}

/// The ids and names seen so far, by the name of the member that contains them. Each id or name must be
/// unique in the company, or in the object that contains it. The texts are copies, because the workers of a
/// large company are not all in memory.
#[derive(Default)]
pub(super) struct UniquenessChecker {
    texts: HashMap<&'static str, HashSet<Box<str>>>,
    part: FaultSection,
    /// The company's definitions, such as custom fields, with which the workers' values must agree.
    definitions: Definitions,
    faults: Vec<(FaultSection, Violation)>,
}

/// The sections of the list of faults, in the order in which they are reported.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FaultSection {
    #[default]
    Lists,
    Workers,
    Checks,
    InsideWorkers,
}

impl UniquenessChecker {
    /// Checks everything in a company except its workers. [`Self::check_worker`] checks each worker.
    pub(super) fn from_company(complete: &CompleteCompany) -> Self {
        let mut met = Self { definitions: Definitions::from_company(complete), ..Self::default() };
        met.check_own_parent(&complete.company);
        met.check_cycles(&complete.organizations, |at| format!("/organizations/{at}"));
        met.check_lists(complete);
        met.part = FaultSection::Checks;
        for (at, period) in complete.pay_periods.iter().enumerate() {
            let place = format!("/payPeriods/{at}/checks");
            met.check_texts(&period.processed_checks, &place, "paycheckId", |it| it.paycheck_id.as_str());
            for (at, check) in period.processed_checks.iter().enumerate() {
                met.check_lines(check, &format!("{place}/{at}"));
            }
        }
        met
    }

    /// Checks the worker at index `at` in the document's list of workers.
    pub(super) fn check_worker(&mut self, worker: &Worker, at: usize) {
        let place = format!("/workers/{at}");
        self.part = FaultSection::Workers;
        self.check_text("workerId", worker.worker_id.as_str(), || format!("{place}/workerId"));
        self.part = FaultSection::InsideWorkers;
        self.check_worker_lists(worker, &place);
    }

    /// Returns whether a worker with the given id was already read.
    #[cfg(feature = "server")]
    pub(super) fn has_worker(&self, id: &str) -> bool {
        self.texts.get("workerId").is_some_and(|ids| ids.contains(id))
    }

    /// Returns the faults of all objects. Call this function after the last object.
    ///
    /// # Errors
    /// Returns every fault, in the order of the sections.
    pub(super) fn into_result(self) -> Result<(), Violations> {
        let mut faults = self.faults;
        faults.sort_by_key(|(part, _)| *part);
        let place = |at| DocumentPosition { at: u32::try_from(at).unwrap_or(u32::MAX), rank: 0 };
        let numbered =
            faults.into_iter().enumerate().map(|(at, (_, fault))| Violation { position: place(at), ..fault });
        Violations::from_faults(numbered.collect()).map_or(Ok(()), Err)
    }

    fn check_own_parent(&mut self, company: &Company) {
        if company.parent_company_id.as_ref() == Some(&company.company_id) {
            self.report_fault("/parentCompanyId".to_owned(), "parentCompanyId must be another company");
        }
    }

    /// Adds a fault for each organization that is its own ancestor.
    fn check_cycles(&mut self, units: &[Organization], place: impl Fn(usize) -> String) {
        let parents: HashMap<&str, &str> = units
            .iter()
            .filter_map(|unit| {
                Some((unit.organization_id.as_str(), unit.parent_organization_id.as_ref()?.as_str()))
            })
            .collect();
        for (at, unit) in units.iter().enumerate() {
            let unit = unit.organization_id.as_str();
            let above = std::iter::successors(parents.get(unit), |above| parents.get(*above));
            // The path to the ancestors may lead into a cycle that does not contain this organization. Only
            // the organizations in the cycle are reported.
            if above.take(MAX_ORGANIZATION_LEVELS as usize).any(|above| *above == unit) {
                let pointer = format!("{}/parentOrganizationId", place(at));
                self.report_fault(
                    pointer,
                    "parentOrganizationId must not be the unit itself or a unit below it",
                );
            }
        }
    }

    fn check_lists(&mut self, complete: &CompleteCompany) {
        self.check_products(complete.products.as_deref().unwrap_or_default());
        self.check_communications(&complete.company.communications, "");
        self.check_texts(&complete.organizations, "/organizations", "organizationId", |it| {
            it.organization_id.as_str()
        });
        self.check_texts(&complete.contact_types, "/contactTypes", "contactTypeId", |it| {
            it.contact_type_id.as_str()
        });
        for (at, contact_type) in complete.contact_types.iter().enumerate() {
            self.check_relationship_types(contact_type, &format!("/contactTypes/{at}"));
        }
        complete.lookups.for_each_id(|kind, at, id| {
            let member = kind.id_member();
            self.check_text(member, id, || format!("/{}/{at}/{member}", kind.list_member()));
        });
        let segments = &complete.lookups.job_segments;
        let places = segments.iter().map(|segment| segment.segment_number.to_string());
        for (at, place) in places.enumerate() {
            self.check_text("segmentNumber", &place, || format!("/jobSegments/{at}/segmentNumber"));
        }
        for (at, status) in complete.lookups.worker_statuses.iter().enumerate() {
            let status = format!("{} {}", status.status_type, status.status_reason);
            self.check_text("statusReason", &status, || format!("/workerStatuses/{at}/statusReason"));
        }
        let categories = &complete.custom_field_categories;
        self.check_texts(categories, "/customFieldCategories", "categoryId", |it| it.category_id.as_str());
        self.check_custom_fields(complete);
        self.check_texts(&complete.pay_components, "/payComponents", "componentId", |it| {
            it.component_id.as_str()
        });
        self.check_texts(&complete.pay_periods, "/payPeriods", "payPeriodId", |it| {
            it.period.pay_period_id.as_str()
        });
    }

    /// Checks that entries of the same product have different start dates.
    fn check_products(&mut self, products: &[Product]) {
        let mut starts = HashSet::new();
        for (at, product) in products.iter().enumerate() {
            if !starts.insert((&product.product_code, product.start_date)) {
                let rule = "startDate must differ from that of an earlier element with the same product";
                self.report_fault(format!("/products/{at}/startDate"), rule);
            }
        }
    }

    fn check_communications(&mut self, communications: &[Communication], place: &str) {
        let place = format!("{place}/communications");
        self.check_nested_texts(communications, &place, "communicationId", |it| it.communication_id.as_str());
    }

    fn check_relationship_types(&mut self, contact_type: &ContactType, place: &str) {
        let place = format!("{place}/relationshipTypes");
        let types = &contact_type.relationship_types;
        self.check_nested_texts(types, &place, "relationshipTypeId", |it| it.relationship_type_id.as_str());
    }

    fn check_custom_fields(&mut self, complete: &CompleteCompany) {
        let fields = &complete.custom_fields;
        self.check_texts(fields, "/customFields", "customFieldId", |it| it.custom_field_id.as_str());
        self.check_texts(fields, "/customFields", "customFieldName", |it| &it.definition.name);
        for (at, field) in fields.iter().enumerate() {
            self.check_choices(field, &format!("/customFields/{at}"));
        }
    }

    fn check_choices(&mut self, field: &CustomField, place: &str) {
        let CustomFieldValue::Dropdown(choices) = &field.definition.value else { return };
        self.texts.remove("dropdownId");
        let mut values = HashSet::new();
        for (at, choice) in choices.iter().enumerate() {
            if !values.insert(&choice.value) {
                self.report_fault(format!("{place}/dropdown/{at}/dropdownValue"), DUPLICATE_CHOICE_MESSAGE);
            }
            let pointer = || format!("{place}/dropdown/{at}/dropdownId");
            let id = choice.dropdown_id.as_ref();
            id.into_iter().for_each(|id| self.check_text("dropdownId", id.as_str(), pointer));
        }
    }

    /// Checks the lines of a check. `check.lines` is one list, but the document has a list for each section.
    fn check_lines(&mut self, check: &ProcessedCheck, place: &str) {
        self.texts.remove("checkComponentId");
        for section in Section::ALL {
            let lines = check.lines.iter().filter(|line| line.section == *section);
            for (at, line) in lines.enumerate() {
                let pointer = || format!("{place}/{section}/{at}/checkComponentId");
                self.check_text("checkComponentId", line.check_component_id.as_str(), pointer);
            }
        }
    }

    fn check_worker_lists(&mut self, worker: &Worker, place: &str) {
        if worker.supervisor_id.as_ref() == Some(&worker.worker_id) {
            self.report_fault(
                format!("{place}/supervisor/workerId"),
                "workerId must not be the worker's own id",
            );
        }
        visit_parts(&mut PartIdChecker { seen: self, worker, place });
        self.check_time_off(worker, &format!("{place}/timeOff"));
        self.check_distributions(worker, &format!("{place}/assignmentDistributions"));
        self.check_contacts(worker, &format!("{place}/contacts"));
        let mut periods: HashMap<&str, ValuePeriods> = HashMap::new();
        for (at, value) in worker.custom_fields.iter().enumerate() {
            if !periods.entry(value.custom_field_id.as_str()).or_default().add_and_check_overlap(value) {
                let rule =
                    "customFieldId must not be that of another value that the worker has on the same days";
                self.report_fault(format!("{place}/customFields/{at}/customFieldId"), rule);
            }
        }
        for DefinitionMismatch { reason, pointer, sentence } in
            self.definitions.find_worker_mismatches(worker, place)
        {
            self.faults.push((
                self.part,
                Violation::new(reason, sentence).at_position(pointer, DocumentPosition::default()),
            ));
        }
        let mut states = HashSet::new();
        for (at, state) in worker.taxes.iter().flat_map(|taxes| &taxes.states).enumerate() {
            if !states.insert(&state.country_subdivision_code) {
                let rule = "the worker can have only one state tax setting with this countrySubdivisionCode";
                self.report_fault(format!("{place}/taxes/states/{at}/countrySubdivisionCode"), rule);
            }
            let mut ids = HashSet::new();
            for (nth, deduction) in state.deductions.iter().enumerate() {
                if !ids.insert(&deduction.deduction_id) {
                    let place = format!("{place}/taxes/states/{at}/workerTaxDeductions/{nth}");
                    let rule = "workerTaxDeductionId occurs more than once in the state";
                    self.report_fault(format!("{place}/workerTaxDeductionId"), rule);
                }
            }
        }
    }

    /// Checks that each time off policy has at most one balance.
    fn check_time_off(&mut self, worker: &Worker, place: &str) {
        let mut policies = HashSet::new();
        for (at, balance) in worker.time_off.iter().enumerate() {
            if !policies.insert(&balance.policy_id) {
                self.report_fault(
                    format!("{place}/{at}/policyId"),
                    "policyId occurs more than once for the worker",
                );
            }
        }
    }

    /// Checks that the distributions add up to 100 percent, and that no two distributions have the same job
    /// and labor assignment.
    fn check_distributions(&mut self, worker: &Worker, place: &str) {
        let parts = &worker.assignment_distributions;
        let mut booked = HashSet::new();
        for (at, part) in parts.iter().enumerate() {
            if !booked.insert((&part.job_id, &part.labor_assignment_id)) {
                let rule = "jobId and laborAssignmentId must differ from those of the other distributions";
                self.report_fault(format!("{place}/{at}/jobId"), rule);
            }
        }
        let total: Decimal = parts.iter().map(|part| part.value.value()).sum();
        if !parts.is_empty() && total != Decimal::ONE_HUNDRED {
            let rule =
                format!("the values of assignmentDistributions must add up to 100, but add up to {total}");
            self.report_fault(place.to_owned(), &rule);
        }
    }

    /// Checks that at most one contact of each type is primary, and that the ids inside a contact differ.
    fn check_contacts(&mut self, worker: &Worker, place: &str) {
        let mut primary = HashSet::new();
        for (at, contact) in worker.contacts.iter().enumerate() {
            let relationship = format!("{place}/{at}/relationship");
            if contact.relationship.primary && !primary.insert(&contact.contact_type_id) {
                let rule = "primary can be true for only one contact of each contact type";
                self.report_fault(format!("{relationship}/primary"), rule);
            }
            let mut ids = HashSet::new();
            for (inside, id) in contact.communication_ids() {
                if !ids.insert(id) {
                    let rule = "communicationId must differ from the others of the same contact";
                    self.report_fault(format!("{relationship}/{inside}/communicationId"), rule);
                }
            }
        }
    }

    /// Records one member of each element of a list, such as its id. Adds a fault if an earlier element has
    /// the same text in that member.
    fn check_texts<T>(&mut self, list: &[T], place: &str, member: &'static str, text: impl Fn(&T) -> &str) {
        for (at, element) in list.iter().enumerate() {
            self.check_text(member, text(element), || format!("{place}/{at}/{member}"));
        }
    }

    /// Checks texts like [`Self::check_texts`], but for a list inside another object. The texts only have to
    /// be unique within this list.
    fn check_nested_texts<T>(
        &mut self,
        list: &[T],
        place: &str,
        member: &'static str,
        text: impl Fn(&T) -> &str,
    ) {
        self.texts.remove(member);
        self.check_texts(list, place, member, text);
    }

    fn check_text(&mut self, member: &'static str, text: &str, pointer: impl FnOnce() -> String) {
        let met = self.texts.entry(member).or_default();
        if met.contains(text) {
            self.report_fault(pointer(), &format!("{member} occurs more than once"));
        } else {
            met.insert(text.into());
        }
    }

    fn report_fault(&mut self, pointer: String, description: &str) {
        let fault = Violation::new(Reason::FieldInvalid, description)
            .at_position(pointer, DocumentPosition::default());
        self.faults.push((self.part, fault));
    }
}

/// A visitor that checks, for each list of a worker, that the ids of its elements differ.
struct PartIdChecker<'m, 'w> {
    seen: &'m mut UniquenessChecker,
    worker: &'w Worker,
    place: &'w str,
}

impl PartVisitor for PartIdChecker<'_, '_> {
    fn visit<T: WorkerPart>(&mut self) {
        let WorkerList { member, id_member } = T::LIST;
        let place = format!("{}/{member}", self.place);
        self.seen.check_nested_texts(T::elements(self.worker), &place, id_member, T::id);
    }
}
