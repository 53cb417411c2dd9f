-- When an object was last changed, by the clock of the server that changed it. What was there before this
-- migration counts as changed by it: whoever asks what has changed since then gets all of it once, and
-- misses nothing.
ALTER TABLE workers ADD COLUMN modified BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_components ADD COLUMN modified BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_periods ADD COLUMN modified BIGINT NOT NULL DEFAULT 0;
UPDATE workers SET modified = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000;
UPDATE pay_components SET modified = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000;
UPDATE pay_periods SET modified = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000;
-- Only of workers a company has many.
CREATE INDEX workers_by_modified ON workers (company_id, modified);
