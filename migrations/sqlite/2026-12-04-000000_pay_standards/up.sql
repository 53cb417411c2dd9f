-- The pay standards of workers. The release before this one does not read these columns, and empties them where
-- it replaces a row.
ALTER TABLE workers ADD COLUMN standard_pay_frequency TEXT;
ALTER TABLE workers ADD COLUMN standard_hours BIGINT;
ALTER TABLE workers ADD COLUMN overtime_factor BIGINT;
