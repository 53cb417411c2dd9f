//! The lists of an import. Each object of the file replaces the stored object with the same id.

use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::lookup::{Lookup, LookupKind};
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};
use payroll_domain::with_lookup_kind;

use super::super::objects::{
    Categories, ContactTypes, CustomFields, LookupObjects, Organizations, PayComponents, PayPeriods,
};
use super::company_import::{CompanyImport, StoredById};
use crate::error::Outcome;

/// Stores all lists except the workers. If a list is absent from the file, its stored objects are not read.
pub(super) async fn store_lists(
    company_import: &mut CompanyImport<'_>,
    complete: &CompleteCompany,
) -> Outcome<()> {
    company_import.import_objects::<Organizations>(&complete.organizations).await?;
    company_import.import_objects::<ContactTypes>(&complete.contact_types).await?;
    for kind in LookupKind::ALL {
        with_lookup_kind!(*kind, Object => {
            company_import.import_objects::<LookupObjects<Object>>(<Object as Lookup>::objects_of_kind(&complete.lookups)).await?;
        });
    }
    company_import.import_objects::<Categories>(&complete.custom_field_categories).await?;
    company_import.import_objects::<CustomFields>(&complete.custom_fields).await?;
    company_import.import_objects::<PayComponents>(&complete.pay_components).await?;
    let periods: Vec<PayPeriod> =
        complete.pay_periods.iter().map(|imported| imported.period.clone()).collect();
    let stored = company_import.read_stored_objects::<PayPeriods>(&periods).await?;
    company_import.write_objects(&keep_stored_status_entry(periods, &stored), &stored).await
}

/// Keeps the status ENTRY of stored periods that are INITIAL in the file. In such a period, checks were added
/// after the file was written.
fn keep_stored_status_entry(mut imported: Vec<PayPeriod>, stored: &StoredById<PayPeriods>) -> Vec<PayPeriod> {
    for period in imported.iter_mut().filter(|period| period.status == PeriodStatus::Initial) {
        let found = stored.get(period.pay_period_id.as_str());
        let entered = |status: PeriodStatus, checks: i64| status == PeriodStatus::Entry && checks > 0;
        if found.is_some_and(|found| entered(found.object.status, found.row.checks())) {
            period.status = PeriodStatus::Entry;
        }
    }
    imported
}
