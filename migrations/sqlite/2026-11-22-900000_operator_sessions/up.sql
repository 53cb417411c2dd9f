-- Sessions of operators' browsers, for which an operator key was exchanged. Of what the browser sends only
-- the hash is kept.

CREATE TABLE operator_sessions (
    session_id TEXT NOT NULL PRIMARY KEY,
    key_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    hash TEXT NOT NULL,
    CONSTRAINT operator_sessions_hash UNIQUE (hash)
);
CREATE INDEX operator_sessions_of_key ON operator_sessions (key_id, created);

-- The pay periods that wait for somebody, of all companies, in the order in which they are shown.
CREATE INDEX pay_periods_not_processed ON pay_periods (check_date, company_id, pay_period_id)
    WHERE status IN ('INITIAL', 'ENTRY', 'PROCESSING');
