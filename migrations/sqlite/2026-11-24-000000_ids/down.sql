DROP TABLE paycheck_ids;
DROP TABLE worker_ids;
