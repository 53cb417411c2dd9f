//! The journal of a pay period: the processed checks as debits and credits, by account, by pay component or
//! tax, and by organization (specification §11.25).
//!
//! The checks are first added up by component, tax and organization. The memory therefore grows with the
//! number of components, taxes and organizations, and not with the number of checks. Each sum then becomes
//! one debit and one credit of the same amount, so debits always equal credits.

use std::collections::{BTreeMap, HashMap};

use super::{OrganizationLabel, PaidBy, ProcessedCheck, ProcessedLine};
use crate::company::Company;
use crate::id::{ComponentId, OrganizationId};
use crate::money::Amount;
use crate::pay_component::{EffectOnPay, PayComponent};

/// The maximum number of sums in one journal. A limit is necessary because the names of taxes are free text.
/// This limit exceeds the number of components, taxes and organizations of any real company.
pub const MAX_JOURNAL_SUMS: usize = 5_000;

/// The reason why a journal cannot be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalFault {
    /// There are more than [`MAX_JOURNAL_SUMS`] sums by component, tax and organization.
    TooManySums,
    /// A sum exceeds the range of amounts.
    TooLarge,
}

/// The general ledger accounts of a company. These accounts apply to taxes, and to pay components without an
/// account of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalAccounts {
    /// The expense account for earnings.
    pub wages_expense: String,
    /// The liability account for pay that is due to the workers.
    pub wages_payable: String,
    /// The expense account for taxes that the company pays.
    pub employer_tax_expense: String,
    /// The liability account for taxes.
    pub taxes_payable: String,
    /// The liability account for deductions that are due to third parties.
    pub deductions_payable: String,
}

/// The component or tax whose sum an entry books.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum JournalSource {
    /// The lines of a component that have this effect.
    Component {
        /// The pay component of the lines.
        component_id: ComponentId,
        /// The effect of the lines on pay.
        effect_on_pay: EffectOnPay,
    },
    /// The taxes with this name and this payer.
    Tax {
        /// The name of the tax in the processed checks.
        name: String,
        /// The payer of the tax.
        paid_by: PaidBy,
    },
}

/// One debit or credit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// The general ledger account that is debited or credited.
    pub account: String,
    /// The component or tax whose amounts the entry books.
    pub source: JournalSource,
    /// The name of the component or tax.
    pub name: String,
    /// The organization to which the lines are booked. `None` for taxes and for lines without an
    /// organization.
    pub organization: Option<OrganizationLabel>,
    /// Whether the entry is a debit and not a credit.
    pub is_debit: bool,
    /// The amount, which is greater than zero.
    pub amount: Amount,
}

/// The debits and credits of a pay period, sorted by account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// The debits and credits, sorted by account.
    pub entries: Vec<JournalEntry>,
    /// The sum of the debits, which equals the sum of the credits.
    pub total: Amount,
}

/// The sums of checks by component, tax and organization.
#[derive(Debug, Clone, Default)]
pub struct JournalSums(BTreeMap<(JournalSource, Option<OrganizationId>), Sum>);

#[derive(Debug, Clone)]
struct Sum {
    name: String,
    organization: Option<OrganizationLabel>,
    amount: Amount,
}

impl JournalAccounts {
    /// Returns the accounts that the company has set. An account that is not set has its default.
    #[must_use]
    pub fn from_company(company: &Company) -> Self {
        let or = |set: &Option<String>, usual: &str| set.clone().unwrap_or_else(|| usual.to_owned());
        Self {
            wages_expense: or(&company.wages_expense_account, "Wages expense"),
            wages_payable: or(&company.wages_payable_account, "Wages payable"),
            employer_tax_expense: or(&company.employer_tax_expense_account, "Employer tax expense"),
            taxes_payable: or(&company.taxes_payable_account, "Taxes payable"),
            deductions_payable: or(&company.deductions_payable_account, "Deductions payable"),
        }
    }

    /// Returns the debit account and the credit account of a component or tax. Returns `None` for
    /// informational lines, unless the pay component of the lines has both accounts.
    fn accounts_for<'a>(
        &'a self,
        source: &JournalSource,
        components: &'a HashMap<ComponentId, PayComponent>,
    ) -> Option<(&'a str, &'a str)> {
        let (component_id, effect_on_pay) = match source {
            JournalSource::Tax { paid_by: PaidBy::Employee, .. } => {
                return Some((&self.wages_payable, &self.taxes_payable));
            }
            JournalSource::Tax { paid_by: PaidBy::Employer, .. } => {
                return Some((&self.employer_tax_expense, &self.taxes_payable));
            }
            JournalSource::Component { component_id, effect_on_pay } => (component_id, effect_on_pay),
        };
        // The effect of a component may have changed after the line was stored. The accounts of the component
        // belong to the new effect and do not apply to the line.
        let component = components.get(component_id).filter(|it| it.effect_on_pay == *effect_on_pay);
        let own_debit = component.and_then(|it| it.debit_account.as_deref());
        let own_credit = component.and_then(|it| it.credit_account.as_deref());
        let (debit, credit) = match effect_on_pay {
            EffectOnPay::Addition => (&self.wages_expense, &self.wages_payable),
            EffectOnPay::AdditionWithInOut => (&self.wages_expense, &self.deductions_payable),
            EffectOnPay::Reduction => (&self.wages_payable, &self.deductions_payable),
            EffectOnPay::EmployerInformational => return own_debit.zip(own_credit),
        };
        Some((own_debit.unwrap_or(debit), own_credit.unwrap_or(credit)))
    }
}

impl JournalSums {
    /// Adds a check to the sums.
    ///
    /// # Errors
    /// Returns a [`JournalFault`]. The sums are incomplete after an error and must not be used.
    pub fn add(&mut self, check: ProcessedCheck) -> Result<(), JournalFault> {
        for line in check.lines {
            let ProcessedLine { component, organization, amount, .. } = line;
            let source = JournalSource::Component {
                component_id: component.component_id,
                effect_on_pay: component.effect_on_pay,
            };
            self.add_sum(source, Sum { name: component.name, organization, amount })?;
        }
        for tax in check.taxes {
            let source = JournalSource::Tax { name: tax.name.clone(), paid_by: tax.paid_by };
            self.add_sum(source, Sum { name: tax.name, organization: None, amount: tax.amount })?;
        }
        Ok(())
    }

    fn add_sum(&mut self, source: JournalSource, more: Sum) -> Result<(), JournalFault> {
        let unit = more.organization.as_ref().map(|it| it.organization_id.clone());
        let key = (source, unit);
        if let Some(sum) = self.0.get_mut(&key) {
            sum.amount = sum.amount.checked_add(more.amount).ok_or(JournalFault::TooLarge)?;
            return Ok(());
        }
        if self.0.len() >= MAX_JOURNAL_SUMS {
            return Err(JournalFault::TooManySums);
        }
        self.0.insert(key, more);
        Ok(())
    }

    /// Returns the ids of the pay components in the sums, each once.
    #[must_use]
    pub fn component_ids(&self) -> Vec<ComponentId> {
        let of_line = |(source, _): &(JournalSource, _)| match source {
            JournalSource::Component { component_id, .. } => Some(component_id.clone()),
            JournalSource::Tax { .. } => None,
        };
        // The keys are sorted by component, so equal ids are adjacent and `dedup` removes all duplicates.
        let mut components: Vec<ComponentId> = self.0.keys().filter_map(of_line).collect();
        components.dedup();
        components
    }

    /// Returns the debits and credits. `components` supplies the accounts of the pay components. A component
    /// that is missing from `components` uses the default accounts for its effect on pay. A negative sum
    /// swaps debit and credit, and a zero sum creates no entry.
    ///
    /// # Errors
    /// Returns [`JournalFault::TooLarge`] if the sum of the debits exceeds the range of amounts.
    pub fn into_journal(
        self,
        accounts: &JournalAccounts,
        components: &HashMap<ComponentId, PayComponent>,
    ) -> Result<Journal, JournalFault> {
        let mut journal = Journal { entries: Vec::new(), total: Amount::ZERO };
        for ((source, _), sum) in self.0 {
            let Some((mut debit, mut credit)) = accounts.accounts_for(&source, components) else { continue };
            let mut amount = sum.amount;
            if amount < Amount::ZERO {
                amount = Amount::ZERO.checked_sub(amount).ok_or(JournalFault::TooLarge)?;
                (debit, credit) = (credit, debit);
            }
            if amount == Amount::ZERO {
                continue;
            }
            journal.total = journal.total.checked_add(amount).ok_or(JournalFault::TooLarge)?;
            let entry = |account: &str, is_debit| JournalEntry {
                account: account.to_owned(),
                source: source.clone(),
                name: sum.name.clone(),
                organization: sum.organization.clone(),
                is_debit,
                amount,
            };
            journal.entries.extend([entry(debit, true), entry(credit, false)]);
        }
        // The sort is stable: entries of the same account stay in the order of components, taxes and
        // organizations.
        journal.entries.sort_by(|one, other| one.account.cmp(&other.account));
        Ok(journal)
    }
}

#[cfg(test)]
mod tests;
