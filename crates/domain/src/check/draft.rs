//! What the caller sent: each member absent, failed, or a value of its domain type.
//!
//! Faults that need no stored data are found here, while reading; nobody checks these values
//! again. Ids stay text: whether they are the company's is seen by looking them up.

use crate::date::Date;
use crate::id::ReferenceId;
use crate::input::{Context, Field, Members, Node, Path, values};
use crate::money::{Amount, Quantity, Rate};
use crate::report::{Fault, Report, Spot};
use crate::violation::Place;

use super::{MAX_CORRELATION_ID_LENGTH, Section};

/// A check as it was sent.
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

/// A line of a check as it was sent.
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

/// The order of what is missing at one place. The last line ends where its check ends, and what
/// the line lacks stands before what the check lacks.
mod rank {
    pub(super) const COMPONENT_ID: u8 = 1;
    pub(super) const WORKER_ID: u8 = 2;
    pub(super) const PAY_PERIOD_ID: u8 = 3;
    pub(super) const CORRELATION_ID: u8 = 4;
}

impl<'a> CheckDraft<'a> {
    /// Reads one check; `None`, and a fault, when the value is no object.
    pub(super) fn read(node: &'a Node<'a>, path: Path, report: &mut Report) -> Option<Self> {
        let context = Context { path, correlation_id: None };
        let Some(mut members) = Members::of(node, context) else {
            add_no_object(node, context, "a check", report);
            return None;
        };
        // Every other fault of the check carries the correlation id.
        let correlation_id = members.required("checkCorrelationId", rank::CORRELATION_ID, report, |node| {
            values::plain_text(node, MAX_CORRELATION_ID_LENGTH)
        });
        members.context.correlation_id = correlation_id.value().copied();
        Some(Self {
            context: members.context,
            at: node.at,
            correlation_id,
            worker_id: members.required("workerId", rank::WORKER_ID, report, values::text),
            pay_period_id: members.required("payPeriodId", rank::PAY_PERIOD_ID, report, values::text),
            paycheck_id: members.ignorable_text("paycheckId"),
            block_auto_distribution: members.optional("blockAutoDistribution", report, values::flag),
            lines: read_lines(node, members, report),
        })
    }

    /// The place of the check itself.
    pub(super) const fn spot(&self) -> Spot<'a> {
        spot(self.context, self.at)
    }

    /// The place of one of its members.
    pub(super) fn spot_of<T>(&self, name: &'static str, field: &Field<T>) -> Spot<'a> {
        spot_of(self.context, self.at, name, field)
    }
}

/// Reads the lines of all sections; a check without any is a fault of the check.
fn read_lines<'a>(check: &Node<'a>, members: Members<'a>, report: &mut Report) -> Vec<LineDraft<'a>> {
    let mut lines = Vec::new();
    let mut nothing_sent = true;
    for section in Section::ALL {
        let name = section.as_str();
        let sent = members.optional(name, report, values::array);
        nothing_sent &= sent.value().map_or(sent.is_absent(), |elements| elements.is_empty());
        let path = members.context.path.member(name);
        for (index, node) in sent.value().copied().unwrap_or_default().iter().enumerate() {
            let context = Context { path: path.element(index), ..members.context };
            lines.extend(LineDraft::read(node, context, *section, report));
        }
    }
    if nothing_sent {
        let description = "a check needs at least one line in earnings, deductions or informational";
        report.add_missing(spot(members.context, check.at), description);
    }
    lines
}

impl<'a> LineDraft<'a> {
    /// Reads one line; `None`, and a fault, when the value is no object.
    fn read(node: &'a Node<'a>, context: Context<'a>, section: Section, report: &mut Report) -> Option<Self> {
        let Some(members) = Members::of(node, context) else {
            add_no_object(node, context, "a line", report);
            return None;
        };
        Some(Self {
            context,
            at: node.at,
            section,
            component_id: members.required("componentId", rank::COMPONENT_ID, report, values::text),
            pay_rate: members.optional("payRate", report, values::rate),
            pay_rate_id: members.optional("payRateId", report, values::text),
            pay_hours: members.optional("payHours", report, values::quantity),
            pay_units: members.optional("payUnits", report, values::quantity),
            pay_amount: members.optional("payAmount", report, values::amount),
            memoed: members.optional("memoed", report, values::flag),
            line_date: members.optional("lineDate", report, values::date),
            job_id: members.optional("jobId", report, values::id),
            labor_assignment_id: members.optional("laborAssignmentId", report, values::id),
            organization_id: read_organization_id(members, report),
        })
    }

    /// The place of the line itself.
    pub(super) const fn spot(&self) -> Spot<'a> {
        spot(self.context, self.at)
    }

    /// The place of one of its members.
    pub(super) fn spot_of<T>(&self, name: &'static str, field: &Field<T>) -> Spot<'a> {
        spot_of(self.context, self.at, name, field)
    }

    /// The place of the id inside `organization`.
    pub(super) fn spot_of_organization_id(&self) -> Spot<'a> {
        let organization = Context { path: self.context.path.member("organization"), ..self.context };
        spot_of(organization, self.at, "organizationId", &self.organization_id)
    }
}

/// Reads the id of a line's unit; `organization` without one says nothing.
fn read_organization_id<'a>(line: Members<'a>, report: &mut Report) -> Field<&'a str> {
    let context = Context { path: line.context.path.member("organization"), ..line.context };
    let organization = line.optional("organization", report, |node| {
        Members::of(node, context).ok_or_else(|| Fault::invalid("must be an object"))
    });
    match organization {
        Field::Absent => Field::Absent,
        Field::Failed => Field::Failed,
        Field::Given { value, .. } => value.optional("organizationId", report, values::text),
    }
}

fn add_no_object(node: &Node<'_>, context: Context<'_>, what: &str, report: &mut Report) {
    let fault = Fault::invalid(format!("{what} must be an object"));
    report.add(fault.reason, spot(context, node.at), fault.description);
}

const fn spot(context: Context<'_>, at: u32) -> Spot<'_> {
    Spot { path: context.path, place: Place { at, rank: 0 }, correlation_id: context.correlation_id }
}

fn spot_of<'a, T>(context: Context<'a>, parent: u32, name: &'static str, field: &Field<T>) -> Spot<'a> {
    let at = match field {
        Field::Given { at, .. } => *at,
        Field::Absent | Field::Failed => parent,
    };
    spot(Context { path: context.path.member(name), ..context }, at)
}
