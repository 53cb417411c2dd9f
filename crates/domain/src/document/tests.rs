//! Tests each member of a company with a valid value and with invalid values of every type.

use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
#[cfg(feature = "server")]
use crate::description::{Member, MemberShape};
use crate::input::{Value, parse};
#[cfg(feature = "server")]
use crate::lookup::LookupKind;

/// A company document with every possible member.
pub(super) const COMPLETE_COMPANY: &str = include_str!("tests/complete_company.json");
/// The required members of a company document.
const REQUIRED_MEMBERS: &str = r#""companyId": "C-1", "displayId": "1", "legalName": "Example""#;

pub(super) fn complete_company() -> CompleteCompany {
    read_company(&parse(COMPLETE_COMPANY.as_bytes()).unwrap()).unwrap()
}

/// Returns the faults of a document, each as `code pointer`.
fn faults(node: &Node<'_>) -> Vec<String> {
    let faults = read_company(node).err().into_iter().flatten();
    faults.map(|fault| format!("{} {}", fault.reason.code(), fault.pointer.unwrap_or_default())).collect()
}

/// Returns the faults of the minimal company with these additional members.
fn faults_with(members: &str) -> Vec<String> {
    faults(&parse(format!("{{{REQUIRED_MEMBERS}, {members}}}").as_bytes()).unwrap())
}

/// Collects every member of every object in the document. Each entry has the pointer of the object and the
/// name of the member.
pub(super) fn collect_members(node: &Node<'_>, pointer: &str, found: &mut Vec<(String, String)>) {
    match &node.value {
        Value::Object(members) => {
            for (name, node) in members {
                found.push((pointer.to_owned(), name.to_string()));
                collect_members(node, &format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(elements) => {
            for (index, node) in elements.iter().enumerate() {
                collect_members(node, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
    }
}

/// Returns a copy of the document. `change` is applied to the members of the object at `pointer`.
pub(super) fn change_at<'a>(node: &Node<'a>, pointer: &str, change: &dyn Fn(&mut Members<'a>)) -> Node<'a> {
    let mut copy = node.clone();
    change_node_at(&mut copy, pointer.strip_prefix('/').unwrap_or_default(), change);
    Node::from(copy.value)
}

/// The members of an object with their names.
pub(super) type Members<'a> = Vec<(Cow<'a, str>, Node<'a>)>;

/// A change to the members of an object, with the name of the member to change.
pub(super) type MemberChange<'c> = dyn Fn(&mut Members<'_>, &str) + 'c;

fn change_node_at<'a>(node: &mut Node<'a>, path: &str, change: &dyn Fn(&mut Members<'a>)) {
    let (step, rest) = path.split_once('/').unwrap_or((path, ""));
    match &mut node.value {
        Value::Object(members) if step.is_empty() => change(members),
        Value::Object(members) => {
            let (_, node) = members.iter_mut().find(|(name, _)| name == step).unwrap();
            change_node_at(node, rest, change);
        }
        Value::Array(elements) => change_node_at(&mut elements[step.parse::<usize>().unwrap()], rest, change),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => panic!("no {step} here"),
    }
}

/// Applies `change` to each member of each object of the complete company in turn. Calls `validate` with the
/// pointer of the object, the name of the member, and the faults.
fn for_each_member(change: &MemberChange<'_>, validate: &dyn Fn(&str, &str, Vec<String>)) {
    let document = parse(COMPLETE_COMPANY.as_bytes()).unwrap();
    let mut members = Vec::new();
    collect_members(&document, "", &mut members);
    assert!(members.len() > 150, "the document has every member");
    for (object, name) in &members {
        let document = change_at(&document, object, &|members| change(members, name));
        validate(object, name, faults(&document));
    }
}

pub(super) fn set_value(members: &mut Members<'_>, name: &str, value: Value<'static>) {
    for (_, node) in members.iter_mut().filter(|(member, _)| member == name) {
        *node = Node::from(value.clone());
    }
}

#[test]
fn every_member_of_a_company_document_is_read() {
    let complete = complete_company();
    assert_eq!(complete.lock.as_ref().unwrap().expires.unwrap().to_string(), "2026-07-28T00:37:25.149Z");
    assert_eq!(complete.custom_fields.len(), 7);
    assert_eq!(complete.pay_periods[0].processed_checks[0].lines.len(), 3);
    assert_eq!(complete.pay_periods[0].processed_checks[0].taxes.len(), 1);
    let worker = &complete.workers[0];
    assert_eq!(worker.taxes.as_ref().unwrap().states.len(), 1);
    assert_eq!(worker.organization_id.as_ref().unwrap().as_str(), "O-2");
    assert_eq!(worker.pay_rates[0].rate_number.get(), 1);
    assert_eq!(worker.recurring_components[0].value.to_string(), "2.5000");
}

#[test]
fn the_example_in_the_documentation_is_valid() {
    let page = include_str!("../../docs/import.md");
    let example = page.split("```json").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(faults(&parse(example.as_bytes()).unwrap()), [""; 0]);
}

#[test]
fn reports_missing_required_members_at_their_position() {
    let validate = |object: &str, name: &str, faults: Vec<String>| {
        // If one of the following members is missing, the fault is at another pointer. For example, the
        // worker's value refers to a choice that the field no longer has.
        let is_of_another = ["dropdown", "relationshipTypes", "entity"].contains(&name);
        let all_right = faults.is_empty() || is_of_another;
        assert!(all_right || faults == [format!("API-46 {object}/{name}")], "{object}/{name}: {faults:?}");
    };
    for_each_member(&|members, name| members.retain(|(member, _)| member != name), &validate);
    for_each_member(&|members, name| set_value(members, name, Value::Null), &validate);
}

/// Tests the list of required members of an import. docs/import.md and §11.33 print these members in bold.
#[cfg(feature = "server")]
#[test]
fn the_required_members_match_the_documented_list() {
    let required = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let remember = |object: &str, name: &str, faults: Vec<String>| {
        let mut steps = object.split('/').filter(|step| !step.is_empty() && step.parse::<usize>().is_err());
        let kind = steps.next_back().unwrap_or("company");
        required.borrow_mut().extend((!faults.is_empty()).then(|| format!("{kind} {name}")));
    };
    for_each_member(&|members, name| members.retain(|(member, _)| member != name), &remember);
    let mut expected: std::collections::BTreeSet<String> =
        include_str!("tests/required_members.txt").lines().map(str::to_owned).collect();
    for kind in LookupKind::ALL {
        // A response always contains a flag, but a request may omit it, so flags are not required here.
        let is_needed = |member: &&Member| member.required && !matches!((member.shape)(), MemberShape::Flag);
        let needed = kind.members().iter().filter(is_needed);
        expected.extend(needed.map(|member| format!("{} {}", kind.list_member(), member.name)));
    }
    assert_eq!(required.into_inner(), expected);
}

#[test]
fn reports_a_duplicate_member_as_ambiguous() {
    for_each_member(
        &|members, name| {
            let (name, node) = members.iter().find(|(member, _)| member == name).unwrap().clone();
            members.push((name, node));
        },
        &|object, name, faults| assert_eq!(faults, [format!("API-47 {object}/{name}")]),
    );
}

#[test]
fn reports_a_member_of_the_wrong_type_at_its_position() {
    let object = || Value::Object(vec![("x".into(), Node::from(Value::Null))]);
    let wrong = [object(), Value::Array(vec![Node::from(object())]), Value::Text("\u{7}~ ".into())];
    for value in wrong {
        for_each_member(&|members, name| set_value(members, name, value.clone()), &|object, name, faults| {
            let place = format!("API-48 {object}/{name}");
            let inside = |fault: &String| fault.split(' ').nth(1).unwrap().starts_with(&place[7..]);
            assert!(faults.iter().any(inside), "{place}: {faults:?}");
        });
    }
}

#[test]
fn rejects_a_document_that_is_not_an_object() {
    let refusal = read_company(&parse(b"[]").unwrap()).unwrap_err();
    assert_eq!(refusal.to_string(), "API-48 the value must be an object");
}

#[test]
fn rejects_unknown_members_in_every_object() {
    let unknown = || ("hasPermission/~".into(), Node::from(Value::Bool(true)));
    for_each_member(&|members, _| members.push(unknown()), &|object, _, faults| {
        assert_eq!(faults, [format!("API-48 {object}/hasPermission~1~0")]);
    });
}

#[test]
fn rejects_contradictory_lists() {
    let field = r#""customFieldId": "F", "customFieldName": "N""#;
    let cases = [
        (r#""parentCompanyId": "C-1""#, "API-48 /parentCompanyId"),
        (
            r#""organizations": [{"organizationId": "O", "name": "A"}, {"organizationId": "O", "name": "B"}]"#,
            "API-48 /organizations/1/organizationId",
        ),
        (
            r#""organizations": [{"organizationId": "O", "name": "A", "parentOrganizationId": "O"}]"#,
            "API-48 /organizations/0/parentOrganizationId",
        ),
        (
            r#""products": [{"productCode": "PAYROLL", "startDate": "2026-01-02", "endDate": "2026-01-01"}]"#,
            "API-48 /products/0/endDate",
        ),
        (
            r#""customFieldCategories": [{"categoryId": "A", "categoryName": "A", "default": true},
                {"categoryId": "B", "categoryName": "B", "default": true}]"#,
            "API-48 /customFieldCategories/1/default",
        ),
        (
            &format!(r#""customFields": [{{{field}, "type": "NUMERIC", "textValue": "x"}}]"#),
            "API-47 /customFields/0/textValue",
        ),
        (
            &format!(r#""customFields": [{{{field}, "type": "NUMERIC", "numericValue": 1.5}}]"#),
            "API-48 /customFields/0/numericValue",
        ),
        (
            &format!(
                r#""customFields": [{{{field}, "type": "TEXT", "textValue": "long", "maxTextLength": 3}}]"#
            ),
            "API-48 /customFields/0/textValue",
        ),
    ];
    for (members, fault) in cases {
        assert_eq!(faults_with(members), [fault], "{members}");
    }
}

#[test]
fn rejects_organizations_in_a_cycle_but_not_their_children() {
    let unit = |id: &str, parent: &str| {
        format!(r#"{{"organizationId": "{id}", "name": "A", "parentOrganizationId": "{parent}"}}"#)
    };
    let units = [unit("A", "B"), unit("B", "A"), unit("C", "A")].join(", ");
    let expected = [0, 1].map(|at| format!("API-48 /organizations/{at}/parentOrganizationId"));
    assert_eq!(faults_with(&format!(r#""organizations": [{units}]"#)), expected);
}

#[test]
fn rejects_contradictory_periods() {
    let period = |id: &str, status: &str, more: &str| {
        format!(
            r#"{{"payPeriodId": "{id}", "intervalCode": "WEEKLY", "startDate": "2026-01-08",
                "endDate": "2026-01-14", "checkDate": "2026-01-16", "status": "{status}" {more}}}"#
        )
    };
    let check = r#""paycheckId": "PC", "workerId": "W", "netPay": 1, "grossEarnings": 1"#;
    let cases = [
        (period("T", "ENTRY", "").replace("01-14", "01-07"), "API-48 /payPeriods/0/endDate"),
        (
            period("T", "PROCESSING", "") + ", " + &period("U", "PROCESSING", ""),
            "API-48 /payPeriods/1/status",
        ),
        (period("T", "ENTRY", &format!(r#", "checks": [{{{check}}}]"#)), "API-48 /payPeriods/0/checks"),
        (
            period("T", "RELEASED", &format!(r#", "checks": [{{"payPeriodId": "U", {check}}}]"#)),
            "API-48 /payPeriods/0/checks/0/payPeriodId",
        ),
        (
            period("T", "RELEASED", &format!(r#", "checks": [{{"checkDate": "2026-01-15", {check}}}]"#)),
            "API-48 /payPeriods/0/checks/0/checkDate",
        ),
    ];
    for (periods, fault) in cases {
        assert_eq!(faults_with(&format!(r#""payPeriods": [{periods}]"#)), [fault], "{periods}");
    }
}

#[test]
fn rejects_contradictory_workers() {
    let rate = |id: &str| {
        format!(
            r#"{{"rateId": "{id}", "rateNumber": "RATE_1", "rateType": "DAILY_RATE", "amount": 1,
                "startDate": "2026-01-01", "default": true}}"#
        )
    };
    let component = r#""workerComponentId": "RC", "componentId": "P", "value": 1"#;
    let cases = [
        (format!(r#""payRates": [{}, {}]"#, rate("R1"), rate("R2")), "API-48 /workers/0/payRates/1/default"),
        (
            format!(r#""recurringComponents": [{{{component}, "calculationType": "PERCENTAGE"}}]"#),
            "API-46 /workers/0/recurringComponents/0/calculationBaseId",
        ),
        (
            format!(
                r#""recurringComponents": [{{{component}, "calculationType": "FLAT_DOLLAR_AMOUNT",
                    "calculationBaseId": "B"}}]"#
            ),
            "API-48 /workers/0/recurringComponents/0/calculationBaseId",
        ),
        (r#""workState": "NY", "taxes": {"workState": "NJ"}"#.to_owned(), "API-47 /workers/0/workState"),
    ];
    let worker =
        r#""workerId": "W", "workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}"#;
    for (members, fault) in cases {
        assert_eq!(faults_with(&format!(r#""workers": [{{{worker}, {members}}}]"#)), [fault], "{members}");
    }
    // Elements of different workers, such as pay rates, may have the same id.
    let with_rate = |id: &str, rates: &str| {
        format!(
            r#"{{"workerId": "{id}", "workerType": "EMPLOYEE", "payRates": [{rates}],
                "name": {{"familyName": "A", "givenName": "B"}}}}"#
        )
    };
    let other = rate("R1").replace("true", "false");
    let two = format!("{}, {}", with_rate("W", &rate("R1")), with_rate("V", &rate("R1")));
    assert_eq!(faults_with(&format!(r#""workers": [{two}]"#)), [""; 0]);
    let one = with_rate("W", &format!("{}, {other}", rate("R1")));
    assert_eq!(faults_with(&format!(r#""workers": [{one}]"#)), ["API-48 /workers/0/payRates/1/rateId"]);
}

#[test]
fn rejects_values_outside_their_ranges() {
    let cases = [
        ("displayId", r#""123456789012345678901234567890123""#),
        ("legalName", r#""a\u0000b""#),
        ("endDate", r#""2026-02-30""#),
        ("lock", r#"{"holder": "a", "expiresDate": "tomorrow"}"#),
        ("organizations", r#"[{"organizationId": "O", "name": "A", "level": 0}]"#),
        (
            "communications",
            r#"[{"communicationId": "M", "type": "EMAIL", "usageType": "HOME", "uri": "no address"}]"#,
        ),
        (
            "communications",
            r#"[{"communicationId": "M", "type": "PAGER", "usageType": "HOME", "countryCode": "us"}]"#,
        ),
        (
            "payComponents",
            r#"[{"componentId": "P", "name": "P", "classificationType": "REGULAR", "effectOnPay": "ADDITION", "code": "1"}]"#,
        ),
    ];
    for (name, value) in cases {
        let members: Vec<_> =
            [("companyId", r#""C-1""#), ("displayId", r#""1""#), ("legalName", r#""Example""#)]
                .into_iter()
                .filter(|(member, _)| *member != name)
                .chain([(name, value)])
                .map(|(name, value)| format!(r#""{name}": {value}"#))
                .collect();
        let faults = faults(&parse(format!("{{{}}}", members.join(", ")).as_bytes()).unwrap());
        assert!(
            matches!(&faults[..], [fault] if fault.starts_with(&format!("API-48 /{name}"))),
            "{name}: {faults:?}"
        );
    }
}

#[test]
fn never_repeats_a_tax_id() {
    for digits in ["12345678", "123-45-6789", "*****6789", "1234567890"] {
        let members = format!(r#""legalId": {{"legalIdType": "SSN", "legalIdValue": "{digits}"}}"#);
        let document = format!("{{{REQUIRED_MEMBERS}, {members}}}");
        let reported = read_company(&parse(document.as_bytes()).unwrap()).unwrap_err().to_string();
        assert!(!reported.contains(digits), "{reported}");
        assert!(reported.contains("API-48") && reported.contains("/legalId/legalIdValue"), "{reported}");
    }
}

/// Generates trees whose objects use the member names of the reader.
pub(super) fn any_tree() -> impl Strategy<Value = Node<'static>> {
    let mut names = Vec::new();
    collect_members(&parse(COMPLETE_COMPANY.as_bytes()).unwrap(), "", &mut names);
    let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    let number = prop::sample::select(vec!["0", "-1", "1.5", "99999999999999999999"])
        .prop_map(|number| Value::Number(number.into()));
    let text = prop_oneof![
        any::<String>(),
        prop::sample::select(vec!["2026-01-01".to_owned(), "WEEKLY".to_owned()])
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number,
        text.prop_map(|text| Value::Text(text.into())),
    ];
    leaf.prop_map(Node::from).prop_recursive(5, 200, 8, move |inner| {
        let name = prop::sample::select(names.clone()).prop_map(Cow::from);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((name, inner), 0..12).prop_map(Value::Object),
        ]
        .prop_map(Node::from)
    })
}

proptest! {
    #[test]
    fn no_tree_causes_a_panic_and_every_fault_has_a_position(tree in any_tree()) {
        for fault in read_company(&tree).err().into_iter().flatten() {
            prop_assert!(fault.pointer.is_some());
            prop_assert!(matches!(fault.reason.code(), "API-46" | "API-47" | "API-48"));
        }
    }
}
