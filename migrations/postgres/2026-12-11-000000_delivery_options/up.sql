-- How notifications are sent to a hook: in order, and with limits. Without a limit the column is NULL.
ALTER TABLE hooks ADD COLUMN ordered BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hooks ADD COLUMN max_attempts BIGINT;
ALTER TABLE hooks ADD COLUMN max_per_second BIGINT;
-- Whether the hook was ordered when the delivery was queued.
ALTER TABLE deliveries ADD COLUMN ordered BOOLEAN NOT NULL DEFAULT FALSE;
-- The pending deliveries of an ordered hook, from the first to the last. The sum prevents the planner from
-- using the primary key, which also contains all ended deliveries.
CREATE INDEX deliveries_in_order ON deliveries (hook, (position + 0)) WHERE due IS NOT NULL AND ordered;
