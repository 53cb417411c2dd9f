-- The instant of the last change, by the clock of the server that made the change. Existing objects get the
-- instant of this migration. A query for changes since an earlier instant therefore returns each of them
-- once, and misses none. The previous release does not update the column. Objects that it creates get the
-- time of the database, and objects that it changes keep their instant.
ALTER TABLE workers ADD COLUMN modified BIGINT NOT NULL
    DEFAULT (CAST(extract(epoch FROM now()) * 1000000 AS BIGINT));
ALTER TABLE pay_components ADD COLUMN modified BIGINT NOT NULL
    DEFAULT (CAST(extract(epoch FROM now()) * 1000000 AS BIGINT));
ALTER TABLE pay_periods ADD COLUMN modified BIGINT NOT NULL
    DEFAULT (CAST(extract(epoch FROM now()) * 1000000 AS BIGINT));
-- Only workers have this index, because a company has few components and pay periods.
CREATE INDEX workers_by_modified ON workers (company_id, modified);
