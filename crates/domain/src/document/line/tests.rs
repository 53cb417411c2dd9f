//! Compares two ways of reading a line: worker by worker, and all workers at once.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::document::tests::{
    COMPLETE_COMPANY, MemberChange, Members, any_tree, change_at, collect_members, set_value,
};
use crate::document::{collect_external_references, read_company};
use crate::input::{Value, parse};
use crate::violation::MAX_FAULTS;

/// Reads the line in both ways and asserts that the results are equal. Returns the code and the pointer of
/// each fault.
fn codes_and_pointers(line: &str) -> Vec<String> {
    let complete = parse(line.as_bytes()).map_err(Violations::from).and_then(|node| read_company(&node));
    let split = CompanyLine::read(line.as_bytes());
    match (complete, split) {
        (Ok(complete), Ok(split)) => {
            assert_eq!(collect_line_references(&split), collect_company_references(&complete), "{line}");
            assert_eq!(split.worker_count(), complete.workers.len(), "{line}");
            assert_eq!(split.into_complete_company(), complete, "{line}");
            Vec::new()
        }
        (complete, split) => {
            let (complete, split) = (complete.map(drop).unwrap_err(), split.map(drop).unwrap_err());
            assert_eq!(split, complete, "{line}");
            complete.into_iter().map(|fault| fault.to_string()).collect()
        }
    }
}

type References = (BTreeSet<(ResourceKind, String)>, Vec<(ResourceKind, String, String)>);

/// Returns the external ids and the external references of a line.
fn collect_line_references(line: &CompanyLine<'_>) -> References {
    let ids = ResourceKind::ALL.iter().flat_map(|of| line.external_ids(*of).map(|id| (*of, id.to_owned())));
    let ids: BTreeSet<_> = ids.collect();
    let mut open = Vec::new();
    line.for_each_reference(|it| {
        if ids.contains(&(it.target, it.id.to_owned())) {
            open.push((it.target, it.id.to_owned(), it.pointer.clone()));
        }
    });
    (ids, open)
}

fn collect_company_references(complete: &CompleteCompany) -> References {
    let open = collect_external_references(complete);
    let ids = open.iter().map(|it| (it.target, it.id.to_owned())).collect();
    (ids, open.into_iter().map(|it| (it.target, it.id.to_owned(), it.pointer)).collect())
}

/// Returns the JSON text of the document.
fn to_json_text(node: &Node<'_>) -> String {
    let quoted = |words: &str| serde_json::Value::from(words).to_string();
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(digits) => digits.to_string(),
        Value::Text(words) => quoted(words),
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(to_json_text).collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let member =
                |(name, node): &(Cow<'_, str>, Node<'_>)| format!("{}:{}", quoted(name), to_json_text(node));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

#[test]
fn a_valid_line_is_read_as_the_same_company() {
    assert_eq!(codes_and_pointers(COMPLETE_COMPANY), [""; 0]);
    let open = CompanyLine::read(COMPLETE_COMPANY.as_bytes().to_vec()).unwrap();
    assert_eq!(open.external_ids(ResourceKind::Company).collect::<Vec<_>>(), ["C-0"]);
}

#[test]
fn debug_output_of_a_line_shows_no_tax_ids() {
    let line = CompanyLine::read(COMPLETE_COMPANY.as_bytes()).unwrap();
    assert_eq!(format!("{line:?}"), r#"CompanyLine { company_id: "C-1", worker_count: 2, .. }"#);
}

#[test]
fn reading_a_line_in_parts_reports_the_same_faults_as_reading_it_at_once() {
    let document = parse(COMPLETE_COMPANY.as_bytes()).unwrap();
    let mut members = Vec::new();
    collect_members(&document, "", &mut members);
    let changes: [&MemberChange<'_>; 3] = [
        &|members, name| members.retain(|(member, _)| member != name),
        &|members, name| {
            set_value(members, name, Value::Array(vec![Node::from(Value::Number("-1".into()))]));
            members.insert(0, ("hasPermission".into(), Node::from(Value::Bool(true))));
        },
        &|members: &mut Members<'_>, name| {
            let member = members.iter().find(|(member, _)| member == name).unwrap().clone();
            members.push(member);
        },
    ];
    let mut faults = 0;
    for (object, name) in &members {
        for change in changes {
            let changed = change_at(&document, object, &|members| change(members, name));
            faults += codes_and_pointers(&to_json_text(&changed)).len();
        }
    }
    assert!(faults > 600, "{faults} faults");
}

#[test]
fn an_invalid_list_of_workers_is_reported_as_by_reading_at_once() {
    let worker =
        r#"{"workerId": "W", "workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}}"#;
    let least = r#""companyId": "C-1", "displayId": "1", "legalName": "Example""#;
    let lines = [
        (String::new(), 1),
        ("[]".to_owned(), 1),
        ("{".to_owned(), 1),
        (format!("{{{least}, \"workers\": [{worker}, ]}}"), 1),
        (format!("{{{least}, \"workers\": null}}"), 0),
        (format!("{{{least}, \"workers\": []}}"), 0),
        (format!("{{\"workers\": [{worker}], {least}}}"), 0),
        (format!("{{\"work\\u0065rs\": [{worker}], {least}}}"), 0),
        (format!("{{{least}, \"workers\": {worker}}}"), 1),
        (format!("{{{least}, \"workers\": [1, null, [{worker}], {worker}, \"\"]}}"), 4),
        (format!("{{{least}, \"workers\": [{worker}], \"workers\": [{worker}]}}"), 1),
        (format!("{{{least}, \"workers\": [{{}}], \"workers\": [{{}}]}}"), 1),
        (format!("{{{least}, \"workers\": null, \"workers\": [{{}}]}}"), 1),
        (r#"{"workers": [{}]}"#.to_owned(), 6),
        (format!("{{{least}, \"workers\": [{worker}, {worker}]}}"), 1),
    ];
    for (line, expected) in lines {
        assert_eq!(codes_and_pointers(&line).len(), expected, "{line}");
    }
}

/// Tests a company in which every object occurs twice. Both ways of reading must report the same faults.
#[test]
fn duplicates_in_a_line_are_reported_as_by_reading_at_once() {
    fn duplicate_members<'a>(node: &Node<'a>) -> Node<'a> {
        Node::from(match &node.value {
            Value::Array(elements) => {
                let once: Vec<_> = elements.iter().map(duplicate_members).collect();
                Value::Array([once.clone(), once].concat())
            }
            Value::Object(members) => {
                // Some members cause a fault within one object if their elements are duplicate. Faults across
                // objects would then not be reported, so the test omits such members.
                let is_alone = |name: &str| {
                    matches!(
                        name,
                        "default" | "dropdownDefault" | "taxStates" | "directDeposits" | "statuses"
                    )
                };
                let duplicable = members.iter().filter(|(name, _)| !is_alone(name));
                Value::Object(
                    duplicable.map(|(name, node)| (name.clone(), duplicate_members(node))).collect(),
                )
            }
            other => other.clone(),
        })
    }
    let line = to_json_text(&duplicate_members(&parse(COMPLETE_COMPANY.as_bytes()).unwrap()));
    let reported = codes_and_pointers(&line);
    for part in ["(/organizations/2/", "(/workers/2/workerId)", "/checks/1/paycheckId", "/states/1/"] {
        assert!(reported.iter().any(|fault| fault.contains(part)), "{part}: {reported:#?}");
    }
}

#[test]
fn too_many_faults_of_a_line_are_truncated_as_by_reading_at_once() {
    let workers = |count: usize| vec!["{}"; count].join(", ");
    let unknown = |count: usize| (0..count).map(|at| format!("\"u{at}\": 1, ")).collect::<String>();
    let most = MAX_FAULTS + 1;
    for (before, workers_count, after) in
        [(0, 3_400, 10), (10, 3_333, 0), (9_000, 200, 2_000), (0, 3_400, 10_000), (12_000, 1, 1)]
    {
        let units = vec!["1"; before].join(", ");
        let line = format!(
            r#"{{"workers": [{}], "organizations": [{units}], {}"z": 1}}"#,
            workers(workers_count),
            unknown(after)
        );
        let count = codes_and_pointers(&line).len();
        assert_eq!(count, most.min(before + 3 * workers_count + 1 + after + 3), "{before}");
    }
}

#[test]
fn rejects_invalid_utf8_owned_and_borrowed() {
    let bytes = b"{\"companyId\": \"\xff\"}";
    let refusals = [CompanyLine::read(bytes.as_slice()), CompanyLine::read(bytes.to_vec())];
    for refusal in refusals {
        assert_eq!(refusal.map(drop).unwrap_err().to_string(), "API-40 the body is not UTF-8");
    }
}

proptest! {
    #[test]
    fn any_line_is_validated_as_by_reading_at_once(tree in any_tree(), at in any::<prop::sample::Index>()) {
        let document = parse(COMPLETE_COMPANY.as_bytes()).unwrap();
        let mut members = Vec::new();
        collect_members(&document, "", &mut members);
        let (object, name) = at.get(&members);
        let line = change_at(&document, object, &|members| {
            for (_, node) in members.iter_mut().filter(|(member, _)| member == name) {
                *node = tree.clone();
            }
        });
        codes_and_pointers(&to_json_text(&line));
        codes_and_pointers(&to_json_text(&tree));
    }
}
