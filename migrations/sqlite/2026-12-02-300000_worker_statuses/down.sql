DROP TABLE worker_statuses;
