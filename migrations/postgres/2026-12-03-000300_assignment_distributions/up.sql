-- The distribution of a worker's work over jobs and labor assignments.
CREATE TABLE assignment_distributions (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    job_id TEXT COLLATE "C",
    labor_assignment_id TEXT COLLATE "C",
    value BIGINT NOT NULL,
    PRIMARY KEY (company_id, worker_id, position)
);
