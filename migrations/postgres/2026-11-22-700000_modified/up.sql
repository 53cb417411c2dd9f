-- When an object was last changed, by the clock of the server that changed it. What was there before this
-- migration counts as changed by it: whoever asks what has changed since then gets all of it once, and
-- misses nothing.
-- The release before this one does not keep it: what it makes has the instant of the database, what it
-- changes beside this one keeps the instant that it had.
ALTER TABLE workers ADD COLUMN modified BIGINT NOT NULL
    DEFAULT (CAST(extract(epoch FROM now()) * 1000000 AS BIGINT));
ALTER TABLE pay_components ADD COLUMN modified BIGINT NOT NULL
    DEFAULT (CAST(extract(epoch FROM now()) * 1000000 AS BIGINT));
ALTER TABLE pay_periods ADD COLUMN modified BIGINT NOT NULL
    DEFAULT (CAST(extract(epoch FROM now()) * 1000000 AS BIGINT));
-- Only of workers a company has many.
CREATE INDEX workers_by_modified ON workers (company_id, modified);
