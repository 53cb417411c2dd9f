//! The company of an import: its own data with addresses and products, and its locks.

use payroll_domain::audit::AuditedKind;
use payroll_domain::company::Lock;
use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_domain::id::PayPeriodId;
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::resource::CompanyRecord;

use super::super::audit_log::AuditedObject;
use super::super::objects::{Companies, LockHolders};
use super::company_import::CompanyImport;
use super::order::CompanyToImport;
use super::references;
use crate::error::{Failure, Outcome};
use crate::statement::{binds, command};

/// Stores the company with its own data. In the counts of the import, the company is one object.
pub(super) async fn store_company(
    company_import: &mut CompanyImport<'_>,
    import: &CompanyToImport,
    holders: Option<LockHolders>,
) -> Outcome<()> {
    let complete = import.source.company();
    let record = CompanyRecord {
        company: complete.company.clone(),
        products: complete.products.clone().unwrap_or_default(),
    };
    let stored = company_import.read_stored_objects::<Companies>(std::slice::from_ref(&record)).await?;
    let found = stored.get(import.company_id()).map(|found| &found.object);
    let mut new_record = record;
    if import.parent_comes {
        new_record.company.parent_company_id =
            found.and_then(|found| found.company.parent_company_id.clone());
    }
    if let (None, Some(found)) = (&complete.products, found) {
        new_record.products.clone_from(&found.products);
    }
    if found.is_none_or(|found| found.company.parent_company_id != new_record.company.parent_company_id) {
        references::check_parent(company_import.context, &new_record.company).await?;
    }
    company_import.write_objects(&[new_record], &stored).await?;
    store_lock_holders(company_import, complete, holders).await
}

/// Stores the locks of the company. Locks that are not in the file are not changed.
async fn store_lock_holders(
    company_import: &mut CompanyImport<'_>,
    complete: &CompleteCompany,
    holders: Option<LockHolders>,
) -> Outcome<()> {
    const UPDATE_LOCK_HOLDERS: &str = "UPDATE companies SET lock_holder = $1, lock_reason = $2, lock_expires = $3, \
        processing_pay_period_id = $4 WHERE company_id = $5";
    let stored = holders.unwrap_or(LockHolders { operator: None, processing_period: None });
    let new_holders = LockHolders {
        operator: complete.lock.clone().or_else(|| stored.operator.clone()),
        processing_period: find_processing_period(complete)?.or_else(|| stored.processing_period.clone()),
    };
    if new_holders == stored {
        return Ok(());
    }
    company_import.require_changeable()?;
    let lock = new_holders.operator.as_ref();
    let expires = lock.and_then(|lock| lock.expires).map(Timestamp::as_micros);
    let values = binds![
        lock.map(|lock| lock.holder.as_str()),
        lock.and_then(|lock| lock.reason.as_deref()),
        expires,
        new_holders.processing_period.as_ref().map(PayPeriodId::as_str),
        company_import.context.company_id,
    ];
    company_import.context.conn.execute(command!(UPDATE_LOCK_HOLDERS, values)).await?;
    if new_holders.operator != stored.operator {
        audit_lock_change(company_import, stored.operator.as_ref(), lock);
    }
    company_import.count_company_change();
    Ok(())
}

fn audit_lock_change(company_import: &mut CompanyImport<'_>, before: Option<&Lock>, after: Option<&Lock>) {
    let id = company_import.context.company_id;
    let about = AuditedObject { company_id: Some(id), kind: AuditedKind::Lock, id };
    company_import.record_change(about, before.map(document::write_lock), after.map(document::write_lock));
}

/// Returns the id of the period that is in processing according to the file. A file has at most one such
/// period.
fn find_processing_period(complete: &CompleteCompany) -> Outcome<Option<PayPeriodId>> {
    let periods = complete.pay_periods.iter().map(|imported| &imported.period);
    let mut processing = periods.filter(|period| period.status == PeriodStatus::Processing);
    let first = processing.next();
    match processing.next() {
        None => Ok(first.map(|period| period.pay_period_id.clone())),
        Some(second) => Err(Failure::Refused(vec![format!(
            "pay period {} cannot be in PROCESSING, because another pay period of the company is",
            second.pay_period_id
        )])),
    }
}
