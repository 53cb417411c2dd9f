//! Direct deposits of workers: the bank accounts that receive the workers' pay (specification §6.27). This
//! server stores the deposits and makes no payments.

use rust_decimal::Decimal;

use crate::account::AccountNumber;
use crate::code::Reason;
use crate::date::Date;
#[cfg(feature = "server")]
use crate::description::MemberView;
use crate::description::described;
use crate::description::kinds::{
    Account, Day, Enumeration, Identifier, Priority, RateFromZero, Routing, Text,
};
use crate::description::objects::{InParentRow, ListKind, Readable};
use crate::id::DirectDepositId;
use crate::money::{AMOUNT_DECIMAL_PLACES, Rate};
use crate::named::named_enum;
use crate::object::reader::ObjectReader;
use crate::object::values::{self, MAX_NAME_CHARACTERS};

/// The priority that the deposit for the remainder must have. All other deposits have a lower number and come
/// first.
pub const LOWEST_DEPOSIT_PRIORITY: u32 = values::LOWEST_DEPOSIT_PRIORITY;

named_enum! {
    /// The part of the pay that an account receives.
    PaymentType {
        /// A fixed amount in dollars.
        FlatDollarAmount = "FLAT_DOLLAR_AMOUNT",
        /// A percentage of the pay.
        Percentage = "PERCENTAGE",
        /// The pay that is left after all other deposits.
        Remainder = "REMAINDER",
    }
}

named_enum! {
    /// The kind of a bank account.
    AccountType {
        /// A checking account at a bank.
        Checking = "CHECKING",
        /// A savings account at a bank.
        Savings = "SAVINGS",
    }
}

named_enum! {
    /// The state of a direct deposit.
    DepositStatus {
        /// The deposit is used for payments.
        Active = "ACTIVE",
        /// A partner has added the deposit, and an operator has not decided yet.
        Pending = "PENDING",
        /// An operator has rejected the deposit.
        Refused = "REFUSED",
    }
}

#[expect(clippy::derivable_impls, reason = "the macro that declares the words takes no default")]
impl Default for DepositStatus {
    fn default() -> Self {
        Self::Active
    }
}

/// An empty list of partner views, for members that only operators see.
#[cfg(feature = "server")]
const OPERATOR_VIEWS_ONLY: &[MemberView] = &[];

described! {
    /// A direct deposit: a part of a worker's pay that goes to a bank account.
    pub struct DirectDeposit {
        /// The id of the direct deposit, unique among the worker's direct deposits.
        "directDepositId" direct_deposit_id: required DirectDepositId as Identifier;
        /// The first day on which the direct deposit is in force.
        "startDate" start_date: required Date as Day;
        /// How much of the pay the deposit receives: an amount, a percentage or the remainder.
        "paymentType" payment_type: required PaymentType as Enumeration;
        /// The type of the bank account.
        "accountType" account_type: required AccountType as Enumeration;
        /// The amount or the percentage of the direct deposit. Absent for REMAINDER.
        "value" value: optional Rate as RateFromZero;
        /// The routing number of the bank.
        "routingNumber" routing_number: required String as Routing;
        /// The account number at the bank.
        "accountNumber" account_number: required AccountNumber as Account;
        /// The order in which the direct deposits get their part of the pay: 1 first, 99 for REMAINDER.
        "priority" priority: required u32 as Priority;
        /// The status of the direct deposit.
        "status" status: flag DepositStatus as Enumeration;
        /// The change by a partner that no operator has accepted or rejected yet.
        "pendingChange" pending_change: optional_object DepositChange as InParentRow;
        /// The application that requested the pending or rejected change.
        "requestedBy" requested_by: optional String as Text<MAX_NAME_CHARACTERS>, shown OPERATOR_VIEWS_ONLY;
        /// The day on which the change was requested.
        "requestedDate" requested_date: optional Date as Day, shown OPERATOR_VIEWS_ONLY;
    }
}

described! {
    /// A change of a direct deposit.
    pub struct DepositChange {
        /// How much of the pay the deposit receives: an amount, a percentage or the remainder.
        "paymentType" payment_type: required PaymentType as Enumeration, in "pending_payment_type";
        /// The amount or the percentage of the direct deposit. Absent for REMAINDER.
        "value" value: optional Rate as RateFromZero, in "pending_value";
    }
}

impl DirectDeposit {
    /// Returns whether an operator has to decide about the deposit or about a change of the deposit.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        matches!(self.status, DepositStatus::Pending) || self.pending_change.is_some()
    }

    /// Returns the deposit after an operator has approved it.
    #[must_use]
    pub fn approve(self) -> Self {
        let Self { payment_type, value, .. } = self;
        let change = self.pending_change.clone().unwrap_or(DepositChange { payment_type, value });
        Self {
            payment_type: change.payment_type,
            value: change.value,
            pending_change: None,
            status: DepositStatus::Active,
            requested_by: None,
            requested_date: None,
            ..self
        }
    }

    /// Returns the deposit after an operator has rejected it. A new deposit gets the status `REFUSED`, and a
    /// changed deposit loses its pending change.
    #[must_use]
    pub fn reject(self) -> Self {
        let status = match self.status {
            DepositStatus::Pending | DepositStatus::Refused => DepositStatus::Refused,
            DepositStatus::Active => DepositStatus::Active,
        };
        Self { status, pending_change: None, ..self }
    }
}

/// Reads the list of a worker's direct deposits. At most one deposit is for the remainder, the percentages
/// add up to at most 100, and the priorities are distinct. These rules are checked twice: for the active
/// deposits, and for all deposits as if every pending change were approved.
pub(crate) struct DirectDepositListKind;

impl ListKind<DirectDeposit> for DirectDepositListKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<DirectDeposit>> {
        let (mut in_force, mut proposed) = (DepositTotals::default(), DepositTotals::default());
        object.read_list(name, |object| {
            let deposit = DirectDeposit::read(object)?;
            let current = (deposit.payment_type, deposit.value);
            let next = deposit.pending_change.as_ref().map_or(current, |it| (it.payment_type, it.value));
            let mut faults = Vec::new();
            let mut missing = Vec::new();
            let pending = deposit.pending_change.as_ref().map(|_| ("pendingChange/value", next));
            for (member, (payment_type, value)) in [("value", current)].into_iter().chain(pending) {
                if value.is_none() && payment_type != PaymentType::Remainder {
                    missing.push((
                        member,
                        format!("is missing: a direct deposit of type {payment_type} requires a value"),
                    ));
                }
                faults.extend(find_value_fault(payment_type, value).map(|rule| (member, rule)));
            }
            if (deposit.payment_type == PaymentType::Remainder) != (next.0 == PaymentType::Remainder) {
                faults.push(("paymentType", "must not change to or from REMAINDER".to_owned()));
            }
            if (deposit.payment_type == PaymentType::Remainder)
                != (deposit.priority == LOWEST_DEPOSIT_PRIORITY)
            {
                faults.push((
                    "priority",
                    format!(
                        "must be {LOWEST_DEPOSIT_PRIORITY} if paymentType is REMAINDER, and lower otherwise"
                    ),
                ));
            }
            if deposit.status != DepositStatus::Active && deposit.pending_change.is_some() {
                faults.push((
                    "pendingChange",
                    "must be absent: only a direct deposit with the status ACTIVE can have a pending change"
                        .to_owned(),
                ));
            }
            match deposit.status {
                DepositStatus::Active => {
                    faults.extend(in_force.add_and_find_fault(current, deposit.priority));
                    faults.extend(proposed.add_and_find_fault(next, deposit.priority));
                }
                DepositStatus::Pending => faults.extend(proposed.add_and_find_fault(next, deposit.priority)),
                DepositStatus::Refused => {}
            }
            faults.dedup();
            for (member, rule) in missing {
                object.report_fault(Reason::FieldMissing, member, &rule);
            }
            for (member, rule) in faults {
                object.report_fault(Reason::FieldInvalid, member, &rule);
            }
            Some(deposit)
        })
    }
}

/// Returns the rule that the value breaks for the payment type. `None` if the value is valid or absent.
fn find_value_fault(payment_type: PaymentType, value: Option<Rate>) -> Option<String> {
    match (payment_type, value.map(Rate::value)) {
        (_, None) => None,
        (PaymentType::Remainder, Some(_)) => Some("must be absent if paymentType is REMAINDER".to_owned()),
        (_, Some(value)) if value.is_zero() => Some("must be more than 0".to_owned()),
        (PaymentType::FlatDollarAmount, Some(value)) if value.normalize().scale() > AMOUNT_DECIMAL_PLACES => {
            Some("must have at most 2 decimal places: it is an amount".to_owned())
        }
        (PaymentType::Percentage, Some(value)) if value > Decimal::ONE_HUNDRED => {
            Some("must be at most 100: it is a percentage".to_owned())
        }
        (PaymentType::FlatDollarAmount | PaymentType::Percentage, Some(_)) => None,
    }
}

/// The totals of the deposits seen so far, against which the next deposit is checked.
#[derive(Default)]
struct DepositTotals {
    percent: Decimal,
    has_remainder: bool,
    priorities: Vec<u32>,
}

impl DepositTotals {
    /// Adds a deposit to the totals. Returns the faulty members of the deposit, each with the rule that it
    /// breaks.
    fn add_and_find_fault(
        &mut self,
        (payment_type, value): (PaymentType, Option<Rate>),
        priority: u32,
    ) -> Option<(&'static str, String)> {
        let is_used = self.priorities.contains(&priority);
        self.priorities.push(priority);
        match payment_type {
            PaymentType::Remainder if std::mem::replace(&mut self.has_remainder, true) => {
                return Some((
                    "paymentType",
                    "can be REMAINDER for only one direct deposit of the worker".to_owned(),
                ));
            }
            PaymentType::Percentage => {
                let percent = value.map(Rate::value).unwrap_or_default();
                self.percent = self.percent.saturating_add(percent);
                if self.percent > Decimal::ONE_HUNDRED {
                    return Some((
                        "value",
                        "must keep the sum of the percentages at or below 100".to_owned(),
                    ));
                }
            }
            PaymentType::Remainder | PaymentType::FlatDollarAmount => {}
        }
        is_used.then(|| ("priority", "must be different for each direct deposit of the worker".to_owned()))
    }
}
