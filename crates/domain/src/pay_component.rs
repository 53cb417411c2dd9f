//! Pay components: what a line of a check pays or takes.

use crate::date::Date;
use crate::id::ComponentId;
use crate::named::named;
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

/// A pay component of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayComponent {
    /// Its id.
    pub component_id: ComponentId,
    /// Its name, such as `Hourly`.
    pub name: String,
    /// Two digits.
    pub code: Option<String>,
    /// What kind of pay or deduction it is.
    pub classification_type: ClassificationType,
    /// A note.
    pub description: Option<String>,
    /// What it does to the pay.
    pub effect_on_pay: EffectOnPay,
    /// The first day on which it may be used.
    pub start_date: Option<Date>,
    /// The last day on which it may be used.
    pub end_date: Option<Date>,
    /// The types of worker that it applies to; empty: all.
    pub applies_to_worker_types: Vec<WorkerType>,
    /// It pays overtime, which exempt workers do not get.
    pub overtime: bool,
    /// The product that the company must have to use it.
    pub required_product: Option<String>,
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
