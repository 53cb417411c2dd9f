-- A worker's balances under the policies for time off.
CREATE TABLE time_off (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    policy_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    time_off_type TEXT NOT NULL,
    name TEXT NOT NULL,
    balance BIGINT NOT NULL,
    measure TEXT NOT NULL,
    PRIMARY KEY (company_id, worker_id, policy_id)
) WITHOUT ROWID;
