//! Checks the database and the clock: the database's availability, writes, settings, schema and keys.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use payroll_adapter_db::{
    ClusterInspection, Inspection, InspectionTarget, PostgresInspection, format_missing_keys, inspect,
    newest_schema_version,
};
use payroll_ports::keys::KeySet;
use payroll_ports::{Clock, Randomness};

use super::report::DiagnosticsReport;
use crate::archive::ArchiveFolder;
use crate::config::{Setting, Settings};
use crate::durability;

const AREA: &str = "storage";
const CLOCK_AREA: &str = "clock";

/// The free disk space in bytes below which `doctor` warns. The write-ahead log can grow by some hundred
/// megabytes while a long response or a backup reads an old snapshot.
const LOW_DISK_SPACE_BYTES: u64 = 1024 * 1024 * 1024;
/// The oldest PostgreSQL version that still gets corrections (postgresql.org, versioning policy).
const OLDEST_SUPPORTED_POSTGRES: i32 = 140_000;
/// The number of database connections of each server process outside of its connection pool: one that listens
/// for notifications about deliveries.
const CONNECTIONS_OUTSIDE_THE_POOL: i64 = 1;
/// The tolerated difference between the clocks of server and database, in microseconds. The expiry of tokens
/// is validated to the second.
const MAX_CLOCK_DIFFERENCE_MICROS: i64 = 2_000_000;
/// The maximum microseconds by which the last stored change may be in the future. A later instant means that
/// the clock of the server that stored the change was wrong.
const MAX_FUTURE_CHANGE_MICROS: i64 = 60_000_000;

/// Checks the storage. Returns the addresses of active hooks, which the network diagnostics resolve.
pub(super) async fn check_storage(
    settings: &Settings,
    keys: Option<KeySet>,
    (clock, randomness): (&dyn Clock, Arc<dyn Randomness>),
    report: &mut DiagnosticsReport,
) -> Vec<String> {
    if let Some(path) = settings.database_url.embedded_path() {
        check_location(&path, report);
        check_database_permissions(&path, report);
        if !path.exists() {
            report.add_ok(AREA, format!("the first start creates the database {}", path.display()));
            return Vec::new();
        }
    }
    check_archives(settings, report);
    let url = settings.database_url.expose().to_owned();
    let direct_url = settings.direct_database_url.expose().map(str::to_owned);
    let nodes_too = settings.database_node_connections > 0;
    let mut found = match inspect(InspectionTarget { url, direct_url, nodes_too, keys, randomness }).await {
        Ok(found) => found,
        Err(error) => {
            let failure = crate::failure::Failure::with_cause(
                format!("the database {} cannot be used", settings.database_url.show()),
                &error,
            );
            let advice = "check `database_url`, that the database runs, and the firewall";
            report.add_problem(AREA, failure.to_string(), advice);
            return Vec::new();
        }
    };
    if let Some(embedded) = &found.embedded {
        match &embedded.not_writable {
            None => report.add_ok(AREA, format!("{} can be written", settings.database_url.show())),
            Some(cause) => {
                let says = format!("{} cannot be written: {cause}", settings.database_url.show());
                report.add_problem(
                    AREA,
                    says,
                    "the file and its folder must belong to the user who runs the server",
                );
            }
        }
        if !check_structure(settings, embedded.damage.as_deref(), report) {
            return Vec::new();
        }
        if found.schema_version.is_some() && embedded.journal_mode != "wal" {
            let says = format!("the journal mode of the database is {}", embedded.journal_mode);
            report.add_warning(
                AREA,
                says,
                "no action is needed: the server sets the journal mode to wal at its start",
            );
        }
    }
    if let Some(postgres) = &found.postgres {
        check_postgres(settings, postgres, report);
        check_clocks(postgres.clock - clock.now().as_micros(), report);
    }
    check_archived_files(settings, std::mem::take(&mut found.archives), report).await;
    check_replica(settings, report).await;
    check_contents(&found, clock, report);
    found.hook_addresses
}

/// Reports damage in the structure of the embedded database. Returns whether the other diagnostics can read
/// the database.
fn check_structure(settings: &Settings, damage: Option<&[String]>, report: &mut DiagnosticsReport) -> bool {
    let shown = settings.database_url.show();
    match damage {
        None => report
            .add_ok(AREA, format!("{shown} was not checked for damage, because it is larger than 1 GiB")),
        Some([]) => report.add_ok(AREA, format!("the structure of {shown} is valid")),
        Some(damage) => {
            let says = format!("{shown} is damaged: {}", damage.join("; ").replace('\n', " "));
            report.add_problem(AREA, says, "stop the server, and restore the newest backup");
            return false;
        }
    }
    true
}

/// Checks that the replica from which partners read is up to date.
async fn check_replica(settings: &Settings, report: &mut DiagnosticsReport) {
    let Some(url) = settings.replica_database_url.expose() else { return };
    let shown = settings.replica_database_url.show();
    let advice = "until the replica works, the primary serves its reads";
    match payroll_adapter_db::is_replica_recent(url).await {
        Ok(true) => report.add_ok(AREA, format!("the replica {shown} follows the primary")),
        Ok(false) => {
            let says = format!("the replica {shown} receives no changes, or is more than a minute behind");
            report.add_warning(AREA, says, advice);
        }
        Err(error) => {
            let says = format!("the replica {shown} cannot be used");
            let failure = crate::failure::Failure::with_cause(says, &error);
            report.add_warning(AREA, failure.to_string(), advice);
        }
    }
}

/// Checks the folder in which the embedded database is stored or will be created.
fn check_location(path: &Path, report: &mut DiagnosticsReport) {
    let there = path.ancestors().skip(1).find(|folder| folder.is_dir());
    check_folder(there.unwrap_or(Path::new(".")), report);
}

/// Checks that only the owner can read the embedded database.
fn check_database_permissions(path: &Path, report: &mut DiagnosticsReport) {
    const OTHER_USERS_MODE: u32 = 0o077;
    let Ok(file) = std::fs::metadata(path) else { return };
    let mode = file.permissions().mode() & 0o777;
    if mode & OTHER_USERS_MODE != 0 {
        let says = format!("other users can open the database {} (mode {mode:03o})", path.display());
        report.add_problem(AREA, says, format!("chmod 600 {}", path.display()));
    }
}

/// Checks that the files of the newest archives exist and have the expected content.
async fn check_archived_files(settings: &Settings, archives: Vec<String>, report: &mut DiagnosticsReport) {
    let Some(folder) = ArchiveFolder::from_settings(settings).filter(|_| !archives.is_empty()) else {
        return;
    };
    let count = archives.len();
    let damaged = tokio::task::spawn_blocking(move || {
        archives.into_iter().filter_map(|archive| folder.find_damage(&archive)).collect::<Vec<_>>()
    });
    match damaged.await.unwrap_or_else(|error| vec![error.to_string()]).as_slice() {
        [] => report.add_ok(AREA, format!("the files of the newest archives are intact: {count}")),
        [first, rest @ ..] => {
            let more = if rest.is_empty() { String::new() } else { format!("; {} more", rest.len()) };
            let advice =
                "restore the file from a backup. The database still contains the register of these checks";
            report.add_problem(AREA, format!("an archive is damaged: {first}{more}"), advice);
        }
    }
}

/// Checks the folder for archived checks, if archiving is enabled.
fn check_archives(settings: &Settings, report: &mut DiagnosticsReport) {
    if settings.check_retention_days == 0 {
        return;
    }
    let folder = Path::new(&settings.check_archive_folder);
    if folder.is_dir() {
        return check_folder(folder, report);
    }
    let says = format!("the folder of archived checks does not exist: {}", folder.display());
    report.add_problem(
        AREA,
        says,
        "create it for the user who runs the server. Until then nothing is archived",
    );
}

/// Checks that a folder has enough free space and that the server can write to it.
fn check_folder(folder: &Path, report: &mut DiagnosticsReport) {
    let shown = folder.display();
    match rustix::fs::statvfs(folder) {
        Err(error) => {
            let says = format!("the free space of {shown} is unknown: {error}");
            report.add_warning(AREA, says, "check that the server can read the folder");
        }
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let says = format!("{shown} has {} left", indicatif::HumanBytes(free));
            match free < LOW_DISK_SPACE_BYTES {
                true => {
                    report.add_warning(AREA, says, "free some space: requests that cannot be stored get 503")
                }
                false => report.add_ok(AREA, says),
            }
        }
    }
    if let Err(error) = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK) {
        let says = format!("nothing can be written into {shown}: {error}");
        report.add_problem(AREA, says, "the folder must belong to the user who runs the server");
    }
}

fn check_postgres(settings: &Settings, found: &PostgresInspection, report: &mut DiagnosticsReport) {
    let (major, minor) = (found.version / 10_000, found.version % 10_000);
    let says = format!("{} responds: PostgreSQL {major}.{minor}", settings.database_url.show());
    match found.version < OLDEST_SUPPORTED_POSTGRES {
        true => report.add_warning(AREA, says, "this version is no longer supported: upgrade it"),
        false => report.add_ok(AREA, says),
    }
    let lends = if found.transaction_pooling {
        "assigns a session to each transaction. Operations that need a session of their own use \
         `direct_database_url`"
    } else {
        "assigns a session to each connection"
    };
    match &found.pooler {
        Some(pooler) => report.add_ok(AREA, format!("{pooler} is in front of the database and {lends}")),
        None if found.transaction_pooling => {
            report.add_ok(AREA, format!("a pooler is in front of the database and {lends}"))
        }
        None => {}
    }
    if found.partitions > 1 {
        report.add_ok(AREA, format!("the checks are in {} partitions", found.partitions));
    }
    if let Some(cluster) = &found.cluster {
        check_cluster(cluster, report);
    }
    let wrong = [
        (
            found.standby,
            "the database is a standby, which accepts no writes",
            "point `database_url` at the primary",
        ),
        (
            found.encoding != "UTF8",
            "the encoding of the database is not UTF8",
            "create the database with ENCODING 'UTF8'",
        ),
        (
            !found.may_create,
            "the database user cannot create tables, which an upgrade can require",
            "GRANT CREATE ON SCHEMA",
        ),
    ];
    for (_, says, advice) in wrong.into_iter().filter(|(wrong, ..)| *wrong) {
        report.add_problem(AREA, says, advice);
    }
    for weakness in &found.weaknesses {
        match durability::is_weakness_accepted(settings, *weakness) {
            true => report.add_warning(AREA, weakness.problem(), "`accept_unsafe_database` accepts it"),
            false => report.add_problem(AREA, weakness.problem(), weakness.remedy()),
        }
    }
    check_connections(settings, found, report);
    if found.old_transactions > 0 {
        report.add_warning(
            AREA,
            format!("{} transactions are older than five minutes and delay events", found.old_transactions),
            "find them in pg_stat_activity and end those that are not needed",
        );
    }
}

/// Checks that PostgreSQL accepts enough connections for this server.
fn check_connections(settings: &Settings, found: &PostgresInspection, report: &mut DiagnosticsReport) {
    let needed = i64::from(settings.database_connections) + CONNECTIONS_OUTSIDE_THE_POOL;
    let says = format!(
        "the database accepts {} connections, of which {} are in use. Each process of this server needs up \
         to {needed}",
        found.max_connections, found.connections
    );
    let advice = "raise PostgreSQL's max_connections, or lower `database_connections`";
    match (needed > found.max_connections, found.connections + needed > found.max_connections) {
        (true, _) => report.add_problem(AREA, says, advice),
        (false, true) => report.add_warning(AREA, says, advice),
        (false, false) => report.add_ok(AREA, says),
    }
}

/// Checks the nodes of the cluster over which the tables are distributed.
fn check_cluster(cluster: &ClusterInspection, report: &mut DiagnosticsReport) {
    let (count, names) = (cluster.nodes.len(), cluster.nodes.join(", "));
    let nodes = if count == 1 { "node" } else { "nodes" };
    let version = &cluster.version;
    let says = format!("the database is distributed over {count} {nodes} (Citus {version}): {names}");
    report.add_ok(AREA, says);
    for node in &cluster.unresponsive_nodes {
        let says = format!("{node} does not respond: requests about companies on this node get 503");
        report.add_problem(
            AREA,
            says,
            "check that PostgreSQL runs there and that the coordinator can connect to it",
        );
    }
    for node in cluster.unreachable.iter().filter(|node| !cluster.unresponsive_nodes.contains(node)) {
        let says = format!(
            "this machine cannot connect to {node}: requests about companies on this node go through the \
             coordinator"
        );
        let advice = "check its pg_hba.conf and the firewall, or set `database_node_connections` to 0";
        report.add_warning(AREA, says, advice);
    }
    for node in &cluster.nodes_without_limits {
        let says = format!("sessions on {node} begin without the limits that the server needs");
        let advice =
            "`payroll-server distribute` sets them for the user of `database_url`, or reports what is wrong";
        report.add_problem(AREA, says, advice);
    }
}

/// Checks the schema and the keys, and compares the clock with the instant of the last change.
fn check_contents(found: &Inspection, clock: &dyn Clock, report: &mut DiagnosticsReport) {
    let newest = newest_schema_version();
    match &found.schema_version {
        None => report.add_ok(AREA, "the first start creates the tables"),
        Some(version) if *version == newest => report.add_ok(AREA, format!("the schema is at {version}")),
        Some(version) if *version < newest => {
            let says = format!("the schema is at {version}, and this program knows {newest}");
            report.add_warning(
                AREA,
                says,
                "run `payroll-server migrate`, or start the server, to migrate it",
            );
        }
        Some(version) => {
            let says = format!("the schema is at {version}, which is newer than this program's {newest}");
            report.add_warning(AREA, says, "a newer release has migrated it: run that release");
        }
    }
    match found.keys_fit {
        Some(true) if !found.missing_keys.is_empty() => {}
        Some(true) => report.add_ok("keys", "the keys decrypt the data in the database"),
        Some(false) => report.add_problem(
            "keys",
            "the keys do not decrypt the data in the database",
            "restore the keys that the database was created with. New keys do not help",
        ),
        None => {}
    }
    if !found.missing_keys.is_empty() {
        let says = format!(
            "rows are encrypted with keys that are missing: {}",
            format_missing_keys(&found.missing_keys)
        );
        report.add_problem(
            "keys",
            says,
            "add the lines of these keys to the keys again, then run `payroll-server key reseal`",
        );
    }
    let ahead = found.last_change.unwrap_or(i64::MIN).saturating_sub(clock.now().as_micros());
    match ahead > MAX_FUTURE_CHANGE_MICROS {
        true => report.add_warning(
            CLOCK_AREA,
            "the time of the last change is in the future, so the clock of a machine was wrong",
            "synchronize the clocks of the machines with NTP",
        ),
        false => report.add_ok(CLOCK_AREA, "no stored change has a time in the future"),
    }
}

fn check_clocks(difference: i64, report: &mut DiagnosticsReport) {
    const MICROS_PER_SECOND: f64 = 1e6;
    #[expect(clippy::cast_precision_loss, reason = "it is shown to a tenth of a second")]
    let says = format!(
        "the database's clock differs from this machine's by {:.1} s",
        difference as f64 / MICROS_PER_SECOND
    );
    match difference.abs() > MAX_CLOCK_DIFFERENCE_MICROS {
        true => report.add_warning(CLOCK_AREA, says, "synchronize the clocks of both machines with NTP"),
        false => report.add_ok(CLOCK_AREA, says),
    }
}
