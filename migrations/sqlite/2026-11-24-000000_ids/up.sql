-- Ids that no two companies may have, in tables of their own, as PostgreSQL needs them where companies lie on
-- several machines. The constraints of workers and checks stay: there is one machine here.
-- The release before this one does not write these tables: it must not run beside this one.
CREATE TABLE worker_ids (
    worker_id TEXT NOT NULL,
    company_id TEXT NOT NULL,
    CONSTRAINT worker_ids_worker_id PRIMARY KEY (worker_id)
) WITHOUT ROWID;
INSERT INTO worker_ids SELECT worker_id, company_id FROM workers;

-- Of imported checks only: the ids of all others are random, and made by this server.
CREATE TABLE paycheck_ids (
    paycheck_id TEXT NOT NULL,
    company_id TEXT NOT NULL,
    CONSTRAINT paycheck_ids_paycheck_id PRIMARY KEY (paycheck_id)
) WITHOUT ROWID;
INSERT INTO paycheck_ids SELECT paycheck_id, company_id FROM checks WHERE application_id = '';
