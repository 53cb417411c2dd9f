//! Moving pay periods: the port, and the one transaction that each move is.
//!
//! A move takes the company's row first and for itself. Adding checks reads that row under a
//! shared lock before it takes the period's, so the two never wait for each other in a circle, and
//! of a check and a move that race one comes first and is seen by the other.

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::date::Timestamp;
use payroll_domain::document::{self, TaxIds};
use payroll_domain::event;
use payroll_domain::id::{CompanyId, ComponentId, PayPeriodId};
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::checks::{ChecksQuery, PeriodChecks};
use payroll_ports::periods::{Moved, PeriodMove, PeriodStore, PeriodView, PlacedCheck, StagedCheck};
use payroll_ports::resources::CompanyLock;
use payroll_ports::write::By;
use payroll_ports::{StoreError, Window};

use super::objects::{self, Hold, Holders};
use super::trail::{Audited, Trail};
use super::{Conn, Store, check_pages, completion, dialect, idempotency, period_view};
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, command, query, sql};
use crate::rows::lists::PayPeriodRow;
use crate::seal::Sealer;
use crate::table::Table;

#[async_trait]
impl PeriodStore for Store {
    async fn period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        components: &[ComponentId],
        now: Timestamp,
    ) -> Result<Option<PeriodView>, StoreError> {
        let asked = period_view::Asked {
            company_id: company_id.clone(),
            pay_period_id: pay_period_id.clone(),
            components: components.to_vec(),
            now,
        };
        Ok(self.db.read(move |conn| Box::pin(async move { period_view::read(conn, &asked).await })).await?)
    }

    async fn checks_of_period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<PeriodChecks>, StoreError> {
        let (_, checks) = check_pages::read(&self.db, all_checks(company_id, pay_period_id, window)).await?;
        Ok(checks)
    }

    async fn process(&self, moved: &PeriodMove, by: &By) -> Result<Moved, StoreError> {
        self.carry_out(moved, by, To::Processing).await
    }

    async fn reopen(&self, moved: &PeriodMove, by: &By) -> Result<Moved, StoreError> {
        self.carry_out(moved, by, To::Entry).await
    }

    async fn begin_completion(
        &self,
        moved: &PeriodMove,
        attempt: &str,
        by: &By,
    ) -> Result<Moved, StoreError> {
        let (moved, attempt, by) = (moved.clone(), attempt.to_owned(), by.clone());
        let begun = self
            .db
            .write(move |conn| Box::pin(async move { completion::begin(conn, &moved, &attempt, &by).await }));
        Ok(begun.await?)
    }

    async fn checks_to_complete(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        behind: i64,
        limit: u32,
    ) -> Result<Vec<PlacedCheck>, StoreError> {
        let asked = all_checks(company_id, pay_period_id, Window::default());
        let read = self.db.read(move |conn| {
            Box::pin(async move { check_pages::placed(conn, &asked, behind, limit).await })
        });
        Ok(read.await?)
    }

    async fn stage(
        &self,
        moved: &PeriodMove,
        attempt: &str,
        checks: &[StagedCheck],
    ) -> Result<bool, StoreError> {
        let rows = completion::Rows::of(moved, attempt, checks)?;
        Ok(self.db.write_of_many(move |conn| Box::pin(async move { rows.stage(conn).await })).await?)
    }

    async fn complete(&self, moved: &PeriodMove, attempt: &str, by: &By) -> Result<Moved, StoreError> {
        self.carry_out(moved, by, To::Completed { attempt: attempt.to_owned() }).await
    }
}

fn all_checks(company_id: &CompanyId, pay_period_id: &PayPeriodId, window: Window) -> check_pages::Asked {
    let query = ChecksQuery {
        company_id: company_id.clone(),
        pay_period_id: pay_period_id.clone(),
        only_own: false,
        worker_id: None,
        window,
    };
    check_pages::Asked { caller: None, query }
}

/// Where a period is moved to.
#[derive(Debug, Clone)]
pub(super) enum To {
    Processing,
    Entry,
    Completed { attempt: String },
}

impl To {
    const fn status(&self) -> PeriodStatus {
        match self {
            Self::Processing => PeriodStatus::Processing,
            Self::Entry => PeriodStatus::Entry,
            Self::Completed { .. } => PeriodStatus::Completed,
        }
    }

    const fn may_come_from(&self, status: PeriodStatus) -> bool {
        match self {
            Self::Processing => status.is_open(),
            Self::Entry | Self::Completed { .. } => matches!(status, PeriodStatus::Processing),
        }
    }
}

impl Store {
    async fn carry_out(&self, moved: &PeriodMove, by: &By, to: To) -> Result<Moved, StoreError> {
        let change = Change { moved: moved.clone(), by: by.clone(), to, sealer: self.sealer.clone() };
        match self.db.write(move |conn| Box::pin(async move { change.carry_out(conn).await })).await {
            Err(Failure::MarkLost) => Ok(Moved::MarkLost),
            outcome => Ok(outcome?),
        }
    }
}

/// One move on its way.
struct Change {
    moved: PeriodMove,
    by: By,
    to: To,
    sealer: std::sync::Arc<Sealer>,
}

impl Change {
    async fn carry_out(&self, conn: &Conn) -> Outcome<Moved> {
        let (held, found) = match locked(conn, &self.moved).await? {
            Ok(rows) => rows,
            Err(unknown) => return Ok(unknown),
        };
        if let Some(refusal) = refusal(&self.moved, &self.by, &self.to, (&held, &found))? {
            return Ok(refusal);
        }
        if let To::Completed { attempt } = &self.to
            && !found.is_staged_by(attempt)
        {
            return Ok(Moved::Overtaken);
        }
        let (version, (), (), ()) = try_join!(
            self.move_period(conn),
            self.move_company(conn),
            idempotency::keep(conn, self.by.kept.as_ref()),
            self.trail(found.row.pay_period()?)?.write(conn),
        )?;
        Ok(Moved::Done(version))
    }

    async fn move_period(&self, conn: &Conn) -> Outcome<i64> {
        const PERIOD: &str = "UPDATE pay_periods \
            SET status = $1, version = version + 1, completion_attempt = NULL, staged_through = 0 \
            WHERE company_id = $2 AND pay_period_id = $3 RETURNING version";
        let PeriodMove { company_id, pay_period_id, .. } = &self.moved;
        let values = binds![self.to.status().as_str(), company_id.as_str(), pay_period_id.as_str()];
        let row: Option<(i64,)> = conn.row(query(PERIOD, values)).await?;
        row.map(|(version,)| version).ok_or_else(|| Failure::Bug("a locked period is gone".to_owned()))
    }

    /// The period in processing is what holds the company.
    async fn move_company(&self, conn: &Conn) -> Outcome<()> {
        const COMPANY: &str = "UPDATE companies SET processing_pay_period_id = $1, version = version + 1 \
            WHERE company_id = $2";
        let holds = matches!(self.to, To::Processing);
        let processing = holds.then(|| self.moved.pay_period_id.as_str());
        conn.execute(command(COMPANY, binds![processing, self.moved.company_id.as_str()])).await?;
        Ok(())
    }

    fn trail(&self, before: PayPeriod) -> Outcome<Trail<'_>> {
        let after = PayPeriod { status: self.to.status(), ..before.clone() };
        let [before, after] = [before, after].map(|period| Resource::PayPeriod(Box::new(period)));
        let mut trail = Trail::new(&self.by, &self.sealer);
        let company_id = self.moved.company_id.as_str();
        let about = Audited {
            company_id: Some(company_id),
            kind: ResourceKind::PayPeriod.into(),
            id: self.moved.pay_period_id.as_str(),
        };
        let document = |period| Some(document::write(period, TaxIds::Masked));
        trail.audit(about, document(&before), document(&after));
        for fired in event::fired(Some(&before), Some(&after)) {
            trail.event(company_id, None, &fired);
        }
        Ok(trail)
    }
}

/// A period, with how far its completion has come.
pub(super) struct Found {
    row: PayPeriodRow,
    attempt: Option<String>,
    /// Whether the period has checks behind the last one that is staged.
    unstaged: bool,
}

impl Found {
    pub(super) const fn version(&self) -> i64 {
        self.row.version
    }

    /// Whether that attempt has staged every check.
    fn is_staged_by(&self, attempt: &str) -> bool {
        self.attempt.as_deref() == Some(attempt) && !self.unstaged
    }
}

/// The company and the period, for this transaction alone; else what is unknown.
pub(super) async fn locked(conn: &Conn, moved: &PeriodMove) -> Outcome<Result<(Holders, Found), Moved>> {
    const PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2",
        dialect::lock_rows!("FOR UPDATE")
    ];
    // Not by the count: the last ordinals that it handed out may be those of checks that are gone.
    const ATTEMPT: &str = "SELECT p.completion_attempt, EXISTS (SELECT 1 FROM checks c \
            WHERE c.company_id = $1 AND c.pay_period_id = $2 AND c.ordinal > p.staged_through) \
        FROM pay_periods p WHERE p.company_id = $1 AND p.pay_period_id = $2";
    let (company_id, period_id) = (moved.company_id.as_str(), moved.pay_period_id.as_str());
    let (company, period, attempt) = try_join!(
        objects::hold(conn, company_id, Hold::ToWrite),
        conn.row(query(PERIOD, binds![company_id, period_id])),
        conn.row(query(ATTEMPT, binds![company_id, period_id])),
    )?;
    let attempt: Option<(Option<String>, bool)> = attempt;
    Ok(match (company, period, attempt) {
        (None, ..) => Err(Moved::UnknownCompany),
        (Some(held), Some(row), Some((attempt, unstaged))) => Ok((held, Found { row, attempt, unstaged })),
        (Some(_), ..) => Err(Moved::UnknownPeriod),
    })
}

/// What stands in the way of a move, if anything does.
pub(super) fn refusal(
    moved: &PeriodMove,
    by: &By,
    to: &To,
    (held, found): (&Holders, &Found),
) -> Outcome<Option<Moved>> {
    let period = found.row.pay_period()?;
    if moved.version.is_some_and(|version| version != found.row.version) {
        return Ok(Some(Moved::Stale));
    }
    if !to.may_come_from(period.status) {
        return Ok(Some(Moved::NotFrom(period.status)));
    }
    if moved.seen.as_ref().is_some_and(|seen| *seen != PayPeriod { status: seen.status, ..period.clone() }) {
        return Ok(Some(Moved::Stale));
    }
    if let Some(lock) = held.operator(by.now).filter(|lock| lock.holder != by.actor.name) {
        return Ok(Some(Moved::Locked(CompanyLock::Operator(lock.clone()))));
    }
    let other = held.processing.as_ref().filter(|processing| **processing != period.pay_period_id);
    Ok(other.map(|other| Moved::Locked(CompanyLock::Processing(other.clone()))))
}
