//! Tax settings of workers. This server stores the settings but does not compute taxes.

use crate::code::Reason;
use crate::description::described;
use crate::description::kinds::{
    AmountFromZero, Enumeration, Flag, Identifier, Percentage, QuantityFromZero, Subdivision, Text,
};
#[cfg(feature = "server")]
use crate::description::objects::InParentRow;
#[cfg(feature = "server")]
use crate::description::objects::StoredInSeparateTable;
use crate::description::objects::{ListKind, ObjectKind, Readable, SeparateTable};
use crate::id::TaxDeductionId;
use crate::money::{Amount, Quantity, Rate};
use crate::named::named_enum;
use crate::object::reader::ObjectReader;
use crate::object::values::{MAX_NAME_CHARACTERS, MAX_NOTE_LENGTH, read_subdivision};

named_enum! {
    /// The federal filing status.
    FilingStatus {
        /// Single, or married filing separately.
        Single = "SINGLE_OR_MARRIED_FILING_SEPARATELY",
        /// Married and filing jointly.
        MarriedFilingJointly = "MARRIED_FILING_JOINTLY",
        /// The head of a household.
        HeadOfHousehold = "HEAD_OF_HOUSEHOLD",
    }
}

named_enum! {
    /// Whether tax is withheld from the pay.
    TaxStatusType {
        /// Tax is withheld from the pay.
        Withhold = "WITHHOLD",
        /// The worker is exempt from the tax.
        Exempt = "EXEMPT",
    }
}

described! {
    /// Tax settings of a worker. The server stores them and does not compute taxes.
    #[derive(Default)]
    pub struct TaxSettings {
        /// The federal tax settings.
        "federal" federal: optional_object FederalTax as SeparateTable;
        /// The tax settings of each state.
        "states" states: list StateTax as SeparateTable;
    }
}

described! {
    /// The federal tax settings of a worker.
    #[derive(Default)]
    pub struct FederalTax {
        /// The filing status of the worker.
        "filingStatus" filing_status: optional FilingStatus as Enumeration;
        /// Whether the worker or their spouse has more than one job.
        "multipleJobs" multiple_jobs: optional bool as Flag;
        /// The amount that the worker claims for dependents.
        "dependentsAmount" dependents_amount: optional Amount as AmountFromZero;
        /// The amount of other income that the worker states.
        "otherIncome" other_income: optional Amount as AmountFromZero;
        /// The amount of deductions that the worker claims.
        "deductionsAmount" deductions_amount: optional Amount as AmountFromZero;
        /// An amount that is withheld in addition to the calculated tax.
        "extraWithholdingAmount" extra_withholding_amount: optional Amount as AmountFromZero;
        /// A percentage of the pay that is withheld in addition to the calculated tax.
        "extraWithholdingPercentage" extra_withholding_percentage: optional Rate as Percentage;
        /// Whether tax is withheld from the worker's pay.
        "taxesWithheld" taxes_withheld: optional bool as Flag;
        /// An amount that is withheld instead of the calculated tax.
        "overrideWithholdingAmount" override_withholding_amount: optional Amount as AmountFromZero;
        /// A percentage of the pay that is withheld instead of the calculated tax.
        "overrideWithholdingPercentage" override_withholding_percentage: optional Rate as Percentage;
    }
}

described! {
    /// The tax settings of a worker for one state.
    pub struct StateTax {
        /// The second part of the ISO 3166-2 code of the state, such as AZ.
        "countrySubdivisionCode" country_subdivision_code: required String as Subdivision;
        /// Whether the worker lives in the state.
        "isResidentState" is_resident_state: optional bool as Flag;
        /// The percentage of the pay that is allocated to the state.
        "stateAllocationPercent" state_allocation_percent: optional Rate as Percentage;
        /// The filing status of the worker, in the terms of the state.
        "filingStatusType" filing_status_type: optional String as Text<MAX_NAME_CHARACTERS>;
        /// An amount that is withheld in addition to the calculated tax.
        "additionalAmount" additional_amount: optional Amount as AmountFromZero;
        /// A percentage of the pay that is withheld in addition to the calculated tax.
        "additionalPercent" additional_percent: optional Rate as Percentage;
        /// Whether tax is withheld from the worker's pay.
        "taxStatusType" tax_status_type: optional TaxStatusType as Enumeration;
        /// An amount that is withheld instead of the calculated tax.
        "flatDollarOverride" flat_dollar_override: optional Amount as AmountFromZero;
        /// A percentage of the pay that is withheld instead of the calculated tax.
        "overridePercent" override_percent: optional Rate as Percentage;
        /// The reason for which no tax is withheld.
        "exemptionReasonDescription" exemption_reason_description: optional String as Text<MAX_NOTE_LENGTH>;
        /// Allowances and credits of the state, such as the total number of allowances.
        "workerTaxDeductions" deductions: list StateTaxDeduction as StateTaxDeductionListKind;
    }
}

described! {
    /// An allowance or a credit that a state's withholding form asks for, as an amount or as a number.
    pub struct StateTaxDeduction {
        /// The id of the deduction, unique within the worker's tax settings of one state.
        "workerTaxDeductionId" deduction_id: required TaxDeductionId as Identifier;
        /// Name of the deduction, such as "Total Number of Allowances".
        "workerTaxDeductionName" name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The value of the deduction if it is an amount in dollars.
        "amount" amount: optional Amount as AmountFromZero;
        /// The value of the deduction if it is a number, such as the number of allowances.
        "quantity" quantity: optional Quantity as QuantityFromZero;
    }
}

#[cfg(feature = "server")]
described! {
    /// A deduction of a state as a row, which names the state.
    pub struct StateTaxDeductionRow {
        /// The state's second part of an ISO 3166-2 code.
        "countrySubdivisionCode" country_subdivision_code: required String as Subdivision;
        /// The deduction, whose members are columns of the same row.
        "deduction" deduction: required_object StateTaxDeduction as InParentRow;
    }
}

#[cfg(feature = "server")]
impl StateTax {
    /// Returns the deductions of the state as rows, each with the state.
    pub fn to_deduction_rows(&self) -> impl Iterator<Item = StateTaxDeductionRow> + '_ {
        self.deductions.iter().map(|deduction| StateTaxDeductionRow {
            country_subdivision_code: self.country_subdivision_code.clone(),
            deduction: deduction.clone(),
        })
    }
}

/// Reads the list of a state's tax deductions and limits their number.
pub(crate) struct StateTaxDeductionListKind;

/// The maximum number of deductions of a state. The withholding form of a state has fewer than ten.
const MAX_STATE_DEDUCTIONS: usize = 50;

impl ListKind<StateTaxDeduction> for StateTaxDeductionListKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<StateTaxDeduction>> {
        let deductions = object.read_list(name, StateTaxDeduction::read)?;
        if deductions.len() > MAX_STATE_DEDUCTIONS {
            let rule =
                format!("has {} elements, and must have at most {MAX_STATE_DEDUCTIONS}", deductions.len());
            object.report_fault(Reason::FieldInvalid, name, &rule);
        }
        Some(deductions)
    }
}

/// The kind of a worker's tax settings. The work state in the document is only validated here, because the
/// server stores the work state as a member of the worker.
pub(crate) struct TaxSettingsKind;

impl ObjectKind<TaxSettings> for TaxSettingsKind {
    fn read(object: &mut ObjectReader<'_>) -> Option<TaxSettings> {
        let work_state = object.read_optional("workState", read_subdivision);
        let settings = TaxSettings::read(object);
        work_state.and(settings)
    }
}

#[cfg(feature = "server")]
impl StoredInSeparateTable for TaxSettingsKind {}
