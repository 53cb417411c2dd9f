//! Partitions the table `checks` by a hash of the company id, if an operator requests it.
//!
//! Each statement about checks and each key of the table contains the company. The statements are therefore
//! the same with one or many partitions. No other part of this crate depends on partitions.

use tokio_postgres::Client;

use super::causes::query_failure;
use crate::error::{Failure, Outcome};

/// The maximum number of partitions. Generic plans lock all partitions, and PostgreSQL handles locks on more
/// than sixteen tables more slowly.
pub const MAX_PARTITIONS: u32 = 64;

/// Locks the table exclusively. The statement fails if other sessions use the table without a pause for 30
/// seconds.
const BEGIN_AND_LOCK: &str =
    "BEGIN; SET LOCAL lock_timeout = '30s'; LOCK TABLE checks IN ACCESS EXCLUSIVE MODE";
/// Reads the number of partitions, which is 0 for a table without partitions.
const COUNT_PARTITIONS: &str =
    "SELECT count(*)::int4 FROM pg_inherits WHERE inhparent = to_regclass('checks')";
/// Lists what an administrator has added to the table `checks`, such as triggers. The new table would not
/// have these additions.
const SELECT_ADDED_OBJECTS: &str = "SELECT string_agg(what, ', ') FROM ( \
        SELECT 'the trigger ' || tgname AS what FROM pg_trigger \
            WHERE tgrelid = 'checks'::regclass AND NOT tgisinternal \
        UNION ALL SELECT 'the policy ' || polname FROM pg_policy WHERE polrelid = 'checks'::regclass \
        UNION ALL SELECT 'the publication ' || p.pubname FROM pg_publication_rel r \
            JOIN pg_publication p ON p.oid = r.prpubid WHERE r.prrelid = 'checks'::regclass \
        UNION ALL SELECT 'the foreign key ' || conname FROM pg_constraint \
            WHERE contype = 'f' AND 'checks'::regclass IN (conrelid, confrelid) \
        UNION ALL SELECT 'the storage settings ' || array_to_string(reloptions, ', ') FROM pg_class \
            WHERE oid = 'checks'::regclass AND reloptions IS NOT NULL \
        UNION ALL SELECT 'the tablespace ' || s.spcname FROM pg_class c \
            JOIN pg_tablespace s ON s.oid = c.reltablespace WHERE c.oid = 'checks'::regclass \
        UNION ALL SELECT 'the privileges of the column ' || attname FROM pg_attribute \
            WHERE attrelid = 'checks'::regclass AND attacl IS NOT NULL \
        UNION ALL SELECT DISTINCT 'the view ' || v.relname FROM pg_depend d \
            JOIN pg_rewrite w ON w.oid = d.objid JOIN pg_class v ON v.oid = w.ev_class \
            WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid = 'checks'::regclass \
    ) added";
/// Reads the statements that give a new table the keys, indexes and privileges of the current one.
const SELECT_CONSTRAINTS_AND_INDEXES: &str = "SELECT format('ALTER TABLE checks ADD CONSTRAINT %I %s', conname, \
            pg_get_constraintdef(oid)) \
        FROM pg_constraint WHERE conrelid = 'checks'::regclass AND contype IN ('p', 'u') \
    UNION ALL SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index \
        WHERE indrelid = 'checks'::regclass \
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u')) \
    UNION ALL SELECT format('GRANT %s ON checks TO %s%s', a.privilege_type, \
            CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, \
            CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) \
        FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'checks'::regclass AND a.grantee <> c.relowner";

/// The result of partitioning the table `checks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionResult {
    /// The number of partitions before the change. 1 if the table was not partitioned.
    pub previous_partitions: u32,
    /// The number of moved checks. 0 if the table already had the requested partitions.
    pub checks: u64,
}

/// Returns the number of partitions of `checks`. 1 if the table is not partitioned.
///
/// # Errors
/// The query of the partitions fails.
pub(crate) async fn count_partitions(client: &Client) -> Outcome<u32> {
    let row = client.query_one(COUNT_PARTITIONS, &[]).await.map_err(query_failure)?;
    let count: i32 = row.try_get(0).map_err(query_failure)?;
    Ok(u32::try_from(count).unwrap_or_default().max(1))
}

/// Verifies that the table `checks` is not partitioned, because Citus can only distribute a table without
/// partitions.
///
/// # Errors
/// The table has partitions, or the query fails.
pub(crate) async fn check_partitionable(client: &Client) -> Outcome<()> {
    match count_partitions(client).await? {
        1 => Ok(()),
        partitions => Err(Failure::Unavailable(format!(
            "the table checks has {partitions} partitions, which cannot be distributed. Run `payroll-server \
             partition 1` first to make it one table"
        ))),
    }
}

/// Divides the table `checks` into `count` partitions. With a `count` of 1, the partitions are merged into
/// one table. One transaction moves either all rows or none.
///
/// # Errors
/// Other sessions use the table for half a minute without a pause, an administrator has added something to
/// the table, or a statement fails.
pub(crate) async fn partition_tables(client: &Client, count: u32) -> Outcome<PartitionResult> {
    if count_partitions(client).await? == count {
        return Ok(PartitionResult { previous_partitions: count, checks: 0 });
    }
    let moved = replace_partitions(client, count).await;
    if moved.is_err() {
        drop(client.batch_execute("ROLLBACK").await);
    }
    let moved = moved?;
    // PostgreSQL does not analyze a partitioned table automatically, so this statement does. VACUUM also
    // marks the pages as visible to all, so that index-only scans do not read them.
    client.batch_execute("VACUUM (ANALYZE) checks").await.map_err(query_failure)?;
    Ok(moved)
}

async fn replace_partitions(client: &Client, count: u32) -> Outcome<PartitionResult> {
    client.batch_execute(BEGIN_AND_LOCK).await.map_err(query_failure)?;
    let before = count_partitions(client).await?;
    let added: Option<String> = client
        .query_one(SELECT_ADDED_OBJECTS, &[])
        .await
        .and_then(|row| row.try_get(0))
        .map_err(query_failure)?;
    if let Some(added) = added {
        return Err(Failure::Unavailable(format!(
            "the table checks has objects that are not part of the schema and would be lost: {added}. \
             Remove them first, and add them again afterwards"
        )));
    }
    let belongings = client.query(SELECT_CONSTRAINTS_AND_INDEXES, &[]).await.map_err(query_failure)?;
    let belongings = belongings.iter().map(|row| row.try_get(0));
    let belongings: Vec<String> = belongings.collect::<Result<_, _>>().map_err(query_failure)?;
    client.batch_execute(&create_table_sql(count)).await.map_err(query_failure)?;
    let checks =
        client.execute("INSERT INTO checks SELECT * FROM checks_before", &[]).await.map_err(query_failure)?;
    let rest = format!("DROP TABLE checks_before; {}; COMMIT", belongings.join("; "));
    client.batch_execute(&rest).await.map_err(query_failure)?;
    Ok(PartitionResult { previous_partitions: before, checks })
}

/// Returns the statements that create the new table with the same columns, and rename the old one.
fn create_table_sql(partitions: u32) -> String {
    let like = "LIKE checks_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING COMPRESSION \
        INCLUDING STORAGE INCLUDING STATISTICS INCLUDING COMMENTS";
    let mut text = "ALTER TABLE checks RENAME TO checks_before; ".to_owned();
    if partitions == 1 {
        text.push_str(&format!("CREATE TABLE checks ({like})"));
        return text;
    }
    text.push_str(&format!("CREATE TABLE checks ({like}) PARTITION BY HASH (company_id)"));
    text.extend((0..partitions).map(|number| {
        format!(
            "; CREATE TABLE checks_{}_of_{partitions} PARTITION OF checks \
             FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})",
            number + 1
        )
    }));
    text
}
