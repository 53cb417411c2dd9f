DROP INDEX workers_without_last_four;
DROP INDEX workers_by_last_four;
ALTER TABLE workers DROP COLUMN last_four_of;
ALTER TABLE workers DROP COLUMN last_four_hash;
