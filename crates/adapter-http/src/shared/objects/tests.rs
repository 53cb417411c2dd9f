//! Tests of changes to a list, such as the pay rates, in a worker's document.

use payroll_domain::input::{self, parse};
use payroll_domain::worker::{PayRate, WorkerPart};

use super::Failure;
use super::tree::{self, ElementEdit};

const WORKER: &str =
    r#"{"workerId":"W","payRates":[{"rateId":"A","amount":"20"},{"rateId":"B","amount":"21.50"}]}"#;

/// Applies a change. Returns the id and amount of each rate, and the index of the changed rate.
fn apply_edit_to_rates(edit: ElementEdit<'_, '_>) -> Result<(Vec<String>, usize), u16> {
    let status = |failure: Failure| failure.into_response("id").status().as_u16();
    let (worker, index) =
        tree::apply_edit(parse(WORKER.as_bytes()).unwrap(), PayRate::LIST, edit).map_err(status)?;
    Ok((worker_summary(&worker), index))
}

fn worker_summary(worker: &input::Node<'_>) -> Vec<String> {
    let input::Value::Object(members) = &worker.value else { panic!("no object") };
    let (_, list) = members.iter().find(|(name, _)| name == "payRates").unwrap();
    let input::Value::Array(rates) = &list.value else { panic!("no list") };
    let text = |rate: &input::Node<'_>, name: &str| match &rate.value {
        input::Value::Object(members) => {
            let (_, node) = members.iter().find(|(member, _)| member == name).unwrap();
            format!("{:?}", node.value)
        }
        _ => "nothing".to_owned(),
    };
    rates.iter().map(|rate| format!("{} {}", text(rate, "rateId"), text(rate, "amount"))).collect()
}

fn rate_node(json: &str) -> input::Node<'_> {
    parse(json.as_bytes()).unwrap()
}

const RATE_A: &str = r#"Text("A") Text("20")"#;
const RATE_B: &str = r#"Text("B") Text("21.50")"#;

fn edited_rates(rates: &[&str], index: usize) -> Result<(Vec<String>, usize), u16> {
    Ok((rates.iter().map(|rate| (*rate).to_owned()).collect(), index))
}

#[test]
fn a_new_element_is_appended_and_a_known_id_is_a_conflict() {
    let new = rate_node(r#"{"rateId":"C","amount":1.50}"#);
    assert_eq!(
        apply_edit_to_rates(ElementEdit::Add(new)),
        edited_rates(&[RATE_A, RATE_B, r#"Text("C") Number("1.50")"#], 2)
    );
    assert_eq!(apply_edit_to_rates(ElementEdit::Add(rate_node(r#"{"rateId":"B"}"#))), Err(409));
}

#[test]
fn a_replaced_or_patched_element_keeps_its_position_and_id() {
    let changed = r#"Text("A") Number("22")"#;
    assert_eq!(
        apply_edit_to_rates(ElementEdit::Replace("A", rate_node(r#"{"amount":22,"rateId":null}"#))),
        edited_rates(&[changed, RATE_B], 0)
    );
    assert_eq!(
        apply_edit_to_rates(ElementEdit::Merge("A", rate_node(r#"{"amount":22}"#))),
        edited_rates(&[changed, RATE_B], 0)
    );
    assert_eq!(
        apply_edit_to_rates(ElementEdit::Merge("A", rate_node("{}"))),
        edited_rates(&[RATE_A, RATE_B], 0)
    );
    assert_eq!(apply_edit_to_rates(ElementEdit::Replace("A", rate_node(r#"{"rateId":"B"}"#))), Err(400));
    assert_eq!(apply_edit_to_rates(ElementEdit::Merge("A", rate_node(r#"{"rateId":"C"}"#))), Err(400));
}

#[test]
fn a_missing_element_gets_404() {
    assert_eq!(apply_edit_to_rates(ElementEdit::Remove("B")), edited_rates(&[RATE_A], 1));
    assert_eq!(apply_edit_to_rates(ElementEdit::Remove("C")), Err(404));
    assert_eq!(apply_edit_to_rates(ElementEdit::Replace("C", rate_node("{}"))), Err(404));
    assert_eq!(apply_edit_to_rates(ElementEdit::Merge("C", rate_node("{}"))), Err(404));
}

#[test]
fn an_absent_list_is_created() {
    let worker = parse(br#"{"workerId":"W"}"#).unwrap();
    let new = rate_node(r#"{"rateId":"C","amount":"1"}"#);
    let (worker, index) = tree::apply_edit(worker, PayRate::LIST, ElementEdit::Add(new)).unwrap();
    assert_eq!((worker_summary(&worker), index), (vec![r#"Text("C") Text("1")"#.to_owned()], 0));
}
