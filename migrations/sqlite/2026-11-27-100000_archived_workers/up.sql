-- Workers who have archived checks, whose names the register of those still shows. What was archived before this
-- release has no rows here.
CREATE TABLE archived_workers (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    PRIMARY KEY (company_id, worker_id)
) WITHOUT ROWID;
