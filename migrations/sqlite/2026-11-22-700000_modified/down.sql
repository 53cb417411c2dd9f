DROP INDEX workers_by_modified;
ALTER TABLE pay_periods DROP COLUMN modified;
ALTER TABLE pay_components DROP COLUMN modified;
ALTER TABLE workers DROP COLUMN modified;
