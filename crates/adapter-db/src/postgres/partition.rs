//! The table `checks` in partitions, companies by a hash of their ids, where an operator asks for it.
//!
//! Each statement about checks names its company, and each key of theirs holds it: on one partition or on many
//! they are the same statements, and nothing else of this crate knows of partitions.

use tokio_postgres::Client;

use super::causes::failed;
use crate::error::{Failure, Outcome};

/// Most partitions. PostgreSQL locks all of them in statements that it has planned once for every company,
/// and locks of more than sixteen tables cost it more.
pub const MOST_PARTITIONS: u32 = 64;

/// No session reads or writes checks from here on, or a sentence says that one does all the time.
const ALONE: &str = "BEGIN; SET LOCAL lock_timeout = '30s'; LOCK TABLE checks IN ACCESS EXCLUSIVE MODE";
/// How many partitions there are; 0 for a table without.
const PARTITIONS: &str = "SELECT count(*)::int4 FROM pg_inherits WHERE inhparent = to_regclass('checks')";
/// What an administrator has added to the table, and what a new one would not have.
const ADDED: &str = "SELECT string_agg(what, ', ') FROM ( \
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
/// The statements that give a new table what this one has: its keys, its indexes, the privileges of others.
const BELONGINGS: &str = "SELECT format('ALTER TABLE checks ADD CONSTRAINT %I %s', conname, \
            pg_get_constraintdef(oid)) \
        FROM pg_constraint WHERE conrelid = 'checks'::regclass AND contype IN ('p', 'u') \
    UNION ALL SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index \
        WHERE indrelid = 'checks'::regclass \
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u')) \
    UNION ALL SELECT format('GRANT %s ON checks TO %s%s', a.privilege_type, \
            CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, \
            CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) \
        FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'checks'::regclass AND a.grantee <> c.relowner";

/// What became of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partitioned {
    /// Its partitions before: 1 where it was one table.
    pub before: u32,
    /// The checks that were moved; none where it lay as is wanted.
    pub checks: u64,
}

/// The number of partitions of `checks`: 1 where it is one table.
///
/// # Errors
/// The database cannot be asked.
pub(crate) async fn partitions(client: &Client) -> Outcome<u32> {
    let row = client.query_one(PARTITIONS, &[]).await.map_err(failed)?;
    let count: i32 = row.try_get(0).map_err(failed)?;
    Ok(u32::try_from(count).unwrap_or_default().max(1))
}

/// Makes sure that `checks` is one table, which Citus can distribute.
///
/// # Errors
/// It has partitions, or the database cannot be asked.
pub(crate) async fn refuse(client: &Client) -> Outcome<()> {
    match partitions(client).await? {
        1 => Ok(()),
        partitions => Err(Failure::Unavailable(format!(
            "the table checks has {partitions} partitions: `payroll-server partition 1` makes one table of them, \
             which can be distributed"
        ))),
    }
}

/// Divides `checks` into that number of partitions, or makes one table of it again: in one transaction, in
/// which every row is moved, or none.
///
/// # Errors
/// Others use the table for half a minute on end, it has additions, or a statement fails.
pub(crate) async fn partition(client: &Client, wanted: u32) -> Outcome<Partitioned> {
    if partitions(client).await? == wanted {
        return Ok(Partitioned { before: wanted, checks: 0 });
    }
    let moved = moved(client, wanted).await;
    if moved.is_err() {
        drop(client.batch_execute("ROLLBACK").await);
    }
    let moved = moved?;
    // PostgreSQL itself never analyzes a table as a whole that has partitions; and pages that are known to be
    // visible are not read for what stands in an index.
    client.batch_execute("VACUUM (ANALYZE) checks").await.map_err(failed)?;
    Ok(moved)
}

async fn moved(client: &Client, wanted: u32) -> Outcome<Partitioned> {
    client.batch_execute(ALONE).await.map_err(failed)?;
    let before = partitions(client).await?;
    let added: Option<String> =
        client.query_one(ADDED, &[]).await.and_then(|row| row.try_get(0)).map_err(failed)?;
    if let Some(added) = added {
        return Err(Failure::Unavailable(format!(
            "what somebody has added to the table checks would be lost: {added}. Take it away before, and add it \
             again afterwards"
        )));
    }
    let belongings = client.query(BELONGINGS, &[]).await.map_err(failed)?;
    let belongings = belongings.iter().map(|row| row.try_get(0));
    let belongings: Vec<String> = belongings.collect::<Result<_, _>>().map_err(failed)?;
    client.batch_execute(&new_table(wanted)).await.map_err(failed)?;
    let checks =
        client.execute("INSERT INTO checks SELECT * FROM checks_before", &[]).await.map_err(failed)?;
    let rest = format!("DROP TABLE checks_before; {}; COMMIT", belongings.join("; "));
    client.batch_execute(&rest).await.map_err(failed)?;
    Ok(Partitioned { before, checks })
}

/// The statements that make the new table, of the same columns, and give the old one another name.
fn new_table(partitions: u32) -> String {
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
