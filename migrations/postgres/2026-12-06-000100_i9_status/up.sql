-- The status of a worker's Form I-9 (employment eligibility).
ALTER TABLE workers ADD COLUMN i9_status TEXT COLLATE "C";
ALTER TABLE workers ADD COLUMN i9_completed_date DATE;
ALTER TABLE workers ADD COLUMN i9_expiration_date DATE;
