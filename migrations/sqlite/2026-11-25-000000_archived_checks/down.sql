DROP INDEX pay_periods_to_archive;
ALTER TABLE pay_periods DROP COLUMN checks_archived;
DROP TABLE check_archives;
DROP TABLE archived_checks;
