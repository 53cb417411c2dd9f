-- Ids that must be unique over all companies have their own tables. In a distributed database, one node then
-- knows whether an id is used. The constraints of workers and checks only cover their company, so that
-- transactions of a company need no other node.
-- The previous release does not write these tables, so it must not run alongside this release.
CREATE TABLE worker_ids (
    worker_id TEXT COLLATE "C" NOT NULL,
    company_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT worker_ids_worker_id PRIMARY KEY (worker_id)
);
INSERT INTO worker_ids SELECT worker_id, company_id FROM workers;
ALTER TABLE workers DROP CONSTRAINT workers_worker_id;

-- Only the ids of imported checks. The server generates all other ids at random.
CREATE TABLE paycheck_ids (
    paycheck_id TEXT COLLATE "C" NOT NULL,
    company_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT paycheck_ids_paycheck_id PRIMARY KEY (paycheck_id)
);
INSERT INTO paycheck_ids SELECT paycheck_id, company_id FROM checks WHERE application_id = '';
ALTER TABLE checks DROP CONSTRAINT checks_paycheck_id;
ALTER TABLE checks ADD CONSTRAINT checks_paycheck_id UNIQUE (paycheck_id, company_id);
