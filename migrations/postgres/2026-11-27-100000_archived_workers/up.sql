-- Workers who have archived checks. These workers cannot be deleted, because the payroll register of the
-- archived checks shows their names. Checks that an earlier release archived have no rows in this table.
CREATE TABLE archived_workers (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, worker_id)
);
