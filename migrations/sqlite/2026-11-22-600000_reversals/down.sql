DROP INDEX checks_by_original;
ALTER TABLE checks DROP COLUMN reversal_of;
