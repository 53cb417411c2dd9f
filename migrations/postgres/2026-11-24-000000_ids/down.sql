ALTER TABLE checks DROP CONSTRAINT checks_paycheck_id;
ALTER TABLE checks ADD CONSTRAINT checks_paycheck_id UNIQUE (paycheck_id);
DROP TABLE paycheck_ids;
ALTER TABLE workers ADD CONSTRAINT workers_worker_id UNIQUE (worker_id);
DROP TABLE worker_ids;
