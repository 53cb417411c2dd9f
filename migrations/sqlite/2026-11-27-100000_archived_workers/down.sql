DROP TABLE archived_workers;
