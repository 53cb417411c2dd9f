//! Writes a company with all its objects piece by piece, as a line of an import file.

use super::resource::write_lock_members;
use crate::check::{OrganizationLabel, ProcessedCheck, ProcessedLine, Section};
use crate::company::Lock;
use crate::object::writer::{ObjectWriter, TaxIdMasking};
use crate::resource::{CompanyRecord, Resource, ResourceKind};

/// Writes one line of an import file in the form that [`read_company`](super::read_company) reads. The
/// company comes first, then its objects kind by kind. The checks of a processed pay period follow their
/// period.
///
/// The caller regularly calls [`take_text`](Self::take_text) for the text so far, so a large company is never
/// completely in memory.
///
/// ```
/// use payroll_domain::document::{self, CompanyWriter};
/// use payroll_domain::resource::Resource;
/// let line = br#"{"companyId":"C","displayId":"1","legalName":"Example LLC","converting":false,"calculationBases":[{"calculationBaseId":"B","calculationBaseName":"All"}]}"#;
/// let complete = document::read_company(&payroll_domain::input::parse(line).unwrap()).unwrap();
/// # let record = payroll_domain::resource::CompanyRecord { company: complete.company.clone(), products: Vec::new() };
/// let mut writer = CompanyWriter::begin_company(&record, None);
/// complete.lookups.objects().map(Resource::Lookup).for_each(|base| writer.write_object(&base));
/// let mut expected = line.to_vec();
/// expected.push(b'\n');
/// assert_eq!(writer.end_company().into_bytes(), expected);
/// ```
pub struct CompanyWriter {
    text: String,
    /// The kind of the objects in the JSON list that is not closed yet. `None` if no list is open.
    open_list: Option<ResourceKind>,
    /// Whether the JSON object of the last pay period is not closed yet, because its checks may follow.
    is_period_open: bool,
    /// Whether the JSON list of the last pay period's checks is not closed yet.
    is_check_list_open: bool,
}

impl CompanyWriter {
    /// Starts the line with the company's own members.
    #[must_use]
    pub fn begin_company(record: &CompanyRecord, company_lock: Option<&Lock>) -> Self {
        let mut text = String::new();
        ObjectWriter::open_object(&mut text, TaxIdMasking::Unmasked, |object| {
            object.write_members(record);
            object.write_object_member("lock", company_lock, write_lock_members);
        });
        Self { text, open_list: None, is_period_open: false, is_check_list_open: false }
    }

    /// Writes an object of the company. The caller must write all objects of a kind consecutively, because
    /// each kind is one list.
    pub fn write_object(&mut self, resource: &Resource) {
        self.end_period();
        let kind = resource.kind();
        if self.open_list == Some(kind) {
            self.text.push(',');
        } else {
            self.end_list();
            ObjectWriter::open_list(&mut self.text, kind.list_member());
            self.open_list = Some(kind);
        }
        if kind == ResourceKind::PayPeriod {
            ObjectWriter::open_object(&mut self.text, TaxIdMasking::Unmasked, |object| {
                object.write_members(resource)
            });
            self.is_period_open = true;
        } else {
            ObjectWriter::write_element(&mut self.text, TaxIdMasking::Unmasked, |object| {
                object.write_members(resource)
            });
        }
    }

    /// Writes a check of the pay period that was written last.
    pub fn add_check(&mut self, check: &ProcessedCheck) {
        if self.is_check_list_open {
            self.text.push(',');
        } else {
            ObjectWriter::open_list(&mut self.text, "checks");
            self.is_check_list_open = true;
        }
        ObjectWriter::write_element(&mut self.text, TaxIdMasking::Unmasked, |object| {
            write_check(check, object)
        });
    }

    /// Returns the text that was written so far and empties the buffer.
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Ends the line of the company. Returns the text since the last call of [`take_text`](Self::take_text),
    /// with the final line feed.
    #[must_use]
    pub fn end_company(mut self) -> String {
        self.end_period();
        self.end_list();
        self.text.push_str("}\n");
        self.text
    }

    fn end_list(&mut self) {
        if self.open_list.take().is_some() {
            self.text.push(']');
        }
    }

    fn end_period(&mut self) {
        if std::mem::take(&mut self.is_check_list_open) {
            self.text.push(']');
        }
        if std::mem::take(&mut self.is_period_open) {
            self.text.push('}');
        }
    }
}

/// Writes a processed check as its own line. The format is that of a check within its pay period in an
/// import. In addition, the line contains the id and the check date of the period.
pub fn write_check_line(check: &ProcessedCheck, out: &mut String) {
    ObjectWriter::write_element(out, TaxIdMasking::Unmasked, |object| {
        object.write_text("payPeriodId", &check.pay_period_id);
        object.write_text("checkDate", check.check_date);
        write_check(check, object);
    });
    out.push('\n');
}

/// Shows the state of the writer but not the text, because the text contains unmasked tax IDs.
impl std::fmt::Debug for CompanyWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompanyWriter").field("list", &self.open_list).finish_non_exhaustive()
    }
}

/// Writes the members of a processed check, except its pay period and its check date. In an import file,
/// these two values are members of the pay period that contains the check.
fn write_check(check: &ProcessedCheck, object: &mut ObjectWriter<'_>) {
    object.write_text("paycheckId", &check.paycheck_id);
    object.write_text("workerId", &check.worker_id);
    object.write_optional("checkCorrelationId", check.correlation_id.as_ref());
    object.write_text("netPay", check.net_pay);
    object.write_text("grossEarnings", check.gross_earnings);
    object.write_text("checkType", &check.check_type);
    object.write_optional("checkNumber", check.check_number.as_ref());
    object.write_optional("reversalOf", check.reversal_of.as_ref());
    for section in Section::ALL {
        let lines: Vec<_> = check.lines.iter().filter(|line| line.section == *section).collect();
        object.write_object_list(section.as_str(), &lines, |line, object| write_line(line, object));
    }
    object.write_object_list("taxes", &check.taxes, |tax, object| {
        object.write_text("name", &tax.name);
        object.write_text("amount", tax.amount);
        object.write_text("paidBy", tax.paid_by);
    });
}

fn write_line(line: &ProcessedLine, object: &mut ObjectWriter<'_>) {
    object.write_text("checkComponentId", &line.check_component_id);
    object.write_text("componentId", &line.component.component_id);
    object.write_text("name", &line.component.name);
    object.write_text("classificationType", line.component.classification_type);
    object.write_text("effectOnPay", line.component.effect_on_pay);
    object.write_flag("memoed", line.memoed);
    object.write_text("amount", line.amount);
    object.write_optional("rate", line.rate);
    object.write_optional("hours", line.hours);
    object.write_optional("units", line.units);
    object.write_optional_day("lineDate", line.line_date);
    object.write_optional("jobId", line.job_id.as_ref());
    object.write_optional("laborAssignmentId", line.labor_assignment_id.as_ref());
    object.write_object_member("organization", line.organization.as_ref(), write_organization);
}

fn write_organization(label: &OrganizationLabel, object: &mut ObjectWriter<'_>) {
    object.write_text("organizationId", &label.organization_id);
    object.write_text("name", &label.name);
    object.write_optional("number", label.number.as_ref());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete_company::CompleteCompany;
    use crate::document::read_company;
    use crate::input;

    /// A company document with every member that a line can contain.
    const COMPLETE_COMPANY: &str = include_str!("tests/complete_company.json");

    fn read_company_line(line: &str) -> CompleteCompany {
        read_company(&input::parse(line.as_bytes()).unwrap()).unwrap()
    }

    fn export_lines(complete: &CompleteCompany) -> String {
        let products = complete.products.clone().unwrap_or_default();
        let record = CompanyRecord { company: complete.company.clone(), products };
        let mut writer = CompanyWriter::begin_company(&record, complete.lock.as_ref());
        let mut line = String::new();
        for object in complete.resources().iter().filter(|it| it.kind() != ResourceKind::Company) {
            writer.write_object(object);
            line.push_str(&writer.take_text());
            if let Resource::PayPeriod(period) = object {
                let of_period = complete.pay_periods.iter().filter(|it| it.period == **period);
                of_period.flat_map(|it| &it.processed_checks).for_each(|check| writer.add_check(check));
            }
        }
        line.push_str(&writer.end_company());
        line
    }

    #[test]
    fn a_written_company_reads_back_equal() {
        let complete = read_company_line(COMPLETE_COMPANY);
        assert!(complete.pay_periods.iter().any(|period| !period.processed_checks.is_empty()));
        let line = export_lines(&complete);
        assert_eq!(line.lines().count(), 1);
        assert_eq!(read_company_line(&line), complete);
    }

    #[test]
    fn a_check_as_a_line_is_read_within_its_period() {
        let complete = read_company_line(COMPLETE_COMPANY);
        for imported in &complete.pay_periods {
            let mut lines = String::new();
            imported.processed_checks.iter().for_each(|check| write_check_line(check, &mut lines));
            assert_eq!(lines.lines().count(), imported.processed_checks.len());
            let mut writer = CompanyWriter::begin_company(
                &CompanyRecord { company: complete.company.clone(), products: Vec::new() },
                None,
            );
            writer.write_object(&Resource::PayPeriod(Box::new(imported.period.clone())));
            let line = writer.end_company();
            let with_checks = format!(r#","checks":[{}]}}]}}"#, lines.trim_end().replace('\n', ","));
            let line = line.trim_end().strip_suffix("}]}").unwrap().to_owned() + &with_checks;
            assert_eq!(read_company_line(&line).pay_periods, std::slice::from_ref(imported));
        }
    }

    #[test]
    fn writes_an_empty_company_as_a_line() {
        let complete =
            read_company_line(r#"{"companyId":"A","displayId":"1","legalName":"A \"quoted\" name"}"#);
        assert_eq!(read_company_line(&export_lines(&complete)), complete);
    }
}
