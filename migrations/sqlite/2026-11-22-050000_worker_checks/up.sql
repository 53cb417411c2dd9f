-- Whether a worker has checks is asked before the worker is deleted: without it every check of the
-- company would be read.
CREATE INDEX checks_by_worker ON checks (company_id, worker_id);
