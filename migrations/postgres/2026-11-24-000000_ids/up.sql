-- Ids that no two companies may have, in tables of their own: where companies lie on several machines, one of
-- them knows of an id whether it is taken. Workers and checks are then unique in their company, and nothing
-- about a company has to ask another machine.
-- The release before this one does not write these tables: it must not run beside this one.
CREATE TABLE worker_ids (
    worker_id TEXT COLLATE "C" NOT NULL,
    company_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT worker_ids_worker_id PRIMARY KEY (worker_id)
);
INSERT INTO worker_ids SELECT worker_id, company_id FROM workers;
ALTER TABLE workers DROP CONSTRAINT workers_worker_id;

-- Of imported checks only: the ids of all others are random, and made by this server.
CREATE TABLE paycheck_ids (
    paycheck_id TEXT COLLATE "C" NOT NULL,
    company_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT paycheck_ids_paycheck_id PRIMARY KEY (paycheck_id)
);
INSERT INTO paycheck_ids SELECT paycheck_id, company_id FROM checks WHERE application_id = '';
ALTER TABLE checks DROP CONSTRAINT checks_paycheck_id;
ALTER TABLE checks ADD CONSTRAINT checks_paycheck_id UNIQUE (paycheck_id, company_id);
