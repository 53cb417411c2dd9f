-- The pay standards of workers. The previous release does not read these columns, and empties them when it
-- replaces a row.
ALTER TABLE workers ADD COLUMN standard_pay_frequency TEXT COLLATE "C";
ALTER TABLE workers ADD COLUMN standard_hours BIGINT;
ALTER TABLE workers ADD COLUMN overtime_factor BIGINT;
