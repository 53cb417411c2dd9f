DROP INDEX checks_by_worker;
