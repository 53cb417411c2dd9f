-- A worker's balances under the policies for time off.
CREATE TABLE time_off (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    policy_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    time_off_type TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    balance BIGINT NOT NULL,
    measure TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, worker_id, policy_id)
);
