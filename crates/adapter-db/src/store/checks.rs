//! Implements the port for checks.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::check::{Facts, Wanted};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{CompanyId, PayPeriodId, PaycheckId, WorkerId};
use payroll_ports::StoreError;
use payroll_ports::checks::{
    Addition, ChangedCheck, CheckChange, CheckKey, CheckStore, ChecksQuery, ChecksToRemove, FoundCheck,
    NewChecks, PeriodChecks, Removal,
};

use super::{Store, add_checks, change_check, check_facts, check_pages, one_check, remove_checks};
use crate::connections::on_connection;

#[async_trait]
impl CheckStore for Store {
    async fn checks(
        &self,
        caller: &Caller,
        query: &ChecksQuery,
    ) -> Result<Guarded<Option<PeriodChecks>>, StoreError> {
        Ok(check_pages::guarded(&self.near(&query.company_id).await.db, caller, query).await?)
    }

    async fn check(
        &self,
        caller: &Caller,
        key: &CheckKey,
    ) -> Result<Guarded<Option<FoundCheck>>, StoreError> {
        let near = self.near(&key.company_id).await;
        Ok(on_connection!(near.read, |conn, caller, key| one_check::guarded(conn, &caller, &key))?)
    }

    async fn check_facts(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        wanted: &Wanted,
        now: Timestamp,
    ) -> Result<Guarded<Facts>, StoreError> {
        let caller = caller.clone();
        let query = check_facts::FactsQuery {
            caller: Some(caller.clone()),
            company_id: company_id.clone(),
            wanted: wanted.clone(),
            now,
        };
        let db = self.near(company_id).await.db;
        let read =
            db.read(move |conn| Box::pin(async move { check_facts::read(conn, &query, &caller).await }));
        Ok(read.await?)
    }

    async fn check_facts_of_operator(
        &self,
        company_id: &CompanyId,
        wanted: &Wanted,
        now: Timestamp,
    ) -> Result<Facts, StoreError> {
        let (company_id, wanted) = (company_id.clone(), wanted.clone());
        let query = check_facts::FactsQuery { caller: None, company_id, wanted, now };
        Ok(self.db.read(move |conn| Box::pin(async move { check_facts::facts(conn, &query).await })).await?)
    }

    async fn add_checks(&self, new: &NewChecks) -> Result<Addition, StoreError> {
        let (near, sealer) = (self.near(&new.company_id).await, &self.sealer);
        add_checks::addition(on_connection!(near.write, |conn, new, sealer| add_checks::add(
            conn, &new, &sealer
        )))
    }

    async fn companies_of_pay_period(
        &self,
        caller: &Caller,
        pay_period_id: &PayPeriodId,
    ) -> Result<Guarded<Vec<CompanyId>>, StoreError> {
        let id = pay_period_id.clone();
        Ok(on_connection!(self.read, |conn, caller| remove_checks::companies(conn, &caller, &id))?)
    }

    async fn place_of_check(
        &self,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<(CompanyId, WorkerId)>, StoreError> {
        let id = paycheck_id.clone();
        Ok(self.db.ask(move |conn| Box::pin(async move { one_check::place(conn, &id).await })).await?)
    }

    async fn change_check(&self, change: &CheckChange) -> Result<ChangedCheck, StoreError> {
        let (near, sealer) = (self.near(&change.company_id).await, &self.sealer);
        change_check::changed(on_connection!(near.write, |conn, change, sealer| change_check::change(
            conn, &change, &sealer
        )))
    }

    async fn remove_checks(&self, removed: &ChecksToRemove) -> Result<Removal, StoreError> {
        let (near, sealer) = (self.near(&removed.company_id).await, &self.sealer);
        remove_checks::removal(on_connection!(near.write, |conn, removed, sealer| remove_checks::remove(
            conn, &removed, &sealer
        )))
    }
}
