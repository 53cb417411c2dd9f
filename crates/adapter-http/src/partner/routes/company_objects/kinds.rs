//! The kinds of company objects that partners write. Each kind implements [`CompanyObject`].

use futures_util::TryStreamExt;
use payroll_domain::custom_field::{
    self, CategoryDefinition, CustomField, CustomFieldCategory, CustomFieldDefinition, CustomFieldFacts,
    CustomFieldValue,
};
use payroll_domain::date::Date;
use payroll_domain::id::CompanyId;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::job::{self, JobFacts};
use payroll_domain::lookup::{CompanyJob, Lookup, LookupKind, LookupObject};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violations;
use payroll_ports::Window;
use payroll_ports::filters::LookupFilter;
use payroll_ports::setup::SetupList;

use super::CompanyObject;
use crate::partner::call::PartnerCall;
use crate::shared::error::Failure;
use crate::shared::media_type::VendorTypes;

impl CompanyObject for CustomField {
    const KIND: ResourceKind = ResourceKind::CustomField;

    type Facts = CustomFieldFacts;

    /// Returns the same two vendor media types for POST and for a single field, because clients send either
    /// type.
    fn media_types(types: &VendorTypes) -> [Vec<&str>; 2] {
        [vec![&types.custom_fields, &types.custom_field], vec![&types.custom_field, &types.custom_fields]]
    }

    async fn read_facts(call: &PartnerCall, company_id: &CompanyId) -> Result<CustomFieldFacts, Failure> {
        read_authorized_field_facts(call, company_id).await
    }

    fn create(sent: &Node<'_>, facts: CustomFieldFacts, ids: &mut IdSequence) -> Result<Self, Violations> {
        let mut definition = custom_field::read_new_custom_field(sent, &facts)?;
        let custom_field_id = ids.next_id();
        assign_choice_ids(&mut definition, ids);
        Ok(Self { custom_field_id, definition })
    }

    fn patch(
        &self,
        patch: Node<'_>,
        facts: CustomFieldFacts,
        ids: &mut IdSequence,
    ) -> Result<Self, Violations> {
        let mut definition = custom_field::read_change(self, patch, facts)?;
        assign_choice_ids(&mut definition, ids);
        Ok(Self { custom_field_id: self.custom_field_id.clone(), definition })
    }

    fn id(&self) -> &str {
        self.custom_field_id.as_str()
    }

    fn from_resource(resource: Resource) -> Option<Self> {
        if let Resource::CustomField(field) = resource { Some(*field) } else { None }
    }

    fn into_resource(self) -> Resource {
        Resource::CustomField(Box::new(self))
    }
}

/// Assigns ids to the choices of a drop-down field that have no id.
fn assign_choice_ids(definition: &mut CustomFieldDefinition, ids: &mut IdSequence) {
    if let CustomFieldValue::Dropdown(choices) = &mut definition.value {
        for choice in choices {
            choice.dropdown_id.get_or_insert_with(|| ids.next_id());
        }
    }
}

impl CompanyObject for CustomFieldCategory {
    const KIND: ResourceKind = ResourceKind::CustomFieldCategory;

    type Facts = CustomFieldFacts;

    /// Returns the media types. Requests for one category may also have the media type of the list, because
    /// some clients send it.
    fn media_types(types: &VendorTypes) -> [Vec<&str>; 2] {
        [vec![&types.categories], vec![&types.category, &types.categories]]
    }

    async fn read_facts(call: &PartnerCall, company_id: &CompanyId) -> Result<CustomFieldFacts, Failure> {
        read_authorized_field_facts(call, company_id).await
    }

    fn create(sent: &Node<'_>, facts: CustomFieldFacts, ids: &mut IdSequence) -> Result<Self, Violations> {
        let CategoryDefinition { category_name, default } = custom_field::read_category(sent, &facts)?;
        Ok(Self { category_id: ids.next_id(), category_name, default })
    }

    fn patch(
        &self,
        patch: Node<'_>,
        facts: CustomFieldFacts,
        _: &mut IdSequence,
    ) -> Result<Self, Violations> {
        let CategoryDefinition { category_name, default } =
            custom_field::read_category_change(self, patch, facts)?;
        Ok(Self { category_id: self.category_id.clone(), category_name, default })
    }

    fn deletion_obstacle(&self) -> Option<&'static str> {
        self.default.then_some("only an operator can replace the default category")
    }

    fn id(&self) -> &str {
        self.category_id.as_str()
    }

    fn from_resource(resource: Resource) -> Option<Self> {
        if let Resource::CustomFieldCategory(category) = resource { Some(category) } else { None }
    }

    fn into_resource(self) -> Resource {
        Resource::CustomFieldCategory(self)
    }
}

async fn read_authorized_field_facts(
    call: &PartnerCall,
    company_id: &CompanyId,
) -> Result<CustomFieldFacts, Failure> {
    let guarded = call.store().custom_field_validation_data(&call.caller, company_id).await?;
    call.check_access(guarded).map(|(_, facts)| facts)
}

/// Reads all lookup objects of one kind of a company.
pub(crate) async fn read_lookup_objects<T: Lookup + Clone>(
    call: &PartnerCall,
    company_id: &CompanyId,
) -> Result<Vec<T>, Failure> {
    let list = SetupList::Lookup(T::KIND, LookupFilter::default());
    let guarded = call.store().setup_list(&call.caller, company_id, list, Window::default()).await?;
    let (_, found) = call.check_access(guarded)?;
    let rows: Vec<Vec<Resource>> = found.rows.into_stream().try_collect().await?;
    let objects = rows.iter().flatten().filter_map(|row| match row {
        Resource::Lookup(object) => T::from_lookup_object(object).cloned(),
        _ => None,
    });
    Ok(objects.collect())
}

/// The company's job segments and the current date.
pub(crate) struct JobValidationFacts {
    facts: JobFacts,
    today: Date,
}

impl CompanyObject for CompanyJob {
    const KIND: ResourceKind = ResourceKind::Lookup(LookupKind::CompanyJob);
    const CREATED_STATUS: u16 = 201;
    const RETURNS_WITHOUT_ENVELOPE: bool = true;
    const HAS_LINKS: bool = true;

    type Facts = JobValidationFacts;

    /// Returns the media types. Requests for one job may also have the media type of the list, because some
    /// clients send it.
    fn media_types(types: &VendorTypes) -> [Vec<&str>; 2] {
        let names = [
            types.lookup_list_type(LookupKind::CompanyJob),
            types.lookup_element_type(LookupKind::CompanyJob),
        ];
        [names.into_iter().take(1).flatten().collect(), names.into_iter().flatten().collect()]
    }

    async fn read_facts(call: &PartnerCall, company_id: &CompanyId) -> Result<JobValidationFacts, Failure> {
        let segments = read_lookup_objects(call, company_id).await?;
        Ok(JobValidationFacts { facts: JobFacts { segments }, today: call.incoming.api.today() })
    }

    fn create(sent: &Node<'_>, of: JobValidationFacts, ids: &mut IdSequence) -> Result<Self, Violations> {
        job::read_new_job(sent, &of.facts, &ids.next_id())
    }

    fn patch(&self, patch: Node<'_>, of: JobValidationFacts, _: &mut IdSequence) -> Result<Self, Violations> {
        job::apply_job_patch(self, patch, &of.facts, of.today)
    }

    fn id(&self) -> &str {
        self.job_id.as_str()
    }

    fn from_resource(resource: Resource) -> Option<Self> {
        match resource {
            Resource::Lookup(LookupObject::CompanyJob(job)) => Some(job),
            _ => None,
        }
    }

    fn into_resource(self) -> Resource {
        Resource::Lookup(LookupObject::CompanyJob(self))
    }
}
