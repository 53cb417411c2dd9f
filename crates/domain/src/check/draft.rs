//! Checks as the caller sent them. Each member is absent, invalid, or a value of its domain type.
//!
//! The reader reports the faults that do not depend on stored data, so the rules do not check for them again.
//! Ids remain text, because only a lookup shows if the company has them.

use crate::code::Reason;
use crate::date::Date;
use crate::id::ReferenceId;
use crate::input::{Context, Field, Members, Node, Path, values};
use crate::money::{Amount, Quantity, Rate};
use crate::report::{Fault, FaultLocation, Report};
use crate::violation::DocumentPosition;

use super::{MAX_CORRELATION_ID_LENGTH, MAX_LINES_PER_CHECK, Section};

/// A check from the request.
#[derive(Debug, Clone)]
pub(super) struct CheckDraft<'a> {
    context: Context<'a>,
    at: u32,
    pub(super) worker_id: Field<&'a str>,
    pub(super) pay_period_id: Field<&'a str>,
    pub(super) correlation_id: Field<&'a str>,
    pub(super) paycheck_id: Field<&'a str>,
    pub(super) block_auto_distribution: Field<bool>,
    pub(super) lines: Vec<LineDraft<'a>>,
}

/// A line of a check from the request.
#[derive(Debug, Clone)]
pub(super) struct LineDraft<'a> {
    context: Context<'a>,
    at: u32,
    pub(super) section: Section,
    pub(super) component_id: Field<&'a str>,
    pub(super) pay_rate: Field<Rate>,
    pub(super) pay_rate_id: Field<&'a str>,
    pub(super) pay_hours: Field<Quantity>,
    pub(super) pay_units: Field<Quantity>,
    pub(super) pay_amount: Field<Amount>,
    pub(super) memoed: Field<bool>,
    pub(super) line_date: Field<Date>,
    pub(super) job_id: Field<ReferenceId>,
    pub(super) labor_assignment_id: Field<ReferenceId>,
    pub(super) organization_id: Field<&'a str>,
}

/// The order of faults of missing members that have the same position. A missing member is reported at the
/// end of its object. The last line ends where its check ends, so missing members of that line and of the
/// check have the same position. The missing members of the line are reported first.
mod rank {
    pub(super) const COMPONENT_ID: u8 = 1;
    pub(super) const WORKER_ID: u8 = 2;
    pub(super) const PAY_PERIOD_ID: u8 = 3;
    pub(super) const CORRELATION_ID: u8 = 4;
}

impl<'a> CheckDraft<'a> {
    /// Reads one check. Reports a fault and returns `None` if the value is not an object. `path_worker_id` is
    /// the worker id in the request's path, if there is one. The check may then omit the worker id.
    pub(super) fn read(
        node: &'a Node<'a>,
        path: Path,
        path_worker_id: Option<&'a str>,
        report: &mut Report,
    ) -> Option<Self> {
        let context = Context { path, correlation_id: None };
        let Some(mut members) = Members::from_node(node, context) else {
            report_non_object(node, context, "a check", report);
            return None;
        };
        // The correlation id is read first, because every later fault of the check contains it.
        let correlation_id =
            members.read_required("checkCorrelationId", rank::CORRELATION_ID, report, |node| {
                values::read_plain_text(node, MAX_CORRELATION_ID_LENGTH)
            });
        members.context.correlation_id = correlation_id.value().copied();
        Some(Self {
            context: members.context,
            at: node.at,
            correlation_id,
            worker_id: read_worker_id(node, members, path_worker_id, report),
            pay_period_id: members.read_required(
                "payPeriodId",
                rank::PAY_PERIOD_ID,
                report,
                values::read_text,
            ),
            paycheck_id: members.read_server_text("paycheckId"),
            block_auto_distribution: members.read_optional(
                "blockAutoDistribution",
                report,
                values::read_flag,
            ),
            lines: read_lines(node, members, report),
        })
    }

    /// Returns the position of the check in the request body.
    pub(super) const fn location(&self) -> FaultLocation<'a> {
        location_at(self.context, self.at)
    }

    /// Returns the position of a member of the check, or of the check if the member is missing.
    pub(super) fn member_location<T>(&self, name: &'static str, field: &Field<T>) -> FaultLocation<'a> {
        field_location(self.context, self.at, name, field)
    }
}

/// Reads the worker id. If the path contains a worker id, the check may omit its own, but must not contain a
/// different one.
fn read_worker_id<'a>(
    check: &Node<'a>,
    members: Members<'a>,
    path_worker_id: Option<&'a str>,
    report: &mut Report,
) -> Field<&'a str> {
    let Some(of) = path_worker_id else {
        return members.read_required("workerId", rank::WORKER_ID, report, values::read_text);
    };
    let same = |node: &'a Node<'a>| {
        let worker = values::read_text(node)?;
        let same = worker == of;
        same.then_some(worker).ok_or_else(|| Fault::invalid("must be the worker in the path, or be omitted"))
    };
    match members.read_optional("workerId", report, same) {
        Field::Absent => Field::Given { value: of, at: check.at },
        field => field,
    }
}

/// Reads the lines of all sections. Adds a fault if the check has no lines or too many.
fn read_lines<'a>(check: &Node<'a>, members: Members<'a>, report: &mut Report) -> Vec<LineDraft<'a>> {
    let (mut lines, mut count) = (Vec::new(), 0);
    let mut nothing_sent = true;
    for section in Section::ALL {
        let name = section.as_str();
        let sent = members.read_optional(name, report, values::read_array);
        nothing_sent &= sent.value().map_or(sent.is_absent(), |elements| elements.is_empty());
        let path = members.context.path.with_member(name);
        let elements = sent.value().copied().unwrap_or_default();
        count += elements.len();
        let readable = if count > MAX_LINES_PER_CHECK { &[] } else { elements };
        for (index, node) in readable.iter().enumerate() {
            let context = Context { path: path.with_element(index), ..members.context };
            lines.extend(LineDraft::read(node, context, *section, report));
        }
    }
    if count > MAX_LINES_PER_CHECK {
        let description = format!("a check has at most {MAX_LINES_PER_CHECK} lines in all its sections");
        report.add(Reason::FieldInvalid, location_at(members.context, check.at), description);
    }
    if nothing_sent {
        let description = "a check needs at least one line in earnings, deductions or informational";
        report.add_missing_fault(location_at(members.context, check.at), description);
    }
    lines
}

impl<'a> LineDraft<'a> {
    /// Reads one line. Reports a fault and returns `None` if the value is not an object.
    fn read(node: &'a Node<'a>, context: Context<'a>, section: Section, report: &mut Report) -> Option<Self> {
        let Some(members) = Members::from_node(node, context) else {
            report_non_object(node, context, "a line", report);
            return None;
        };
        Some(Self {
            context,
            at: node.at,
            section,
            component_id: members.read_required("componentId", rank::COMPONENT_ID, report, values::read_text),
            pay_rate: members.read_optional("payRate", report, values::read_rate),
            pay_rate_id: members.read_optional("payRateId", report, values::read_text),
            pay_hours: members.read_optional("payHours", report, values::read_quantity),
            pay_units: members.read_optional("payUnits", report, values::read_quantity),
            pay_amount: members.read_optional("payAmount", report, values::read_amount),
            memoed: members.read_optional("memoed", report, values::read_flag),
            line_date: members.read_optional("lineDate", report, values::read_date),
            job_id: members.read_optional("jobId", report, values::read_id),
            labor_assignment_id: members.read_optional("laborAssignmentId", report, values::read_id),
            organization_id: read_organization_id(members, report),
        })
    }

    /// Returns the position of the line in the request body.
    pub(super) const fn location(&self) -> FaultLocation<'a> {
        location_at(self.context, self.at)
    }

    /// Returns the position of a member of the line, or of the line if the member is missing.
    pub(super) fn member_location<T>(&self, name: &'static str, field: &Field<T>) -> FaultLocation<'a> {
        field_location(self.context, self.at, name, field)
    }

    /// Returns the position of the id inside `organization`.
    pub(super) fn organization_id_location(&self) -> FaultLocation<'a> {
        let organization = Context { path: self.context.path.with_member("organization"), ..self.context };
        field_location(organization, self.at, "organizationId", &self.organization_id)
    }
}

/// Reads the id of the line's organization. An `organization` object without an id is ignored.
fn read_organization_id<'a>(line: Members<'a>, report: &mut Report) -> Field<&'a str> {
    let context = Context { path: line.context.path.with_member("organization"), ..line.context };
    let organization = line.read_optional("organization", report, |node| {
        Members::from_node(node, context).ok_or_else(|| Fault::invalid("must be an object"))
    });
    match organization {
        Field::Absent => Field::Absent,
        Field::Failed => Field::Failed,
        Field::Given { value, .. } => value.read_optional("organizationId", report, values::read_text),
    }
}

fn report_non_object(node: &Node<'_>, context: Context<'_>, noun: &str, report: &mut Report) {
    let fault = Fault::invalid(format!("{noun} must be an object"));
    report.add(fault.reason, location_at(context, node.at), fault.description);
}

const fn location_at(context: Context<'_>, at: u32) -> FaultLocation<'_> {
    FaultLocation {
        path: context.path,
        position: DocumentPosition { at, rank: 0 },
        correlation_id: context.correlation_id,
    }
}

fn field_location<'a, T>(
    context: Context<'a>,
    parent: u32,
    name: &'static str,
    field: &Field<T>,
) -> FaultLocation<'a> {
    let at = match field {
        Field::Given { at, .. } => *at,
        Field::Absent | Field::Failed => parent,
    };
    location_at(Context { path: context.path.with_member(name), ..context }, at)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::check::test_data::{
        check_with_line, codes_and_pointers, facts, find_faults, one_valid_check, valid_checks, validate_json,
    };

    /// Returns the faults of a line that pays by amount and also contains the given member.
    fn find_faults_with_member(member: &str, value: &Value) -> Vec<String> {
        let mut line = json!({"componentId": "hourly", "payAmount": "1", "memoed": true});
        line[member] = value.clone();
        find_faults(&check_with_line(line))
    }

    fn assert_fault_for_each(member: &str, code: &str, values: &[Value]) {
        for value in values {
            let expected =
                Vec::from_iter((!code.is_empty()).then(|| format!("{code} /0/earnings/0/{member}")));
            assert_eq!(find_faults_with_member(member, value), expected, "{member}: {value}");
        }
    }

    #[test]
    fn amounts_run_from_0_00_to_9999_99() {
        let good = [json!(0), json!("-0"), json!("0.00"), json!("9999.99"), json!("12.500"), json!(120.5)];
        assert_fault_for_each("payAmount", "", &good);
        let out_of_range = ["-0.01", "10000", "9999.99000001e0", &"9".repeat(10_000)];
        assert_fault_for_each(
            "payAmount",
            "API-28",
            &[json!(out_of_range[0]), json!(out_of_range[1]), json!(out_of_range[3])],
        );
        let invalid = [
            json!("9999.995"),
            json!("+1"),
            json!("01"),
            json!(".5"),
            json!(" 1"),
            json!("1e2"),
            json!(true),
        ];
        assert_fault_for_each("payAmount", "API-48", &invalid);
        assert_fault_for_each("payAmount", "API-48", &[json!([]), json!({}), json!(out_of_range[2])]);
    }

    #[test]
    fn hours_and_units_run_from_0_to_9999_99_with_4_decimals() {
        for member in ["payHours", "payUnits"] {
            assert_fault_for_each(
                member,
                "",
                &[json!("0"), json!("9999.99"), json!("0.0001"), json!("9999.9900")],
            );
            let invalid =
                [json!("-0.0001"), json!("9999.9901"), json!("10000"), json!("1.00001"), json!("1e2")];
            assert_fault_for_each(member, "API-48", &invalid);
        }
    }

    #[test]
    fn rates_run_from_0_to_999999_9999() {
        assert_fault_for_each("payRate", "", &[json!("0"), json!("999999.9999"), json!("0.00010")]);
        assert_fault_for_each(
            "payRate",
            "API-48",
            &[json!("-1"), json!("1000000"), json!("0.00001"), json!("9".repeat(99))],
        );
    }

    #[test]
    fn validates_the_format_of_other_members_of_a_line() {
        assert_fault_for_each(
            "lineDate",
            "",
            &[json!("2026-05-01"), json!("2026-05-01T10:00:00.000Z"), json!("")],
        );
        assert_fault_for_each(
            "lineDate",
            "API-48",
            &[json!("2026-02-30"), json!("2026-05-01T10:00:00+01:00"), json!(20260501)],
        );
        for member in ["jobId", "laborAssignmentId"] {
            assert_fault_for_each(member, "", &[json!("a-B_9"), json!("x".repeat(64)), json!(null)]);
            assert_fault_for_each(member, "API-48", &[json!("a b"), json!("x".repeat(65)), json!(5)]);
        }
        assert_fault_for_each("memoed", "API-48", &[json!("true"), json!(1)]);
        assert_fault_for_each("name", "", &[json!(5), json!("Mine"), json!([])]);
    }

    #[test]
    fn reads_numbers_by_their_text_and_not_as_floats() {
        let request = one_valid_check().to_string().replace("\"8\"", "8.00000000000000000000");
        assert_eq!(
            validate_json(&request, &facts()).unwrap()[0].lines[0].pay_hours.unwrap().to_string(),
            "8"
        );
        let request = one_valid_check().to_string().replace("\"8\"", "8.00000000000000000001");
        assert_eq!(
            codes_and_pointers(&validate_json(&request, &facts()).unwrap_err()),
            ["API-48 /0/earnings/0/payHours"]
        );
    }

    #[test]
    fn sections_are_arrays_of_objects() {
        let mut request = one_valid_check();
        request[0]["deductions"] = json!({});
        request[0]["informational"] = json!([null, [], "a"]);
        let expected = [
            "API-48 /0/deductions",
            "API-48 /0/informational/0",
            "API-48 /0/informational/1",
            "API-48 /0/informational/2",
        ];
        assert_eq!(find_faults(&request), expected);
        request[0]["earnings"] = json!([]);
        assert_eq!(find_faults(&request), expected, "what failed may have been a line");
    }

    #[test]
    fn reports_a_duplicate_member_once_and_reads_no_value() {
        let twice = r#"{"payPeriodId": "open", "workerId": "employee", "checkCorrelationId": "a",
            "checkCorrelationId": "a", "links": [], "links": [], "paycheckId": "stored", "paycheckId": "stored",
            "earnings": [{"componentId": "hourly", "payHours": 8, "payHours": 8, "name": "", "name": ""}]}"#;
        let expected = ["API-47 /checkCorrelationId", "API-47 /earnings/0/payHours"];
        assert_eq!(codes_and_pointers(&validate_json(twice, &facts()).unwrap_err()), expected);
    }

    #[test]
    fn reports_faults_in_document_order_with_the_correlation_id() {
        let text = r#"[{"earnings": [{"payAmount": "x"}, {"componentId": "bonus"}], "blockAutoDistribution": 1,
            "checkCorrelationId": "a1", "workerId": "nobody"}]"#;
        let refused = validate_json(text, &facts()).unwrap_err();
        let expected = [
            "API-48 /0/earnings/0/payAmount",
            "API-46 /0/earnings/0/componentId",
            "API-46 /0/earnings/1",
            "API-48 /0/blockAutoDistribution",
            "API-55 /0/workerId",
            "API-46 /0/payPeriodId",
        ];
        assert_eq!(codes_and_pointers(&refused), expected);
        assert!(refused.iter().all(|fault| fault.correlation_id.as_deref() == Some("a1")));
    }

    #[test]
    fn ignores_members_that_only_the_server_sets() {
        let mut request = valid_checks();
        request[0]["taxes"] = json!("whatever");
        request[0]["checkDate"] = json!(7);
        request[0]["links"] = json!([{"rel": "self"}]);
        request[0]["earnings"][0]["checkComponentId"] = json!("1");
        request[0]["earnings"][0]["effectOnPay"] = json!("REDUCTION");
        request[0]["unknown"] = json!({"a": null});
        assert!(find_faults(&request).is_empty());
    }
}
