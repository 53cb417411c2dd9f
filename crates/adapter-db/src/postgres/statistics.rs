//! Refreshes the statistics for PostgreSQL's query planner.

use payroll_ports::schema::StatisticsScope;

use super::connection::Conn;
use crate::error::Outcome;
use crate::statement::sql;

/// Analyzes tables with many changes. PostgreSQL then plans the statements of all sessions again.
///
/// Autovacuum does the same within about a minute, if it is enabled. This function analyzes a table if more
/// than 1,000 rows plus a fifth of its rows have changed. This threshold is twice the threshold of
/// autovacuum.
pub(crate) async fn refresh_statistics(conn: &Conn, scope: StatisticsScope) -> Outcome<()> {
    const LOOP_OVER_TABLES_SQL: &str = "SET LOCAL statement_timeout = '10min'; \
        DO $$ DECLARE found record; BEGIN \
            FOR found IN SELECT schemaname, relname FROM pg_stat_user_tables \
                WHERE schemaname = current_schema() AND ";
    const ANALYZE_TABLE_SQL: &str = " ORDER BY relname LOOP \
                EXECUTE format('ANALYZE %I.%I', found.schemaname, found.relname); \
            END LOOP; END $$";
    conn.execute_batch(match scope {
        StatisticsScope::EveryTable => sql![LOOP_OVER_TABLES_SQL, "TRUE", ANALYZE_TABLE_SQL],
        StatisticsScope::GrownTables => {
            sql![LOOP_OVER_TABLES_SQL, "n_mod_since_analyze > 1000 + 0.2 * n_live_tup", ANALYZE_TABLE_SQL]
        }
    })
    .await
}
