-- The distribution of a worker's work over jobs and labor assignments.
CREATE TABLE assignment_distributions (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    job_id TEXT,
    labor_assignment_id TEXT,
    value BIGINT NOT NULL,
    PRIMARY KEY (company_id, worker_id, position)
) WITHOUT ROWID;
