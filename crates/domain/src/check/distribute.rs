//! Splits earnings over the jobs and labor assignments of a worker (specification §7.15).

use super::{Line, Section};
use crate::money::{Amount, InvalidDecimal, Quantity, Rate};
use crate::worker::AssignmentDistribution;

/// Splits the earnings of a check by the worker's distributions, and returns all lines of the check. A line
/// that already names a job or a labor assignment is not split.
///
/// # Errors
/// Returns an error if a number exceeds the range of amounts. The numbers of validated lines never exceed
/// this range.
pub(super) fn distribute_lines(
    lines: Vec<Line>,
    distributions: &[AssignmentDistribution],
) -> Result<Vec<Line>, InvalidDecimal> {
    let weights: Vec<Rate> = distributions.iter().map(|part| part.value).collect();
    if weights.iter().all(|weight| *weight == Rate::ZERO) {
        return Ok(lines);
    }
    let mut split = Vec::with_capacity(lines.len());
    for line in lines {
        let is_booked = line.job_id.is_some() || line.labor_assignment_id.is_some();
        if is_booked || line.section != Section::Earnings {
            split.push(line);
        } else {
            split.extend(split_line(&line, distributions, &weights)?);
        }
    }
    Ok(split)
}

/// One distribution's share of a line's hours, units and amount.
struct LineShare {
    hours: Option<Quantity>,
    units: Option<Quantity>,
    amount: Option<Amount>,
}

impl LineShare {
    fn is_zero(&self) -> bool {
        let is_zero = |quantity: Option<Quantity>| quantity.is_none_or(|it| it == Quantity::ZERO);
        is_zero(self.hours) && is_zero(self.units) && self.amount.is_none_or(|it| it == Amount::ZERO)
    }
}

/// Splits a line into one line for each distribution. Lines with a share of zero are omitted. If all shares
/// are zero, only the first line is returned.
fn split_line(
    line: &Line,
    distributions: &[AssignmentDistribution],
    weights: &[Rate],
) -> Result<Vec<Line>, InvalidDecimal> {
    let hours = line.pay_hours.map(|it| it.split(weights)).transpose()?;
    let units = line.pay_units.map(|it| it.split(weights)).transpose()?;
    let amounts = line.amount().map(|it| it.split(weights)).transpose()?;
    let shares = (0..distributions.len()).map(|at| LineShare {
        hours: get_share(hours.as_deref(), at),
        units: get_share(units.as_deref(), at),
        amount: get_share(amounts.as_deref(), at),
    });
    let all: Vec<_> = distributions.iter().zip(shares).collect();
    let is_nothing = all.iter().all(|(_, share)| share.is_zero());
    let remaining = all.iter().enumerate().filter(|(at, (_, share))| match is_nothing {
        true => *at == 0,
        false => !share.is_zero(),
    });
    Ok(remaining
        .map(|(_, (distribution, share))| create_line_for_distribution(line, distribution, share))
        .collect())
}

/// Returns the line for one distribution. The new line states its amount if the original line does. The
/// amount is also stated if hours or units times rate would give a different result, because of rounding.
fn create_line_for_distribution(
    line: &Line,
    distribution: &AssignmentDistribution,
    share: &LineShare,
) -> Line {
    let by_quantity = Line {
        job_id: distribution.job_id.clone(),
        labor_assignment_id: distribution.labor_assignment_id.clone(),
        pay_hours: share.hours,
        pay_units: share.units,
        pay_amount: None,
        ..line.clone()
    };
    let is_stated = line.pay_amount.is_some() || by_quantity.amount() != share.amount;
    Line { pay_amount: share.amount.filter(|_| is_stated), ..by_quantity }
}

fn get_share<T: Copy>(column: Option<&[T]>, at: usize) -> Option<T> {
    column?.get(at).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::check::test_data::{check_with_line, facts, find_faults_after_change, validate_json};
    use crate::check::{Check, ValidationFacts};

    fn distribution(job: &str, value: &str) -> AssignmentDistribution {
        AssignmentDistribution {
            job_id: Some(job.parse().unwrap()),
            labor_assignment_id: None,
            value: Rate::parse(value).unwrap(),
        }
    }

    /// Returns facts in which the employee's work is distributed over job-0, job-1 and so on, with these
    /// percentages.
    fn facts_with_distributions(values: &[&str]) -> ValidationFacts {
        let mut facts = facts();
        let parts = values.iter().enumerate();
        let parts = parts.map(|(at, value)| distribution(&format!("job-{at}"), value)).collect();
        facts.workers.get_mut("employee").unwrap().distributions = parts;
        facts
    }

    /// Returns the job, the hours, the stated amount and the computed amount of each line.
    fn line_summaries(check: &Check) -> Vec<[String; 4]> {
        let text = |value: Option<String>| value.unwrap_or_default();
        let lines = check.lines.iter().map(|line| {
            [
                text(line.job_id.as_ref().map(ToString::to_string)),
                text(line.pay_hours.or(line.pay_units).map(|it| it.to_string())),
                text(line.pay_amount.map(|it| it.to_string())),
                text(line.amount().map(|it| it.to_string())),
            ]
        });
        lines.collect()
    }

    fn distribute_and_summarize(line: Value, values: &[&str]) -> Vec<[String; 4]> {
        line_summaries(
            &validate_json(&check_with_line(line).to_string(), &facts_with_distributions(values)).unwrap()[0],
        )
    }

    #[test]
    fn hours_are_split_and_their_amounts_add_up() {
        let hours = json!({"componentId": "hourly", "payHours": "8", "lineDate": "2026-05-04"});
        assert_eq!(
            distribute_and_summarize(hours, &["62.5", "37.5"]),
            [["job-0", "5", "", "100.00"], ["job-1", "3", "", "60.00"]]
        );
    }

    #[test]
    fn states_the_amount_if_rounding_would_lose_a_cent() {
        // The line pays 1 hour at a rate of 0.05 and is split equally over two jobs. Each half would be
        // rounded from 0.025 to 0.03, so the sum would be one cent too much.
        let hours = json!({"componentId": "hourly", "payHours": "1", "payRate": "0.05"});
        assert_eq!(
            distribute_and_summarize(hours, &["50", "50"]),
            [["job-0", "0.5", "", "0.03"], ["job-1", "0.5", "0.02", "0.02"]]
        );
    }

    #[test]
    fn an_amount_is_split_by_largest_remainder() {
        let amount = json!({"componentId": "bonus", "payAmount": "100.00"});
        assert_eq!(
            distribute_and_summarize(amount, &["33.33", "33.33", "33.34"]),
            [
                ["job-0", "", "33.33", "33.33"],
                ["job-1", "", "33.33", "33.33"],
                ["job-2", "", "33.34", "33.34"]
            ]
        );
        let cent = json!({"componentId": "bonus", "payAmount": "0.01"});
        assert_eq!(
            distribute_and_summarize(cent, &["40", "60"]),
            [["job-1", "", "0.01", "0.01"]],
            "a part of nothing is left out"
        );
        let nothing = json!({"componentId": "bonus", "payAmount": "0"});
        assert_eq!(distribute_and_summarize(nothing, &["40", "60"]), [["job-0", "", "0.00", "0.00"]]);
    }

    #[test]
    fn does_not_split_booked_or_non_earning_lines_or_blocked_checks() {
        let booked = json!({"componentId": "hourly", "payHours": "8", "jobId": "mine"});
        assert_eq!(distribute_and_summarize(booked, &["50", "50"]), [["mine", "8", "", "160.00"]]);
        let mut request = check_with_line(json!({"componentId": "hourly", "payHours": "8"}));
        request[0]["informational"] = json!([{"componentId": "match", "payAmount": "10"}]);
        request[0]["blockAutoDistribution"] = json!(true);
        let facts = facts_with_distributions(&["50", "50"]);
        assert_eq!(validate_json(&request.to_string(), &facts).unwrap()[0].lines.len(), 2);
        request[0]["blockAutoDistribution"] = json!(false);
        let check = &validate_json(&request.to_string(), &facts).unwrap()[0];
        let expected = [["job-0", "4", "", "80.00"], ["job-1", "4", "", "80.00"], ["", "", "10.00", "10.00"]];
        assert_eq!(line_summaries(check), expected);
    }

    #[test]
    fn a_check_that_would_have_too_many_lines_is_rejected() {
        let mut request = check_with_line(json!({"componentId": "hourly", "payHours": "8"}));
        let line = request[0]["earnings"][0].clone();
        request[0]["earnings"] = Value::Array(vec![line; 251]);
        let split_in_two = |facts: &mut ValidationFacts| *facts = facts_with_distributions(&["50", "50"]);
        assert_eq!(find_faults_after_change(&request, split_in_two), ["API-48 /0"]);
        request[0]["blockAutoDistribution"] = json!(true);
        assert_eq!(find_faults_after_change(&request, split_in_two), Vec::<String>::new());
    }

    /// Generates percentages with two decimals that add up to 100.
    fn any_percentages() -> impl Strategy<Value = Vec<Rate>> {
        proptest::collection::vec(1_u32..10_000, 0..8).prop_map(|mut cuts| {
            cuts.sort_unstable();
            cuts.push(10_000);
            let starts = std::iter::once(0).chain(cuts.clone());
            let widths = starts.zip(cuts).map(|(from, to)| to - from);
            widths.map(|width| Rate::from_ten_thousandths(i64::from(width) * 100).unwrap()).collect()
        })
    }

    proptest! {
        #[test]
        fn the_distributed_lines_add_up_to_the_original_line(
            percentages in any_percentages(),
            quantity in 0_i64..100_000_000,
            rate in 0_i64..1_000_000,
            kind in 0..3_u8,
        ) {
            let parts: Vec<_> = percentages.iter().enumerate().map(|(at, value)| AssignmentDistribution {
                job_id: Some(format!("job-{at}").parse().unwrap()),
                labor_assignment_id: None,
                value: *value,
            }).collect();
            let request = check_with_line(json!({"componentId": "bonus", "payAmount": "1"}));
            let template = validate_json(&request.to_string(), &facts());
            let template = template.unwrap().remove(0).lines.remove(0);
            let number = Quantity::from_ten_thousandths(quantity).unwrap();
            let line = Line {
                pay_hours: (kind == 0).then_some(number),
                pay_units: (kind == 1).then_some(number),
                pay_amount: (kind == 2).then(|| Amount::round_to_cents(number.value())),
                pay_rate: (kind < 2).then(|| Rate::from_ten_thousandths(rate).unwrap()),
                ..template
            };
            let split = distribute_lines(vec![line.clone()], &parts).unwrap();
            let sum = |of: &dyn Fn(&Line) -> rust_decimal::Decimal| split.iter().map(of).sum::<rust_decimal::Decimal>();
            let hours = |line: &Line| line.pay_hours.unwrap_or_default().value();
            let units = |line: &Line| line.pay_units.unwrap_or_default().value();
            let amount = |line: &Line| line.amount().unwrap().value();
            prop_assert_eq!(sum(&hours), hours(&line));
            prop_assert_eq!(sum(&units), units(&line));
            prop_assert_eq!(sum(&amount), amount(&line));
            prop_assert!(!split.is_empty() && split.len() <= parts.len());
            prop_assert!(split.iter().all(|part| amount(part) >= rust_decimal::Decimal::ZERO));
        }
    }
}
