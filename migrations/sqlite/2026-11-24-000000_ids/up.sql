-- Ids that must be unique over all companies have their own tables, as in a distributed PostgreSQL database.
-- On SQLite, the constraints of workers and checks also remain, because the database is not distributed. The
-- previous release does not write these tables, so it must not run alongside this release.
CREATE TABLE worker_ids (
    worker_id TEXT NOT NULL,
    company_id TEXT NOT NULL,
    CONSTRAINT worker_ids_worker_id PRIMARY KEY (worker_id)
) WITHOUT ROWID;
INSERT INTO worker_ids SELECT worker_id, company_id FROM workers;

-- Only the ids of imported checks. The server generates all other ids at random.
CREATE TABLE paycheck_ids (
    paycheck_id TEXT NOT NULL,
    company_id TEXT NOT NULL,
    CONSTRAINT paycheck_ids_paycheck_id PRIMARY KEY (paycheck_id)
) WITHOUT ROWID;
INSERT INTO paycheck_ids SELECT paycheck_id, company_id FROM checks WHERE application_id = '';
