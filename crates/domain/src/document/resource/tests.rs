//! Tests for single objects: writing and reading back, validation alone and in a company, patches, and new
//! ids.

use proptest::prelude::*;

use super::generated::any_resource;
use super::*;
use crate::date::Timestamp;
use crate::document::tests::{
    COMPLETE_COMPANY, MemberChange, Members, change_at, collect_members, complete_company, set_value,
};
use crate::document::{TaxIdMasking, collect_external_references, collect_references, read_company};
use crate::input::{Node, Value, parse};
use crate::lookup::LookupKind;
use crate::resource::{Resource, ResourceKind};
use crate::violation::Violations;

/// Returns the name of each list of a complete company, with the kind of its elements.
fn company_lists() -> impl Iterator<Item = (&'static str, ResourceKind)> {
    let in_lists = ResourceKind::ALL.iter().filter(|kind| **kind != ResourceKind::Company);
    in_lists.map(|kind| (kind.list_member(), *kind))
}

/// Returns each fault as `code pointer description`.
fn codes_and_pointers<T>(result: Result<T, Violations>) -> Vec<String> {
    let faults = result.err().into_iter().flatten();
    faults.map(|it| format!("{} {} {}", it.reason.code(), it.pointer.unwrap(), it.description)).collect()
}

/// Returns the faults of one document, each as `code pointer`.
fn find_faults(kind: ResourceKind, document: &str) -> Vec<String> {
    let faults =
        read_resource_document(kind, &parse(document.as_bytes()).unwrap()).err().into_iter().flatten();
    faults.map(|it| format!("{} {}", it.reason.code(), it.pointer.unwrap())).collect()
}

/// Returns every object of the complete company with its kind and its pointer, as a separate document.
fn objects_with_documents() -> Vec<(ResourceKind, String, Node<'static>)> {
    let document = parse(COMPLETE_COMPANY.as_bytes()).unwrap();
    let Value::Object(members) = &document.value else { panic!("an object") };
    let mut objects = Vec::new();
    for (list, kind) in company_lists() {
        let found = members.iter().find(|(name, _)| name == list);
        let Some((_, node)) = found else { panic!("complete_company.json has no {list}") };
        let Value::Array(elements) = &node.value else { panic!("an array") };
        for (at, element) in elements.iter().enumerate() {
            let alone = change_at(element, "", &|members| members.retain(|(name, _)| name != "checks"));
            objects.push((kind, format!("/{list}/{at}"), alone));
        }
    }
    let is_own = |name: &str| name != "lock" && company_lists().all(|(list, _)| list != name);
    let company = change_at(&document, "", &|members| members.retain(|(name, _)| is_own(name)));
    objects.push((ResourceKind::Company, String::new(), company));
    objects
}

#[test]
fn a_separate_object_reads_the_same_as_within_its_company() {
    let mut read_alone = objects_with_documents()
        .into_iter()
        .map(|(kind, _, node)| read_resource_document(kind, &node).unwrap())
        .collect::<Vec<_>>();
    let by_kind = |it: &Resource| it.kind();
    let mut within = complete_company().resources();
    read_alone.sort_by_key(by_kind);
    within.sort_by_key(by_kind);
    assert_eq!(read_alone, within);
    assert!(ResourceKind::ALL.iter().all(|kind| within.iter().any(|it| it.kind() == *kind)));
}

/// Checks that the faults of a single object have the same text and order as those within its company.
#[test]
fn validates_a_separate_object_like_one_within_its_company() {
    let document = parse(COMPLETE_COMPANY.as_bytes()).unwrap();
    let unknown =
        |members: &mut Members<'_>, _: &str| members.push(("hasPermission".into(), number_node("1")));
    let twice = |members: &mut Members<'_>, name: &str| {
        let member = members.iter().find(|(member, _)| member == name).unwrap().clone();
        members.push(member);
    };
    let changes: [&MemberChange<'_>; 5] = [
        &|members, name| members.retain(|(member, _)| member != name),
        &|members, name| set_value(members, name, Value::Null),
        &|members, name| {
            set_value(members, name, Value::Array(vec![number_node("-1"), number_node("1.00001")]))
        },
        &unknown,
        &twice,
    ];
    let mut validated = 0;
    for (kind, place, object) in objects_with_documents() {
        let mut members = Vec::new();
        collect_members(&object, "", &mut members);
        // These faults depend on other objects of the company, so they are not reported for an object that is
        // read alone.
        let is_of_definition = |inside: &str, name: &str| {
            name == "dropdown"
                || name == "relationshipTypes"
                || (inside.starts_with("/customFields") && name != "customFieldId")
        };
        for (inside, name) in members.iter().filter(|(inside, name)| !is_of_definition(inside, name)) {
            for change in changes {
                let alone = codes_and_pointers(read_resource_document(
                    kind,
                    &change_at(&object, inside, &|members| change(members, name)),
                ));
                let within = change_at(&document, &format!("{place}{inside}"), &|it| change(it, name));
                let within = codes_and_pointers(read_company(&within))
                    .into_iter()
                    .map(|it| it.replacen(&place, "", 1));
                assert_eq!(alone, within.collect::<Vec<_>>(), "{place}{inside}/{name}");
                validated += alone.len();
            }
        }
    }
    assert!(validated > 500, "{validated} faults");
}

fn number_node(text: &'static str) -> Node<'static> {
    Node::from(Value::Number(text.into()))
}

#[test]
fn checks_rules_across_members_of_one_object() {
    use ResourceKind::{Company, ContactType, CustomField, Organization, PayPeriod, Worker};
    let company = r#""companyId": "C", "displayId": "1", "legalName": "N""#;
    let product = r#"{"productCode": "PAYROLL", "startDate": "2026-01-01"}"#;
    let mail = r#"{"communicationId": "M", "type": "EMAIL", "usageType": "HOME"}"#;
    let field = r#""customFieldId": "F", "customFieldName": "N", "type": "DROPDOWN""#;
    let choice = |id: &str, value: &str| format!(r#"{{"dropdownId": "{id}", "dropdownValue": "{value}"}}"#);
    let [of_same_id, of_same_value] =
        [("D", "W"), ("E", "V")].map(|(id, value)| format!("[{}, {}]", choice("D", "V"), choice(id, value)));
    let worker =
        r#""workerId": "W", "workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}"#;
    let rate = r#"{"rateId": "R", "rateNumber": "RATE_1", "rateType": "DAILY_RATE", "amount": 1, "startDate": "2026-01-01"}"#;
    let period = r#""payPeriodId": "T", "intervalCode": "WEEKLY", "status": "ENTRY""#;
    let state = r#"{"countrySubdivisionCode": "NY"}"#;
    let kinship = r#"{"relationshipTypeId": "R", "relationshipTypeName": "N"}"#;
    let cases = [
        (Company, format!(r#"{company}, "parentCompanyId": "C""#), "/parentCompanyId"),
        (Company, format!(r#"{company}, "products": [{product}, {product}]"#), "/products/1/startDate"),
        (
            Company,
            format!(r#"{company}, "communications": [{mail}, {mail}]"#),
            "/communications/1/communicationId",
        ),
        (Company, format!(r#"{company}, "workers": []"#), "/workers"),
        (Company, format!(r#"{company}, "lock": {{"holder": "a"}}"#), "/lock"),
        (
            Organization,
            r#""organizationId": "O", "name": "N", "parentOrganizationId": "O""#.into(),
            "/parentOrganizationId",
        ),
        (
            ContactType,
            format!(
                r#""contactTypeId": "T", "contactTypeName": "N", "relationshipTypes": [{kinship}, {kinship}]"#
            ),
            "/relationshipTypes/1/relationshipTypeId",
        ),
        (CustomField, format!(r#"{field}, "dropdown": {of_same_id}"#), "/dropdown/1/dropdownId"),
        (CustomField, format!(r#"{field}, "dropdown": {of_same_value}"#), "/dropdown/1/dropdownValue"),
        (
            PayPeriod,
            format!(
                r#"{period}, "startDate": "2026-01-02", "endDate": "2026-01-01", "checkDate": "2026-01-01""#
            ),
            "/endDate",
        ),
        (
            PayPeriod,
            format!(
                r#"{period}, "startDate": "2026-01-02", "endDate": "2026-01-02", "checkDate": "2026-01-01", "checks": []"#
            ),
            "/checks",
        ),
        (Worker, format!(r#"{worker}, "supervisor": {{"workerId": "W"}}"#), "/supervisor/workerId"),
        (Worker, format!(r#"{worker}, "payRates": [{rate}, {rate}]"#), "/payRates/1/rateId"),
        (
            Worker,
            format!(r#"{worker}, "taxes": {{"states": [{state}, {state}]}}"#),
            "/taxes/states/1/countrySubdivisionCode",
        ),
    ];
    for (kind, members, pointer) in cases {
        assert_eq!(find_faults(kind, &format!("{{{members}}}")), [format!("API-48 {pointer}")], "{members}");
    }
}

#[test]
fn a_worker_is_written_with_the_members_that_are_read() {
    let (kind, _, node) =
        objects_with_documents().into_iter().find(|(kind, _, _)| *kind == ResourceKind::Worker).unwrap();
    let document = write_resource(&read_resource_document(kind, &node).unwrap(), TaxIdMasking::Masked);
    assert_eq!(document, include_str!("tests/worker.json").replace('\n', ""));
}

#[test]
fn treats_empty_tax_settings_as_absent() {
    let worker = |taxes: &str| {
        let name = r#""name": {"familyName": "A", "givenName": "B"}"#;
        let document = format!(r#"{{"workerId": "W", "workerType": "EMPLOYEE", {name}, "taxes": {taxes}}}"#);
        write_resource(
            &read_resource_document(ResourceKind::Worker, &parse(document.as_bytes()).unwrap()).unwrap(),
            TaxIdMasking::Unmasked,
        )
    };
    for nothing in ["{}", r#"{"states": []}"#, r#"{"workState": "NY", "federal": null}"#] {
        assert!(!worker(nothing).contains("taxes"), "{nothing}");
    }
    assert!(worker(r#"{"workState": "NY"}"#).contains(r#""workState":"NY""#));
    assert!(worker(r#"{"federal": {}}"#).ends_with(r#""taxes":{"federal":{}}}"#));
}

#[test]
fn only_tax_identities_of_persons_are_masked() {
    let company = |kind: &str| {
        let legal_id = format!(r#"{{"legalIdType": "{kind}", "legalIdValue": "000456789"}}"#);
        let document =
            format!(r#"{{"companyId": "C", "displayId": "1", "legalName": "N", "legalId": {legal_id}}}"#);
        read_resource_document(ResourceKind::Company, &parse(document.as_bytes()).unwrap()).unwrap()
    };
    assert!(write_resource(&company("SSN"), TaxIdMasking::Masked).contains(r#""legalIdValue":"*****6789""#));
    assert!(
        write_resource(&company("SSN"), TaxIdMasking::Unmasked).contains(r#""legalIdValue":"000456789""#)
    );
    assert!(write_resource(&company("FEIN"), TaxIdMasking::Masked).contains(r#""legalIdValue":"000456789""#));
}

#[test]
fn numbers_of_custom_fields_are_json_numbers() {
    let field = |members: &str| {
        let document = format!(r#"{{"customFieldId": "F", "customFieldName": "N", {members}}}"#);
        write_resource(
            &read_resource_document(ResourceKind::CustomField, &parse(document.as_bytes()).unwrap()).unwrap(),
            TaxIdMasking::Unmasked,
        )
    };
    let numeric = field(r#""type": "NUMERIC__0_00_", "numericValue": "-12.50""#);
    assert!(numeric.ends_with(r#""numericValue":-12.5}"#), "{numeric}");
    let text = field(r#""type": "TEXT", "maxTextLength": "40", "textValue": "x""#);
    assert!(text.ends_with(r#""textValue":"x","maxTextLength":40}"#), "{text}");
}

#[test]
fn accepts_a_lock_only_for_its_holder() {
    let now = Timestamp::parse("2026-07-28T00:37:25.148Z").unwrap();
    let lock = |document: &str| read_lock(&parse(document.as_bytes()).unwrap(), "me", now);
    let accepted =
        lock(r#"{"holder": "me", "reason": "audit", "expiresDate": "2026-07-28T00:37:25.149Z"}"#).unwrap();
    assert_eq!(
        write_lock(&accepted),
        r#"{"holder":"me","reason":"audit","expiresDate":"2026-07-28T00:37:25.149Z"}"#
    );
    assert_eq!(lock(r#"{"holder": null}"#).unwrap(), lock("{}").unwrap());
    let wrong = codes_and_pointers(lock(r#"{"holder": "you"}"#));
    let rule = "must be absent, or the name of the operator who locks the company";
    assert_eq!(wrong, [format!("API-48 /holder holder {rule}")]);
    let past = codes_and_pointers(lock(r#"{"expiresDate": "2026-07-28T00:37:25.148Z"}"#));
    let rule = "must be in the future, after 2026-07-28T00:37:25.148Z";
    assert_eq!(past, [format!("API-48 /expiresDate expiresDate {rule}")]);
    let several = codes_and_pointers(lock(r#"{"expiresDate": "soon", "until": 1}"#));
    assert!(matches!(&several[..], [one, two] if one.contains("/expiresDate") && two.contains("/until")));
}

#[test]
fn lists_references_that_the_document_does_not_resolve() {
    let complete = complete_company();
    let open: Vec<_> =
        collect_external_references(&complete).into_iter().map(|it| (it.target, it.id, it.pointer)).collect();
    assert_eq!(open, [(ResourceKind::Company, "C-0", "/parentCompanyId".to_owned())]);

    let mut less = complete.clone();
    (less.organizations, less.pay_components, less.lookups) = Default::default();
    less.custom_field_categories.clear();
    less.workers.truncate(1);
    let open: Vec<_> = collect_external_references(&less).into_iter().map(|it| it.pointer).collect();
    let expected = [
        "/parentCompanyId",
        "/customFields/0/categoryId",
        "/workers/0/customEmploymentType/customEmploymentTypeId",
        "/workers/0/organization/organizationId",
        "/workers/0/supervisor/workerId",
        "/workers/0/recurringComponents/0/componentId",
        "/workers/0/recurringComponents/0/calculationBaseId",
    ];
    assert_eq!(open, expected);
}

#[test]
fn lists_the_references_of_one_object_with_pointers() {
    let all: Vec<_> = objects_with_documents()
        .into_iter()
        .map(|(kind, _, node)| read_resource_document(kind, &node).unwrap())
        .collect();
    let found = |kind: ResourceKind| -> Vec<(ResourceKind, String, String)> {
        let of_kind = all.iter().filter(|it| it.kind() == kind).flat_map(collect_references);
        of_kind.map(|it| (it.target, it.id.to_owned(), it.pointer)).collect()
    };
    let one = |target, id: &str, pointer: &str| (target, id.to_owned(), pointer.to_owned());
    assert_eq!(found(ResourceKind::Company), [one(ResourceKind::Company, "C-0", "/parentCompanyId")]);
    let unit = one(ResourceKind::Organization, "O-1", "/parentOrganizationId");
    assert_eq!(found(ResourceKind::Organization), [unit]);
    let category = one(ResourceKind::CustomFieldCategory, "K-1", "/categoryId");
    assert_eq!(found(ResourceKind::CustomField), [category]);
    let of_worker = [
        one(
            ResourceKind::Lookup(LookupKind::CustomEmploymentType),
            "E-1",
            "/customEmploymentType/customEmploymentTypeId",
        ),
        one(ResourceKind::Organization, "O-2", "/organization/organizationId"),
        one(ResourceKind::Worker, "W-2", "/supervisor/workerId"),
        one(ResourceKind::PayComponent, "P-1", "/recurringComponents/0/componentId"),
        one(
            ResourceKind::Lookup(LookupKind::CalculationBase),
            "B-1",
            "/recurringComponents/0/calculationBaseId",
        ),
        one(ResourceKind::ContactType, "CT-1", "/contacts/0/contactType/contactTypeId"),
        one(ResourceKind::ContactType, "CT-2", "/contacts/1/contactType/contactTypeId"),
        one(ResourceKind::CustomField, "F-1", "/customFields/0/customFieldId"),
        one(ResourceKind::CustomField, "F-2", "/customFields/1/customFieldId"),
        one(ResourceKind::CustomField, "F-3", "/customFields/2/customFieldId"),
        one(ResourceKind::CustomField, "F-4", "/customFields/3/customFieldId"),
        one(ResourceKind::CustomField, "F-7", "/customFields/4/customFieldId"),
        one(ResourceKind::Lookup(LookupKind::Location), "LO-1", "/locationId"),
        one(ResourceKind::Lookup(LookupKind::CompanyJob), "J-1", "/jobId"),
        one(ResourceKind::Lookup(LookupKind::LaborAssignment), "A-1", "/laborAssignmentId"),
        one(ResourceKind::Lookup(LookupKind::CompanyJobTitle), "JT-1", "/job/jobTitleId"),
        one(ResourceKind::Lookup(LookupKind::CompanyJob), "J-1", "/assignmentDistributions/0/jobId"),
        one(
            ResourceKind::Lookup(LookupKind::LaborAssignment),
            "A-1",
            "/assignmentDistributions/0/laborAssignmentId",
        ),
    ];
    assert_eq!(found(ResourceKind::Worker), of_worker);
    assert!(found(ResourceKind::PayComponent).is_empty() && found(ResourceKind::PayPeriod).is_empty());
}

proptest! {
    #[test]
    fn a_lookup_object_is_valid_after_it_gets_an_id(
        resource in prop::sample::select(LookupKind::ALL).prop_flat_map(|it| any_resource(ResourceKind::Lookup(it)))
    ) {
        let document = write_resource(&resource, TaxIdMasking::Unmasked);
        let node = parse(document.as_bytes()).unwrap();
        let id_member = resource.kind().id_member();
        let node = change_at(&node, "", &|members| members.retain(|(name, _)| name != id_member));
        prop_assert!(read_resource_document(resource.kind(), &node).is_err());
        let node = fill_missing_ids(resource.kind(), node, &mut || "ID-1".to_owned());
        let found = read_resource_document(resource.kind(), &node).unwrap();
        prop_assert_eq!(found.id(), "ID-1");
    }

    #[test]
    fn written_unmasked_documents_read_back_equal(
        resource in prop::sample::select(ResourceKind::ALL).prop_flat_map(any_resource)
    ) {
        let document = write_resource(&resource, TaxIdMasking::Unmasked);
        let node = parse(document.as_bytes()).unwrap();
        prop_assert_eq!(&to_resource_node(&resource), &node);
        prop_assert_eq!(read_resource_document(resource.kind(), &node), Ok(resource), "{}", document);
    }
}
