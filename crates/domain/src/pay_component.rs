//! Pay components: what a line of a check pays or takes.

use crate::date::Date;
#[cfg(feature = "server")]
use crate::description::View;
use crate::description::described;
use crate::description::kinds::{Day, Flag, Identifier, OpenWord, Text, TwoDigits, Word};
use crate::id::ComponentId;
use crate::named::named;
use crate::object::values::{ACCOUNT, NAME, NOTE};
use crate::worker::WorkerType;

named! {
    /// What a component does to the pay.
    EffectOnPay {
        /// Adds to gross and net.
        Addition = "ADDITION",
        /// Adds to gross and is taken out of net again.
        AdditionWithInOut = "ADDITION_WITH_IN_OUT",
        /// Is for information; counts in neither.
        EmployerInformational = "EMPLOYER_INFORMATIONAL",
        /// Takes from net.
        Reduction = "REDUCTION",
    }
}

named! {
    /// What kind of pay or deduction it is.
    ClassificationType {
        /// Regular pay.
        Regular = "REGULAR",
        /// Supplemental pay.
        Supplemental = "SUPPLEMENTAL",
        /// Earnings.
        Earnings = "EARNINGS",
        /// Tips.
        Tips = "TIPS",
        /// Sick pay.
        SickPay = "SICK_PAY",
        /// Reimbursement.
        Reimbursement = "REIMBURSEMENT",
        /// Fringe benefits.
        FringeBenefits = "FRINGE_BENEFITS",
        /// Deduction.
        Deduction = "DEDUCTION",
        /// Garnishments.
        Garnishments = "GARNISHMENTS",
        /// Union dues.
        UnionDues = "UNION_DUES",
        /// Cafeteria plans.
        CafeteriaPlans = "CAFETERIA_PLANS",
        /// Retirement.
        Retirement = "RETIREMENT",
        /// IRA.
        Ira = "IRA",
        /// 401(k).
        FourOhOneK = "_401K",
        /// 403(b).
        FourOhThreeB = "_403_B_",
        /// Federal health savings account.
        FederalHealthSavingsAccount = "FEDERAL_HEALTH_SAVINGS_ACCOUNT",
        /// Private disability.
        PrivateDisability = "PRIVATE_DISABILITY",
        /// Stock options.
        StockOptions = "STOCK_OPTIONS",
        /// Transportation benefit.
        TransportationBenefit = "TRANSPORTATION_BENEFIT",
        /// Moving expenses.
        MovingExpenses = "MOVING_EXPENSES",
        /// Educational assistance.
        EducationalAssistance = "EDUCATIONAL_ASSISTANCE",
        /// Draw.
        Draw = "DRAW",
        /// Form 1099.
        TenNinetyNine = "_1099",
        /// Form 1099-MISC.
        TenNinetyNineMisc = "_1099_MISC",
        /// Informational.
        Informational = "INFORMATIONAL",
        /// Miscellaneous.
        Miscellaneous = "MISCELLANEOUS",
    }
}

/// Members that partners do not see with the component.
#[cfg(feature = "server")]
const OPERATORS_ONLY: &[View] = &[];

described! {
    /// A pay component of a company: what a line of a check pays or takes.
    pub struct PayComponent {
        /// Its id.
        "componentId" component_id: required ComponentId as Identifier;
        /// Such as "Hourly".
        "name" name: required String as Text<NAME>;
        /// Two digits.
        "code" code: optional String as TwoDigits;
        /// What kind of pay or deduction it is.
        "classificationType" classification_type: required ClassificationType as Word;
        /// A note.
        "description" description: optional String as Text<NOTE>;
        /// What it does to the pay.
        "effectOnPay" effect_on_pay: required EffectOnPay as Word;
        /// The first day on which it may be used.
        "startDate" start_date: optional Date as Day;
        /// The last day on which it may be used.
        "endDate" end_date: optional Date as Day;
        /// Whom it applies to; absent: to all.
        "appliesToWorkerTypes" applies_to_worker_types: words WorkerType as Word;
        /// It pays overtime, which exempt workers do not get.
        "overtime" overtime: flag bool as Flag;
        /// The product that the company must have to use it.
        "requiredProduct" required_product: optional String as OpenWord;
        /// The account that the journal debits for it; absent: the usual one of its effect.
        "debitAccount" debit_account: optional String as Text<ACCOUNT>, shown OPERATORS_ONLY;
        /// The account that the journal credits for it; absent: the usual one of its effect.
        "creditAccount" credit_account: optional String as Text<ACCOUNT>, shown OPERATORS_ONLY;
    }
}

impl PayComponent {
    /// Whether it may be used on that day.
    #[must_use]
    pub fn covers(&self, day: Date) -> bool {
        self.start_date.is_none_or(|start| start <= day) && self.end_date.is_none_or(|end| day <= end)
    }

    /// Whether it applies to workers of that type.
    #[must_use]
    pub fn applies_to(&self, worker_type: WorkerType) -> bool {
        self.applies_to_worker_types.is_empty() || self.applies_to_worker_types.contains(&worker_type)
    }
}
