//! How the databases carry out statements that must not read a whole table, as they explain it
//! themselves: the text is that of the store, on tables as a migration makes them.

use diesel::sql_types::Text;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use tokio_postgres::{Client, NoTls};

use crate::{migrations, postgres, sqlite};

/// Checks of one company, 200 for each of its workers.
const CHECKS: &str = "INSERT INTO checks (company_id, pay_period_id, ordinal, paycheck_id, worker_id, \
        application_id, block_auto_distribution) \
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000) \
    SELECT 'C', 'P', n, CAST(n AS TEXT), 'W' || CAST(n % 100 AS TEXT), '', FALSE FROM n";

#[derive(QueryableByName)]
struct Step {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[tokio::test]
async fn whether_a_worker_has_checks_is_looked_up_in_an_index_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("payroll.db");
    migrations::sqlite(&path).await.unwrap();
    let mut connection = SqliteConnection::establish(&path.to_string_lossy()).unwrap();
    let sql = format!("EXPLAIN QUERY PLAN {}", sqlite::store::CHECKS_OF_WORKER);
    let plan = diesel::sql_query(sql).bind::<Text, _>("C").bind::<Text, _>("none");
    let plan: Vec<Step> = plan.load(&mut connection).unwrap();
    let steps: Vec<&str> = plan.iter().map(|step| step.detail.as_str()).collect();
    let looks_up = "SEARCH checks USING COVERING INDEX checks_by_worker (company_id=? AND worker_id=?)";
    assert!(steps.contains(&looks_up), "{steps:?}");
    assert!(steps.iter().all(|step| !step.contains("(company_id=?)")), "{steps:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whether_a_worker_has_checks_is_looked_up_in_an_index_on_postgresql() {
    let Ok(server) = std::env::var("TEST_DATABASE_URL") else { return };
    let name = format!("payroll_plans_{}", std::process::id());
    let administrator = connect(&server).await;
    administrator.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    let (address, query) = server.split_once('?').unwrap_or((&server, ""));
    let url = format!("{}/{name}?{query}", address.rsplit_once('/').unwrap().0);
    migrations::postgres(&url).await.unwrap();
    let plan = explained(&url).await;
    administrator.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    // The plan that is kept for whatever values come.
    assert!(plan.contains("using checks_by_worker"), "{plan}");
    assert!(!plan.contains("Filter") && !plan.contains("Seq Scan"), "{plan}");
}

async fn explained(url: &str) -> String {
    let client = connect(url).await;
    client.batch_execute(CHECKS).await.unwrap();
    let text = postgres::store::CHECKS_OF_WORKER;
    let kept = format!("ANALYZE; SET plan_cache_mode = force_generic_plan; PREPARE found AS {text}");
    client.batch_execute(&kept).await.unwrap();
    let rows = client.query("EXPLAIN EXECUTE found ('C', 'none')", &[]).await.unwrap();
    rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n")
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
