//! Workers with all data that belongs to them.

use std::borrow::Borrow;
use std::collections::HashMap;

use futures_util::future::BoxFuture;
use futures_util::{join, try_join};
use payroll_domain::company::Communication;
use payroll_domain::date::Timestamp;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::worker::{
    AssignmentDistribution, ContactCommunication, DirectDeposit, FederalTax, PayRate, RecurringComponent,
    StateTax, StateTaxDeductionRow, StatusEntry, TaxSettings, TimeOff, Worker, WorkerContact,
    WorkerCustomField,
};
use payroll_ports::workers::WorkerListKind;

use super::children;
use super::children::{RowsByOwner, TablesWithRows, take_children};
use super::lists::common_kind_items;
use super::{CompanyContext, ObjectChange, ObjectKind, StoredObject, dialect, load_with_children};
use super::{deposits, files, statuses};
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::cells::RowSeal;
use crate::rows::ids::WorkerIdRow;
use crate::rows::parts::{OwnedObject, OwnedObjectRow};
use crate::rows::workers::WorkerRow;
use crate::seal::Sealer;
use crate::table::OnConflict;

/// Implements the object kind for workers.
pub(crate) struct Workers;

/// Declares the child tables of workers. An entry under `lists` is named after the member of `Worker` that
/// its table stores. Tables under `others` need their own code. A table under `nested` has rows only if the
/// table after it in the declaration has rows.
macro_rules! tables_of_workers {
    (
        lists { $($list:ident: $row:ty,)* }
        others { $($other:ident: $other_row:ty,)* }
        nested { $($nested:ident: $nested_row:ty, $outer_row:ty,)* }
    ) => {
        /// The rows of the child tables of workers, such as contacts.
        pub(crate) struct WorkerChildRows {
            $($list: RowsByOwner<OwnedObjectRow<$row>>,)*
            $($other: RowsByOwner<OwnedObjectRow<$other_row>>,)*
            $($nested: RowsByOwner<OwnedObjectRow<$nested_row>>,)*
        }

        impl WorkerChildRows {
            /// The child tables, each with the column of the worker's id.
            const TABLES: &[(&str, &str)] = &[
                $((<$row as OwnedObject>::TABLE, <$row as OwnedObject>::OWNER),)*
                $((<$other_row as OwnedObject>::TABLE, <$other_row as OwnedObject>::OWNER),)*
            ];

            /// Reads the children of the workers with these ids, from the tables that have rows.
            async fn read(
                context: CompanyContext<'_>,
                ids: &[&str],
                filled: &TablesWithRows,
            ) -> Outcome<Self> {
                let ($($list,)* $($other,)* $($nested,)*) = try_join!(
                    $(filled.read::<OwnedObjectRow<$row>>(context, ids),)*
                    $(filled.read::<OwnedObjectRow<$other_row>>(context, ids),)*
                    $(filled.read_rows_if_parent_has_some::<OwnedObjectRow<$nested_row>, OwnedObjectRow<$outer_row>>(context, ids),)*
                )?;
                Ok(Self { $($list,)* $($other,)* $($nested,)* })
            }

            /// Moves the rows of the tables that are declared under `lists` into the worker.
            fn take_lists(&mut self, worker: &mut Worker) -> Outcome<()> {
                let id = worker.worker_id.as_str();
                $(worker.$list = take_children(&mut self.$list, id, OwnedObjectRow::decode_value)?;)*
                Ok(())
            }

            /// Writes the changed rows of the tables that are declared under `lists`.
            async fn write_lists(context: CompanyContext<'_>, changes: &[ObjectChange<'_, Workers>]) -> Outcome<()> {
                let id = context.company_id;
                // The statements are sent together, which takes one round trip on PostgreSQL.
                let ($($list,)*) = join!(
                    $(children::write_child_rows(context, changes, |it: &Worker| {
                to_part_rows(id, it, &it.$list)
            }),)*
                );
                $($list?;)*
                Ok(())
            }
        }
    };
}

tables_of_workers! {
    lists {
        communications: Communication,
        pay_rates: PayRate,
        recurring_components: RecurringComponent,
        custom_fields: WorkerCustomField,
        time_off: TimeOff,
        assignment_distributions: AssignmentDistribution,
    }
    others {
        direct_deposits: DirectDeposit,
        contacts: WorkerContact,
        statuses: StatusEntry,
        federal: FederalTax,
        states: StateTax,
    }
    nested {
        contact_communications: ContactCommunication, WorkerContact,
        state_deductions: StateTaxDeductionRow, StateTax,
    }
}

impl ObjectKind for Workers {
    common_kind_items!(Worker: Worker, WorkerRow, worker_id);
    type Children = WorkerChildRows;

    fn version(row: &WorkerRow) -> i64 {
        row.version()
    }

    /// Returns the worker as it is stored: empty tax settings are absent, and the current status is in the
    /// history.
    fn normalized(object: &Worker) -> Worker {
        let taxes = object.taxes.clone().filter(|taxes| *taxes != TaxSettings::default());
        let mut worker = Worker { taxes, ..object.clone() };
        worker.normalize_statuses();
        worker
    }

    fn to_row(context: CompanyContext<'_>, created: i64, object: &Worker) -> Outcome<WorkerRow> {
        let CompanyContext { company_id, sealer, .. } = context;
        let row_id = object.worker_id.as_str();
        WorkerRow::encrypt_resource(company_id, created, object, &RowSeal { sealer, company_id, row_id })
    }

    fn set_modified(row: &mut WorkerRow, at: i64) {
        row.set_modified(at);
    }

    /// Copies an unchanged tax ID from the stored row, so that it is not encrypted again.
    fn copy_missing_values(row: &mut WorkerRow, object: &Worker, found: &StoredObject<Self>) {
        if object.legal_id == found.object.legal_id {
            row.copy_legal_id_from(&found.row);
        }
    }

    fn read_children<'c>(
        context: CompanyContext<'c>,
        ids: &'c [&'c str],
    ) -> BoxFuture<'c, Outcome<WorkerChildRows>> {
        Box::pin(async move {
            let filled = TablesWithRows::detect_tables_with_rows::<WorkerChildRows>(
                context,
                ids,
                WorkerChildRows::TABLES,
            )
            .await?;
            WorkerChildRows::read(context, ids, &filled).await
        })
    }

    fn object_from_row(row: WorkerRow, owned: &mut WorkerChildRows, sealer: &Sealer) -> Outcome<Worker> {
        let id = row.id().to_owned();
        let mut worker = row.decrypt(sealer)?;
        owned.take_lists(&mut worker)?;
        worker.direct_deposits = deposits::decrypt_deposits(&mut owned.direct_deposits, &id, sealer)?;
        let communications =
            take_children(&mut owned.contact_communications, &id, OwnedObjectRow::decode_value)?;
        worker.contacts = add_communications_to_contacts(
            take_children(&mut owned.contacts, &id, OwnedObjectRow::decode_value)?,
            communications,
        )?;
        worker.statuses = take_children(&mut owned.statuses, &id, OwnedObjectRow::decode_value)?;
        // An older release may have changed the current status without the history. This call makes the
        // status and the history consistent again.
        worker.normalize_statuses();
        let federal = take_children(&mut owned.federal, &id, OwnedObjectRow::decode_value)?.pop();
        let deductions = take_children(&mut owned.state_deductions, &id, OwnedObjectRow::decode_value)?;
        let states = add_deductions_to_states(
            take_children(&mut owned.states, &id, OwnedObjectRow::decode_value)?,
            deductions,
        );
        if federal.is_some() || !states.is_empty() {
            worker.taxes = Some(TaxSettings { federal, states });
        }
        Ok(worker)
    }

    fn write_children<'c>(
        context: CompanyContext<'c>,
        changes: &'c [ObjectChange<'c, Self>],
        now: Timestamp,
    ) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(async move {
            let id = context.company_id;
            // The statements are sent together. Their results are evaluated in this order.
            let (ids, files, lists, deposits, contacts, statuses, taxes) = join!(
                write_worker_ids(context, changes),
                files::erase_files_of_removed_workers(context, changes, now),
                WorkerChildRows::write_lists(context, changes),
                deposits::write_deposits(context, changes),
                async {
                    let (contacts, communications) = join!(
                        children::write_child_rows(context, changes, |it: &Worker| to_part_rows(
                            id,
                            it,
                            &it.contacts
                        )),
                        children::write_child_rows(context, changes, |it: &Worker| {
                            to_part_rows(id, it, &collect_contact_communications(it))
                        }),
                    );
                    contacts.and(communications)
                },
                statuses::write_status_histories(context, changes, now),
                write_taxes(context, changes),
            );
            ids.and(files).and(lists).and(deposits).and(contacts).and(statuses).and(taxes)
        })
    }
}

/// Reads a worker with only one list, or without any. The other tables are not read.
pub(crate) async fn load_with_list(
    context: CompanyContext<'_>,
    id: &str,
    list: Option<WorkerListKind>,
) -> Outcome<Option<StoredObject<Workers>>> {
    let ids = [id];
    let filled =
        TablesWithRows::Only(list.map(|list| (table_of_list(list).to_owned(),)).into_iter().collect());
    let mut found = load_with_children(context, &ids, WorkerChildRows::read(context, &ids, &filled)).await?;
    Ok(found.pop())
}

/// Returns the name of the table with the elements of a list.
const fn table_of_list(list: WorkerListKind) -> &'static str {
    match list {
        WorkerListKind::AssignmentDistributions => AssignmentDistribution::TABLE,
        WorkerListKind::Contacts => WorkerContact::TABLE,
        WorkerListKind::CustomFields => WorkerCustomField::TABLE,
        WorkerListKind::DirectDeposits => DirectDeposit::TABLE,
        WorkerListKind::RecurringComponents => RecurringComponent::TABLE,
        WorkerListKind::Statuses => StatusEntry::TABLE,
        WorkerListKind::TimeOff => TimeOff::TABLE,
    }
}

/// Writes the changed tax settings.
async fn write_taxes(context: CompanyContext<'_>, changes: &[ObjectChange<'_, Workers>]) -> Outcome<()> {
    let id = context.company_id;
    let (federal, states, deductions) = join!(
        children::write_child_rows(context, changes, |it: &Worker| {
            to_part_rows(id, it, it.taxes.iter().filter_map(|taxes| taxes.federal.as_ref()))
        }),
        children::write_child_rows(context, changes, |it: &Worker| to_part_rows(
            id,
            it,
            state_taxes_of_worker(it)
        )),
        children::write_child_rows(context, changes, |it: &Worker| {
            to_part_rows(
                id,
                it,
                &state_taxes_of_worker(it).flat_map(StateTax::to_deduction_rows).collect::<Vec<_>>(),
            )
        }),
    );
    federal.and(states).and(deductions)
}

/// Returns the state tax settings of a worker.
fn state_taxes_of_worker(worker: &Worker) -> impl Iterator<Item = &StateTax> {
    worker.taxes.iter().flat_map(|taxes| &taxes.states)
}

/// Adds each deduction to the tax setting of its state. Deductions without a setting are skipped. Such
/// deductions exist if an older release has deleted the setting, because older releases do not delete the
/// deductions.
fn add_deductions_to_states(
    mut states: Vec<StateTax>,
    deductions: Vec<StateTaxDeductionRow>,
) -> Vec<StateTax> {
    let at: HashMap<String, usize> =
        states.iter().enumerate().map(|(at, state)| (state.country_subdivision_code.clone(), at)).collect();
    for row in deductions {
        let state = at.get(&row.country_subdivision_code).and_then(|at| states.get_mut(*at));
        if let Some(state) = state {
            state.deductions.push(row.deduction);
        }
    }
    states
}

/// Combines contacts with their communications.
fn add_communications_to_contacts(
    contacts: Vec<WorkerContact>,
    communications: Vec<ContactCommunication>,
) -> Outcome<Vec<WorkerContact>> {
    let mut by_contact: HashMap<String, Vec<ContactCommunication>> = HashMap::new();
    for row in communications {
        by_contact.entry(row.contact_id.to_string()).or_default().push(row);
    }
    let completed = contacts.into_iter().map(|contact| {
        let id = contact.contact_id.to_string();
        let rows = by_contact.remove(&id).unwrap_or_default();
        let at = RowLocation { table: "worker_contacts", key: &id };
        contact
            .with_communications(rows)
            .ok_or_else(|| at.corruption_failure("its communications are invalid".to_owned()))
    });
    completed.collect()
}

fn collect_contact_communications(worker: &Worker) -> Vec<ContactCommunication> {
    worker.contacts.iter().flat_map(WorkerContact::communications).collect()
}

/// Reserves the ids of new workers, which must be unique on the server. Releases the ids of removed workers.
async fn write_worker_ids(context: CompanyContext<'_>, changes: &[ObjectChange<'_, Workers>]) -> Outcome<()> {
    let row = |worker: &Worker| WorkerIdRow {
        worker_id: worker.worker_id.as_str().to_owned(),
        company_id: context.company_id.to_owned(),
    };
    let (mut new, mut gone) = (Vec::new(), Vec::new());
    for change in changes {
        match change {
            ObjectChange::Create(worker, _) => new.push(row(worker)),
            ObjectChange::Delete(found) => gone.push(row(&found.object)),
            ObjectChange::Replace(..) => {}
        }
    }
    let (freed, inserted) = join!(
        dialect::bulk_delete(context.conn, &gone),
        dialect::bulk_insert(context.conn, OnConflict::Fail, &new)
    );
    freed?;
    inserted?;
    Ok(())
}

/// Returns the rows of one list of a worker's children, in the order of the list.
fn to_part_rows<'p, T: OwnedObject>(
    company_id: &str,
    worker: &Worker,
    parts: impl IntoIterator<Item = &'p T>,
) -> Outcome<Vec<OwnedObjectRow<T>>> {
    OwnedObjectRow::create_rows(company_id, worker.worker_id.as_str(), parts)
}
