//! The references of an object to other objects, and the referrers: the objects that refer to it.
//!
//! Within a company, no other write can remove a referenced object, because every write locks the company's
//! row. A company's parent is another company, which this lock does not cover. A write therefore locks the
//! parent's row in shared mode. This lock prevents the deletion of the parent, because a deletion acquires
//! the exclusive lock before it looks for child companies. Two concurrent changes could still make two
//! companies each other's parents, so changes of parents run one after the other on the entire server.

use std::borrow::Cow;
use std::collections::HashSet;

use futures_util::future::try_join_all;
use payroll_domain::document::{self, Reference};
use payroll_domain::lookup::LookupKind;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::resources::MissingReference;

use super::super::companies::lineage;
use super::super::objects;
use super::super::objects::{ObjectKind, id_column, with_object_kind};
use super::super::{Conn, dialect};
use super::CompanyContext;
use crate::error::Outcome;
use crate::rows::lookup;
use crate::statement::{BindValue, binds, query};
use crate::table::TableDefinition;
use crate::texts::{self, StatementKind};

/// Returns the references that the change adds and whose targets are missing. References that the object had
/// before are valid, because their targets could not be deleted.
pub(super) async fn find_missing_references(
    context: CompanyContext<'_>,
    before: Option<&Resource>,
    after: &Resource,
) -> Outcome<Vec<MissingReference>> {
    let known: HashSet<(ResourceKind, &str)> = before
        .map(document::collect_references)
        .unwrap_or_default()
        .iter()
        .map(|it| (it.target, it.id))
        .collect();
    let mut new = document::collect_references(after);
    new.retain(|reference| !known.contains(&(reference.target, reference.id)));
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let targets = ResourceKind::ALL.iter().filter(|target| new.iter().any(|it| it.target == **target));
    let stored = try_join_all(targets.map(|target| find_existing_references(context, *target, &new))).await?;
    let stored: HashSet<(ResourceKind, String)> = stored.into_iter().flatten().collect();
    new.retain(|reference| !stored.contains(&(reference.target, reference.id.to_owned())));
    let elsewhere = find_externally_maintained_kinds(context, &new).await?;
    new.retain(|reference| !elsewhere.contains(&reference.target));
    let missing = new.into_iter().map(|Reference { target, id, pointer }| MissingReference {
        target,
        id: id.to_owned(),
        pointer,
    });
    Ok(missing.collect())
}

/// Returns the kinds of referenced objects of which the company has none. A company without objects of such a
/// kind maintains their list in another system.
async fn find_externally_maintained_kinds(
    context: CompanyContext<'_>,
    references: &[Reference<'_>],
) -> Outcome<Vec<ResourceKind>> {
    let mut external_kinds = Vec::new();
    for kind in LookupKind::ALL.iter().copied().filter(|kind| document::is_externally_maintained(*kind)) {
        let target = ResourceKind::Lookup(kind);
        if references.iter().any(|reference| reference.target == target) {
            let lookup::LookupTable { stored, id, .. } = lookup::table_of_kind(kind);
            if read_ids(context.conn, select_referrers(stored.name, id, None), binds![context.company_id])
                .await?
                .is_empty()
            {
                external_kinds.push(target);
            }
        }
    }
    Ok(external_kinds)
}

/// Returns those references to objects of one kind whose targets exist.
async fn find_existing_references(
    context: CompanyContext<'_>,
    target: ResourceKind,
    references: &[Reference<'_>],
) -> Outcome<Vec<(ResourceKind, String)>> {
    let matching = references.iter().filter(|reference| reference.target == target);
    let requested_ids: Vec<&str> = matching.map(|reference| reference.id).collect();
    let found = read_stored_ids(context.conn, context.company_id, target, &requested_ids).await?;
    Ok(found.into_iter().map(|id| (target, id)).collect())
}

/// Returns the ids that belong to stored objects of the company. Parent companies are also locked, so that
/// none is deleted before the transaction ends.
pub(in super::super) async fn read_stored_ids(
    conn: &Conn,
    company_id: &str,
    target: ResourceKind,
    requested: &[&str],
) -> Outcome<HashSet<String>> {
    const LOCK_PARENT: &str = concat!(
        "SELECT company_id FROM companies WHERE company_id <> $1 AND company_id = $2",
        dialect::lock_rows!("FOR KEY SHARE")
    );
    if target != ResourceKind::Company {
        let values = [BindValue::from(company_id), dialect::bind_list(requested.iter().copied())];
        let text = with_object_kind!(target, K => stored_ids_statement::<<K as ObjectKind>::Row>());
        return Ok(read_ids(conn, text, values).await?.into_iter().collect());
    }
    // Each company may be on another node, so each has its own query.
    let parents = requested.iter().map(|id| read_ids(conn, LOCK_PARENT, binds![company_id, *id]));
    Ok(try_join_all(parents).await?.into_iter().flatten().collect())
}

/// Selects the ids of the list $2 that a company $1 has.
fn stored_ids_statement<T: TableDefinition + 'static>() -> &'static str {
    let id = id_column::<T>();
    texts::cached_text::<T>(StatementKind::StoredIds, dialect::NAME, || {
        format!("SELECT {id} FROM {} WHERE company_id = $1 AND {id}{}", T::NAME, dialect::equals_any!("$2"))
    })
}

/// Returns an error text if the new parent of a stored object is the object itself or one of its descendants.
/// A new object cannot have descendants.
pub(super) async fn find_cycle(
    context: CompanyContext<'_>,
    before: &Resource,
    after: &Resource,
) -> Outcome<Option<String>> {
    const SELECT_ANCESTORS: &str = "WITH RECURSIVE above (organization_id) AS (\
            SELECT organization_id FROM organizations WHERE company_id = $1 AND organization_id = $2 \
            UNION SELECT o.parent_organization_id FROM above a JOIN organizations o \
                ON o.company_id = $1 AND o.organization_id = a.organization_id) \
        SELECT organization_id FROM above WHERE organization_id = $3";
    let Some(parent) = find_parent_id(after).filter(|new_parent| find_parent_id(before) != Some(new_parent))
    else {
        return Ok(None);
    };
    let is_below = if after.kind() == ResourceKind::Company {
        dialect::lock_company_parents(context.conn).await?;
        lineage::is_same_or_ancestor(context.conn, after.id(), parent).await?
    } else {
        !read_ids(context.conn, SELECT_ANCESTORS, binds![context.company_id, parent, after.id()])
            .await?
            .is_empty()
    };
    Ok(is_below.then(|| {
        format!("{parent} cannot be the parent of {}, because {parent} is below it in the tree", after.id())
    }))
}

/// Returns the id of an object's parent, which is of the same kind. `None` if the object has no parent.
fn find_parent_id(object: &Resource) -> Option<&str> {
    match object {
        Resource::Company(record) => record.company.parent_company_id.as_ref().map(|id| id.as_str()),
        Resource::Organization(unit) => unit.parent_organization_id.as_ref().map(|id| id.as_str()),
        _ => None,
    }
}

/// The maximum number of referrers that an error text names.
const MAX_NAMED_REFERRERS: usize = 5;

/// A kind of reference to an object: the description of the reference, and a query that returns the ids of
/// some referrers.
type ReferrerQuery = (&'static str, &'static str);

/// Reads the referrers to the object. Returns one sentence for each kind of reference.
pub(super) async fn find_referrers(
    context: CompanyContext<'_>,
    kind: ResourceKind,
    id: &str,
) -> Outcome<Vec<String>> {
    let sentence = async |(how, text): &(Cow<'static, str>, &'static str)| {
        let values = if kind == ResourceKind::Company {
            vec![BindValue::from(context.company_id)]
        } else {
            binds![context.company_id, id].into()
        };
        let found = read_ids(context.conn, text, values).await?;
        let mut named =
            found.iter().take(MAX_NAMED_REFERRERS).map(String::as_str).collect::<Vec<_>>().join(", ");
        if found.len() > MAX_NAMED_REFERRERS {
            named.push_str(" and others");
        }
        Ok((!found.is_empty()).then(|| format!("{how}: {named}")))
    };
    let ways = find_referrer_queries(kind);
    let sentences = try_join_all(ways.iter().map(sentence)).await?;
    Ok(sentences.into_iter().flatten().collect())
}

/// Selects the referrers to an object $2 of a company $1. The arguments are the column of the referrers' id,
/// the table and the condition. The statement reads one id more than an error text contains. The additional
/// id shows that there are further referrers.
macro_rules! select_ids {
    ($column:literal, $table:literal, $condition:literal) => {
        concat!(
            "SELECT DISTINCT ",
            $column,
            " FROM ",
            $table,
            " WHERE ",
            $condition,
            " ORDER BY ",
            $column,
            " LIMIT 6"
        )
    };
    ($column:literal, $table:literal) => {
        select_ids!($column, $table, "company_id = $1")
    };
}

/// Selects checks of unprocessed periods with a line that contains a member with the id $2. Processed checks
/// are historical, and their references may be deleted. Ids contain no characters that JSON escapes, and
/// equal lines have equal texts. The JSON text can therefore be searched without parsing.
macro_rules! select_open_checks {
    ($member:literal) => {
        concat!(
            "SELECT c.paycheck_id FROM pay_periods p \
             JOIN checks c ON c.company_id = p.company_id AND c.pay_period_id = p.pay_period_id \
             WHERE p.company_id = $1 AND p.status IN ('INITIAL', 'ENTRY', 'PROCESSING') AND ",
            dialect::text_contains!("c.lines", concat!("'\"", $member, "\":\"' || CAST($2 AS TEXT) || '\"'")),
            " ORDER BY c.paycheck_id LIMIT 6"
        )
    };
}

/// Selects some checks of a worker $2 of a company $1. The checks are not sorted, because sorting would read
/// all checks of the worker. The inner query only uses columns of the index. With any other column, SQLite
/// would read all checks of the company.
pub(crate) const SELECT_CHECKS_OF_WORKER: &str = "SELECT c.paycheck_id FROM (\
        SELECT company_id, pay_period_id, ordinal FROM checks \
        WHERE company_id = $1 AND worker_id = $2 LIMIT 6) found \
    JOIN checks c ON c.company_id = found.company_id AND c.pay_period_id = found.pay_period_id \
        AND c.ordinal = found.ordinal";

/// Returns the kinds of references to an object of this kind. For a company, its child companies are also
/// included.
fn find_referrer_queries(kind: ResourceKind) -> Vec<(Cow<'static, str>, &'static str)> {
    let mut conditions: Vec<_> = referrer_queries_of_kind(kind)
        .iter()
        .map(|(description, text)| (Cow::Borrowed(*description), *text))
        .collect();
    match kind {
        ResourceKind::Company => conditions.extend(LookupKind::ALL.iter().map(|kind| {
            let lookup::LookupTable { stored, id, .. } = lookup::table_of_kind(*kind);
            (
                Cow::Owned(format!("the company has {}s", kind.display_name())),
                select_referrers(stored.name, id, None),
            )
        })),
        ResourceKind::Lookup(kind) => {
            let table = lookup::table_of_kind(kind);
            let referrers = table.referrers.iter();
            conditions.extend(referrers.map(|it| {
                (Cow::Borrowed(it.description), select_referrers(it.table, it.column, Some(table.id)))
            }));
        }
        _ => {}
    }
    conditions
}

/// Like `select_ids!`, but for names that are only known at run time. Selects the rows of a company $1. If
/// `reference` is given, the statement only selects rows in which the column with that name contains the id
/// $2.
fn select_referrers(
    table: &'static str,
    column: &'static str,
    reference: Option<&'static str>,
) -> &'static str {
    texts::cached_text::<LookupKind>(
        StatementKind::Referrers { table, column, reference },
        dialect::NAME,
        || {
            let referring = reference.map(|reference| format!(" AND {reference} = $2")).unwrap_or_default();
            format!(
                "SELECT DISTINCT {column} FROM {table} WHERE company_id = $1{referring} ORDER BY {column} LIMIT 6"
            )
        },
    )
}

/// The queries that find references to a company.
const REFERRERS_OF_COMPANY: &[ReferrerQuery] = &[
    (
        "the company is the parent of companies",
        select_ids!("company_id", "companies", "parent_company_id = $1"),
    ),
    ("applications have access to the company", select_ids!("application_id", "grants")),
    ("the company has workers", select_ids!("worker_id", "workers")),
    ("the company has pay periods", select_ids!("pay_period_id", "pay_periods")),
    ("the company has pay components", select_ids!("component_id", "pay_components")),
    ("the company has organizations", select_ids!("organization_id", "organizations")),
    ("the company has contact types", select_ids!("contact_type_id", "contact_types")),
    ("the company has custom fields", select_ids!("custom_field_id", "custom_fields")),
    ("the company has categories of custom fields", select_ids!("category_id", "custom_field_categories")),
];

/// Returns the queries that find references to an object of this kind. Lookup lists have queries of their
/// own.
const fn referrer_queries_of_kind(kind: ResourceKind) -> &'static [ReferrerQuery] {
    match kind {
        ResourceKind::Company => REFERRERS_OF_COMPANY,
        ResourceKind::Organization => &[
            (
                "the organization is the parent of organizations",
                select_ids!(
                    "organization_id",
                    "organizations",
                    "company_id = $1 AND parent_organization_id = $2"
                ),
            ),
            (
                "the organization has workers",
                select_ids!("worker_id", "workers", "company_id = $1 AND organization_id = $2"),
            ),
            ("unprocessed checks use the organization", select_open_checks!("organizationId")),
        ],
        ResourceKind::CustomFieldCategory => &[(
            "the category contains custom fields",
            select_ids!("custom_field_id", "custom_fields", "company_id = $1 AND category_id = $2"),
        )],
        ResourceKind::PayComponent => &[
            (
                "the pay component is a recurring component of workers",
                select_ids!("worker_id", "recurring_components", "company_id = $1 AND component_id = $2"),
            ),
            ("unprocessed checks use the pay component", select_open_checks!("componentId")),
        ],
        ResourceKind::PayPeriod => &[
            (
                "the period has checks",
                select_ids!("paycheck_id", "checks", "company_id = $1 AND pay_period_id = $2"),
            ),
            (
                "the pay period has archived checks",
                select_ids!(
                    "pay_period_id",
                    "pay_periods",
                    "company_id = $1 AND pay_period_id = $2 AND checks_archived IS NOT NULL"
                ),
            ),
        ],
        ResourceKind::Worker => &[
            (
                "the worker is the supervisor of workers",
                select_ids!("worker_id", "workers", "company_id = $1 AND supervisor_id = $2"),
            ),
            ("the worker has checks", SELECT_CHECKS_OF_WORKER),
            (
                "the worker has archived checks",
                select_ids!("worker_id", "archived_workers", "company_id = $1 AND worker_id = $2"),
            ),
        ],
        ResourceKind::CustomField => &[(
            "the custom field has values for workers",
            select_ids!("worker_id", "worker_custom_fields", "company_id = $1 AND custom_field_id = $2"),
        )],
        ResourceKind::ContactType => &[(
            "the contact type is used by contacts of workers",
            select_ids!("worker_id", "worker_contacts", "company_id = $1 AND contact_type_id = $2"),
        )],
        ResourceKind::Lookup(_) => &[],
    }
}

/// Reads the ids that a query returns.
async fn read_ids<'c>(
    conn: &Conn,
    text: &'static str,
    values: impl IntoIterator<Item = BindValue<'c>>,
) -> Outcome<Vec<String>> {
    let found: Vec<(String,)> = conn.query_rows(query(text, values)).await?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}
