-- The bank accounts that receive the pay of workers. Account numbers are encrypted.
CREATE TABLE direct_deposits (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    direct_deposit_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    start_date DATE NOT NULL,
    payment_type TEXT NOT NULL,
    account_type TEXT NOT NULL,
    value BIGINT,
    routing_number TEXT NOT NULL,
    account_number TEXT NOT NULL,
    priority BIGINT NOT NULL,
    status TEXT NOT NULL,
    pending_payment_type TEXT,
    pending_value BIGINT,
    requested_by TEXT,
    requested_date DATE,
    PRIMARY KEY (company_id, worker_id, direct_deposit_id)
) WITHOUT ROWID;
-- Direct deposits that an operator must approve or reject.
CREATE INDEX direct_deposits_pending ON direct_deposits (company_id, worker_id, direct_deposit_id)
    WHERE status = 'PENDING' OR pending_payment_type IS NOT NULL;
