-- The statuses of workers: past, present and future.
CREATE TABLE status_history (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    worker_status_id TEXT COLLATE "C",
    status_type TEXT COLLATE "C" NOT NULL,
    status_reason TEXT COLLATE "C",
    effective_date DATE NOT NULL,
    status_order BIGINT NOT NULL,
    PRIMARY KEY (company_id, worker_id, position)
);
-- The current status of each worker becomes the first entry of the history.
INSERT INTO status_history
    SELECT company_id, worker_id, 0, worker_status_id, status_type, status_reason, status_effective_date, 0
    FROM workers WHERE worker_status_id IS NOT NULL;

-- Workers with a future status, and the day on which the next status begins.
CREATE TABLE due_statuses (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    due_date DATE NOT NULL,
    PRIMARY KEY (company_id, worker_id)
);
CREATE INDEX due_statuses_by_day ON due_statuses (due_date, company_id, worker_id);
