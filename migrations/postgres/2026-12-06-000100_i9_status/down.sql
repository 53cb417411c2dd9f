ALTER TABLE workers DROP COLUMN i9_status;
ALTER TABLE workers DROP COLUMN i9_completed_date;
ALTER TABLE workers DROP COLUMN i9_expiration_date;
