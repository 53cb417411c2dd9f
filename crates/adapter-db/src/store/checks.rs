//! Implements the port for checks.

pub(super) mod add;
pub(super) mod change;
pub(super) mod facts;
pub(super) mod one;
pub(super) mod pages;
pub(super) mod register;
pub(super) mod remove;
pub(super) mod reversals;
pub(super) mod selection;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::check::{RequiredLookups, ValidationFacts};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{CompanyId, PayPeriodId, PaycheckId, WorkerId};
use payroll_ports::StoreError;
use payroll_ports::checks::{
    AdditionOutcome, CheckChange, CheckChangeOutcome, CheckKey, CheckStore, ChecksQuery, ChecksToRemove,
    NewChecks, PeriodChecks, RemovalOutcome, VersionedCheck,
};

use super::Store;
use crate::connections::run_on_connection;

#[async_trait]
impl CheckStore for Store {
    async fn read_checks(
        &self,
        caller: &Caller,
        query: &ChecksQuery,
    ) -> Result<Guarded<Option<PeriodChecks>>, StoreError> {
        Ok(pages::read_checks_with_access(&self.route_to_node(&query.company_id).await.db, caller, query)
            .await?)
    }

    async fn read_check(
        &self,
        caller: &Caller,
        key: &CheckKey,
    ) -> Result<Guarded<Option<VersionedCheck>>, StoreError> {
        let near = self.route_to_node(&key.company_id).await;
        Ok(run_on_connection!(near.read_by_key, |conn, caller, key| one::read_check_with_access(
            conn, &caller, &key
        ))?)
    }

    async fn read_check_validation_data(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        lookups: &RequiredLookups,
        now: Timestamp,
    ) -> Result<Guarded<ValidationFacts>, StoreError> {
        let caller = caller.clone();
        let query = facts::FactsQuery {
            caller: Some(caller.clone()),
            company_id: company_id.clone(),
            lookups: lookups.clone(),
            now,
        };
        let db = self.route_to_node(company_id).await.db;
        let read = db.read(move |conn| {
            Box::pin(async move { facts::read_check_validation_data(conn, &query, &caller).await })
        });
        Ok(read.await?)
    }

    async fn read_operator_check_validation_data(
        &self,
        company_id: &CompanyId,
        lookups: &RequiredLookups,
        now: Timestamp,
    ) -> Result<ValidationFacts, StoreError> {
        let (company_id, lookups) = (company_id.clone(), lookups.clone());
        let query = facts::FactsQuery { caller: None, company_id, lookups, now };
        Ok(self
            .db
            .read(move |conn| Box::pin(async move { facts::read_validation_data(conn, &query).await }))
            .await?)
    }

    async fn add_checks(&self, new: &NewChecks) -> Result<AdditionOutcome, StoreError> {
        let (near, sealer) = (self.route_to_node(&new.company_id).await, &self.sealer);
        add::to_addition_outcome(run_on_connection!(near.write, |conn, new, sealer| add::add_checks(
            conn, &new, &sealer
        )))
    }

    async fn companies_of_pay_period(
        &self,
        caller: &Caller,
        pay_period_id: &PayPeriodId,
    ) -> Result<Guarded<Vec<CompanyId>>, StoreError> {
        let id = pay_period_id.clone();
        Ok(run_on_connection!(self.read, |conn, caller| remove::read_companies_with_grant(
            conn, &caller, &id
        ))?)
    }

    async fn find_owner_of_check(
        &self,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<(CompanyId, WorkerId)>, StoreError> {
        let id = paycheck_id.clone();
        Ok(self
            .db
            .query_by_key(move |conn| Box::pin(async move { one::find_owner_of_check(conn, &id).await }))
            .await?)
    }

    async fn change_check(&self, change: &CheckChange) -> Result<CheckChangeOutcome, StoreError> {
        let (near, sealer) = (self.route_to_node(&change.company_id).await, &self.sealer);
        change::to_change_outcome(run_on_connection!(near.write, |conn, change, sealer| {
            change::change_check(conn, &change, &sealer)
        }))
    }

    async fn remove_checks(&self, removed: &ChecksToRemove) -> Result<RemovalOutcome, StoreError> {
        let (near, sealer) = (self.route_to_node(&removed.company_id).await, &self.sealer);
        remove::to_removal_outcome(run_on_connection!(near.write, |conn, removed, sealer| {
            remove::remove_checks(conn, &removed, &sealer)
        }))
    }
}
