-- The statuses that workers of a company can have.
CREATE TABLE worker_statuses (
    company_id TEXT NOT NULL,
    worker_status_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    status_type TEXT NOT NULL,
    status_reason TEXT NOT NULL,
    PRIMARY KEY (company_id, worker_status_id),
    CONSTRAINT worker_statuses_status UNIQUE (company_id, status_type, status_reason)
) WITHOUT ROWID;
