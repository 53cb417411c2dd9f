//! Exports a company with all its objects from one snapshot.
//!
//! Objects are read in chunks, with the statements of the operator's lists. A large company therefore takes
//! no more memory than a small one. The checks of a processed pay period follow their period. The first
//! chunks of all kinds are requested in one round trip, because most companies have only one chunk of each
//! kind.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::{BoxFuture, try_join_all};
use futures_util::try_join;
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;
use payroll_domain::lookup::LookupKind;
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};
use payroll_domain::resource::{CompanyRecord, Resource, ResourceKind};
use payroll_ports::checks::ChecksQuery;
use payroll_ports::export::{ExportItem, ExportStore, ExportedCompany};
use payroll_ports::resources::Versioned;
use payroll_ports::{StoreError, Window};

use super::checks::pages::CheckPages;
use super::lists::to_unsigned_count;
use super::objects;
use super::objects::{CompanyContext, load_objects, read_lock_holders, with_object_kind};
use super::resources::lists::{ListSelection, ObjectListQuery, pages_of_all_objects};
use super::streams::{CHUNK_ROWS, StreamSender, start_stream};
use super::windows::PagedCollection;
use super::{Conn, Store};
use crate::error::Outcome;
use crate::seal::Sealer;
use crate::statement::{binds, query};

/// Returns the kinds of objects in the order of an import line. The company itself precedes these objects.
/// Lookup objects come first, because other objects refer to them.
fn kinds_in_import_order() -> impl Iterator<Item = ResourceKind> {
    const KINDS_BEFORE_LOOKUPS: [ResourceKind; 2] = [ResourceKind::Organization, ResourceKind::ContactType];
    const KINDS_AFTER_LOOKUPS: [ResourceKind; 5] = [
        ResourceKind::CustomFieldCategory,
        ResourceKind::CustomField,
        ResourceKind::PayComponent,
        ResourceKind::PayPeriod,
        ResourceKind::Worker,
    ];
    let lookups = LookupKind::ALL.iter().copied().map(ResourceKind::Lookup);
    KINDS_BEFORE_LOOKUPS.into_iter().chain(lookups).chain(KINDS_AFTER_LOOKUPS)
}

#[async_trait]
impl ExportStore for Store {
    async fn export_company(
        &self,
        company_id: &CompanyId,
        now: Timestamp,
    ) -> Result<Option<ExportedCompany>, StoreError> {
        let export = CompanyExport { company_id: company_id.clone(), now, sealer: Arc::clone(&self.sealer) };
        let (head, parts) =
            start_stream(&self.db, move |conn, feed| Box::pin(export.send_export(conn, feed))).await?;
        Ok(head.map(|ExportHead { record, lock, omitted_checks }| ExportedCompany {
            record,
            lock,
            omitted_checks,
            parts,
        }))
    }
}

/// The export of one company.
struct CompanyExport {
    company_id: CompanyId,
    now: Timestamp,
    sealer: Arc<Sealer>,
}

/// The data of an export that is read before the lists of objects.
struct ExportHead {
    record: CompanyRecord,
    lock: Option<Lock>,
    omitted_checks: u64,
}

type ExportSender = StreamSender<Option<ExportHead>, ExportItem>;

type VersionedResources = Vec<Versioned<Resource>>;

/// Reads the objects of one kind in chunks. This is a trait, so that the kind can be chosen at run time.
trait ObjectChunkReader: Send + Sync {
    /// Reads the next chunk, which is empty after the last object.
    fn read_next_chunk<'c>(&'c mut self, conn: &'c Conn) -> BoxFuture<'c, Outcome<VersionedResources>>;
}

impl<P: PagedCollection<Item = Versioned<Resource>>> ObjectChunkReader for P {
    fn read_next_chunk<'c>(&'c mut self, conn: &'c Conn) -> BoxFuture<'c, Outcome<VersionedResources>> {
        PagedCollection::read_next(self, conn, i64::from(CHUNK_ROWS))
    }
}

impl CompanyExport {
    async fn send_export(self, conn: &Conn, feed: &mut ExportSender) -> Outcome<()> {
        let head = self.read_head(conn).await?;
        let is_there = head.is_some();
        feed.send_head(head);
        if !is_there {
            return Ok(());
        }
        let mut kinds: Vec<_> = kinds_in_import_order().map(|kind| self.object_chunk_reader(kind)).collect();
        let first = try_join_all(kinds.iter_mut().map(|pages| pages.read_next_chunk(conn))).await?;
        for (pages, first) in kinds.iter_mut().zip(first) {
            if !self.send_objects(conn, feed, pages.as_mut(), first).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns a reader for the objects of a kind.
    fn object_chunk_reader(&self, kind: ResourceKind) -> Box<dyn ObjectChunkReader> {
        let query = ObjectListQuery {
            selection: ListSelection::Company(self.company_id.to_string()),
            sealer: Arc::clone(&self.sealer),
            window: Window::default(),
        };
        with_object_kind!(kind, K => Box::new(pages_of_all_objects::<K>(query)))
    }

    async fn read_head(&self, conn: &Conn) -> Outcome<Option<ExportHead>> {
        let company_id = self.company_id.as_str();
        let context = CompanyContext { conn, company_id, sealer: &self.sealer };
        let ids = [company_id];
        let (mut found, holders, left_out) = try_join!(
            load_objects::<objects::Companies>(context, &ids),
            read_lock_holders(conn, company_id),
            self.count_omitted_checks(conn),
        )?;
        let lock = holders.as_ref().and_then(|holders| holders.operator_lock(self.now)).cloned();
        Ok(found.pop().map(|found| ExportHead { record: found.object, lock, omitted_checks: left_out }))
    }

    /// Returns the number of checks that the export omits. The export omits the checks of unprocessed
    /// periods, and checks whose archive is missing in this copy of the database.
    async fn count_omitted_checks(&self, conn: &Conn) -> Outcome<u64> {
        const COUNT_OPEN_CHECKS: &str = "SELECT CAST(coalesce(sum(check_count - removed_checks), 0) AS BIGINT) \
            FROM pay_periods WHERE company_id = $1 AND (status IN ($2, $3, $4) OR checks_archived = 0)";
        let [initial, entry, processing] =
            [PeriodStatus::Initial, PeriodStatus::Entry, PeriodStatus::Processing].map(PeriodStatus::as_str);
        let values = binds![self.company_id.as_str(), initial, entry, processing];
        let row: Option<(i64,)> = conn.query_row(query!(COUNT_OPEN_CHECKS, values)).await?;
        to_unsigned_count(row.map_or(0, |(checks,)| checks))
    }

    /// Sends the objects of a kind, starting with the first chunk, which was already read. Returns whether
    /// the receiver of the export still reads.
    async fn send_objects(
        &self,
        conn: &Conn,
        feed: &mut ExportSender,
        pages: &mut dyn ObjectChunkReader,
        mut objects: VersionedResources,
    ) -> Outcome<bool> {
        while !objects.is_empty() {
            let mut parts = Vec::with_capacity(objects.len());
            for Versioned { value, .. } in objects {
                let processed = match &value {
                    Resource::PayPeriod(period) if period.status.is_processed() => Some(period.clone()),
                    _ => None,
                };
                parts.push(ExportItem::Object(Box::new(value)));
                if let Some(period) = processed {
                    let started = std::mem::take(&mut parts);
                    if !feed.send_chunk(started).await || !self.send_checks(conn, feed, &period).await? {
                        return Ok(false);
                    }
                }
            }
            if !parts.is_empty() && !feed.send_chunk(parts).await {
                return Ok(false);
            }
            objects = pages.read_next_chunk(conn).await?;
        }
        Ok(true)
    }

    /// Sends the checks of a processed period. Returns whether the receiver of the export still reads.
    async fn send_checks(&self, conn: &Conn, feed: &mut ExportSender, period: &PayPeriod) -> Outcome<bool> {
        let query = ChecksQuery {
            company_id: self.company_id.clone(),
            pay_period_id: period.pay_period_id.clone(),
            only_own: false,
            worker_id: None,
            window: Window::default(),
        };
        let mut checks = CheckPages::new(None, query);
        let (_, mut rows) = checks.read_start(conn, i64::from(CHUNK_ROWS)).await?;
        while !rows.is_empty() {
            let read = |row: crate::rows::checks::CheckRow| {
                let check = row.into_processed_check(&period.pay_period_id, period.check_date)?;
                Ok(ExportItem::Check(Box::new(check)))
            };
            let parts = rows.into_iter().map(read).collect::<Outcome<Vec<_>>>()?;
            if !feed.send_chunk(parts).await {
                return Ok(false);
            }
            rows = checks.read_next(conn, i64::from(CHUNK_ROWS)).await?;
        }
        Ok(true)
    }
}
