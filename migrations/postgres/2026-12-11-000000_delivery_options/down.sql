DROP INDEX deliveries_in_order;
ALTER TABLE deliveries DROP COLUMN ordered;
ALTER TABLE hooks DROP COLUMN max_per_second;
ALTER TABLE hooks DROP COLUMN max_attempts;
ALTER TABLE hooks DROP COLUMN ordered;
