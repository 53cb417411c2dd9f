-- The instant of the last change, by the clock of the server that made the change. Existing objects get the
-- instant of this migration. A query for changes since an earlier instant therefore returns each of them
-- once, and misses none.
ALTER TABLE workers ADD COLUMN modified BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_components ADD COLUMN modified BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_periods ADD COLUMN modified BIGINT NOT NULL DEFAULT 0;
UPDATE workers SET modified = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000;
UPDATE pay_components SET modified = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000;
UPDATE pay_periods SET modified = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000;
-- Only workers have this index, because a company has few components and pay periods.
CREATE INDEX workers_by_modified ON workers (company_id, modified);
