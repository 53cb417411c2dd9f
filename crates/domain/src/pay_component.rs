//! Pay components: the kinds of pay and deductions in the lines of a check.

use crate::date::Date;
#[cfg(feature = "server")]
use crate::description::MemberView;
use crate::description::described;
use crate::description::kinds::{Day, Enumeration, Flag, Identifier, OpenEnumeration, Text, TwoDigits};
use crate::id::ComponentId;
use crate::named::named_enum;
use crate::object::values::{MAX_ACCOUNT_LENGTH, MAX_NAME_CHARACTERS, MAX_NOTE_LENGTH};
use crate::worker::WorkerType;

named_enum! {
    /// The effect of a pay component on pay.
    EffectOnPay {
        /// The component adds to gross earnings and to net pay.
        Addition = "ADDITION",
        /// The component adds to gross earnings and is deducted again from net pay.
        AdditionWithInOut = "ADDITION_WITH_IN_OUT",
        /// The component is informational and does not change gross earnings or net pay.
        EmployerInformational = "EMPLOYER_INFORMATIONAL",
        /// The component reduces net pay.
        Reduction = "REDUCTION",
    }
}

named_enum! {
    /// The kind of pay or deduction that a pay component is.
    ClassificationType {
        /// Regular pay of a worker.
        Regular = "REGULAR",
        /// Pay in addition to the regular pay.
        Supplemental = "SUPPLEMENTAL",
        /// Earnings of any kind.
        Earnings = "EARNINGS",
        /// Tips that the worker received.
        Tips = "TIPS",
        /// Pay for days of sickness.
        SickPay = "SICK_PAY",
        /// Reimbursement of the worker's expenses.
        Reimbursement = "REIMBURSEMENT",
        /// Taxable benefits in kind.
        FringeBenefits = "FRINGE_BENEFITS",
        /// A deduction of any kind.
        Deduction = "DEDUCTION",
        /// Garnishments of the worker's wages.
        Garnishments = "GARNISHMENTS",
        /// Dues for a labor union.
        UnionDues = "UNION_DUES",
        /// Contributions to a cafeteria plan.
        CafeteriaPlans = "CAFETERIA_PLANS",
        /// Contributions to a retirement plan.
        Retirement = "RETIREMENT",
        /// Contributions to an individual retirement account.
        Ira = "IRA",
        /// Contributions to a 401(k) plan.
        FourOhOneK = "_401K",
        /// Contributions to a 403(b) plan.
        FourOhThreeB = "_403_B_",
        /// Contributions to a federal health savings account.
        FederalHealthSavingsAccount = "FEDERAL_HEALTH_SAVINGS_ACCOUNT",
        /// Contributions to a private disability insurance.
        PrivateDisability = "PRIVATE_DISABILITY",
        /// Income from stock options.
        StockOptions = "STOCK_OPTIONS",
        /// Benefits for the worker's commute.
        TransportationBenefit = "TRANSPORTATION_BENEFIT",
        /// Payment of moving expenses.
        MovingExpenses = "MOVING_EXPENSES",
        /// Assistance with the costs of education.
        EducationalAssistance = "EDUCATIONAL_ASSISTANCE",
        /// A draw against future commissions.
        Draw = "DRAW",
        /// Pay that is reported on Form 1099.
        TenNinetyNine = "_1099",
        /// Pay that is reported on Form 1099-MISC.
        TenNinetyNineMisc = "_1099_MISC",
        /// An informational line of a check.
        Informational = "INFORMATIONAL",
        /// Any other kind of pay.
        Miscellaneous = "MISCELLANEOUS",
    }
}

/// An empty list of partner views, for members that only operators see.
#[cfg(feature = "server")]
const OPERATOR_VIEWS_ONLY: &[MemberView] = &[];

described! {
    /// A pay component of a company: a kind of earning or deduction on the lines of checks.
    pub struct PayComponent {
        /// The id of the pay component.
        "componentId" component_id: required ComponentId as Identifier;
        /// The name of the pay component, such as "Hourly".
        "name" name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The two-digit code of the pay component.
        "code" code: optional String as TwoDigits;
        /// The kind of earning or deduction that the pay component is.
        "classificationType" classification_type: required ClassificationType as Enumeration;
        /// A note about the pay component.
        "description" description: optional String as Text<MAX_NOTE_LENGTH>;
        /// The effect of the pay component on the pay of the worker.
        "effectOnPay" effect_on_pay: required EffectOnPay as Enumeration;
        /// The first day on which checks can use the pay component.
        "startDate" start_date: optional Date as Day;
        /// The last day on which checks can use the pay component.
        "endDate" end_date: optional Date as Day;
        /// The types of workers whose checks can use the pay component. Default: all types.
        "appliesToWorkerTypes" applies_to_worker_types: words WorkerType as Enumeration;
        /// Whether the pay component pays overtime, which exempt workers do not get.
        "overtime" overtime: flag bool as Flag;
        /// The product that the company needs to use the pay component.
        "requiredProduct" required_product: optional String as OpenEnumeration;
        /// The account that the journal debits. Default: the account for the effect of the component.
        "debitAccount" debit_account: optional String as Text<MAX_ACCOUNT_LENGTH>, shown OPERATOR_VIEWS_ONLY;
        /// The account that the journal credits. Default: the account for the effect of the component.
        "creditAccount" credit_account: optional String as Text<MAX_ACCOUNT_LENGTH>, shown OPERATOR_VIEWS_ONLY;
    }
}

impl PayComponent {
    /// Returns whether the component is valid on the given day.
    #[must_use]
    pub fn is_valid_on(&self, day: Date) -> bool {
        self.start_date.is_none_or(|start| start <= day) && self.end_date.is_none_or(|end| day <= end)
    }

    /// Returns whether the component applies to workers of the given type.
    #[must_use]
    pub fn applies_to(&self, worker_type: WorkerType) -> bool {
        self.applies_to_worker_types.is_empty() || self.applies_to_worker_types.contains(&worker_type)
    }
}
