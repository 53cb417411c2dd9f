-- Browser sessions of operators. A session is created in exchange for an operator key. Only the hash of
-- the browser's token is stored.

CREATE TABLE operator_sessions (
    session_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    key_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    CONSTRAINT operator_sessions_hash UNIQUE (hash)
);
CREATE INDEX operator_sessions_of_key ON operator_sessions (key_id, created);

-- The unprocessed pay periods of all companies, in the order of their list.
CREATE INDEX pay_periods_not_processed ON pay_periods (check_date, company_id, pay_period_id)
    WHERE status IN ('INITIAL', 'ENTRY', 'PROCESSING');
