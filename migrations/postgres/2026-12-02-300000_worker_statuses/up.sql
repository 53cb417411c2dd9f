-- The statuses that workers of a company can have.
CREATE TABLE worker_statuses (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_status_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    status_type TEXT COLLATE "C" NOT NULL,
    status_reason TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, worker_status_id),
    CONSTRAINT worker_statuses_status UNIQUE (company_id, status_type, status_reason)
);
