//! Returns masked values in full, and records each such disclosure in the audit log.

use std::sync::Arc;

use async_trait::async_trait;
use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::id::CompanyId;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::tax_id::LegalId;
use payroll_ports::StoreError;
use payroll_ports::disclosures::DisclosureStore;
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::resources::ObjectQuery;
use super::super::{Conn, Store, objects, remove_nul};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::seal::Sealer;

#[async_trait]
impl DisclosureStore for Store {
    async fn reveal_tax_id(
        &self,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
        audit: &AuditContext,
    ) -> Result<Option<LegalId>, StoreError> {
        if kind == ResourceKind::Company && id != company_id.as_str() {
            return Ok(None);
        }
        let (company_id, sealer) = (company_id.clone(), Arc::clone(&self.sealer));
        let object = ObjectQuery { company_id, kind, id: remove_nul(id), sealer };
        Ok(run_on_connection!(self.write, |conn, audit| reveal_object(conn, object, &audit))?)
    }

    async fn record_export(&self, company_id: &CompanyId, audit: &AuditContext) -> Result<bool, StoreError> {
        let sealer = &self.sealer;
        Ok(run_on_connection!(self.write, |conn, company_id, audit, sealer| record_export(
            conn,
            &company_id,
            &audit,
            &sealer
        ))?)
    }
}

async fn reveal_object(conn: &Conn, object: ObjectQuery, audit: &AuditContext) -> Outcome<Option<LegalId>> {
    let (company_id, sealer) = (object.company_id.clone(), Arc::clone(&object.sealer));
    let Some(found) = object.read(conn).await? else { return Ok(None) };
    let found = found.value;
    let legal_id = match &found {
        Resource::Company(record) => record.company.legal_id.clone(),
        Resource::Worker(worker) => worker.legal_id.clone(),
        _ => None,
    };
    if legal_id.is_some() {
        let mut audit_log = AuditLog::new(audit, &sealer);
        let about = AuditedObject {
            company_id: Some(company_id.as_str()),
            kind: found.kind().into(),
            id: found.id(),
        };
        audit_log.record_disclosure(about, AuditAction::Reveal);
        audit_log.store_records(conn).await?;
    }
    Ok(legal_id)
}

async fn record_export(
    conn: &Conn,
    company_id: &CompanyId,
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<bool> {
    let id = company_id.as_str();
    if objects::read_lock_holders(conn, id).await?.is_none() {
        return Ok(false);
    }
    let mut audit_log = AuditLog::new(audit, sealer);
    let about = AuditedObject { company_id: Some(id), kind: AuditedKind::Company, id };
    audit_log.record_disclosure(about, AuditAction::Export);
    audit_log.store_records(conn).await?;
    Ok(true)
}
