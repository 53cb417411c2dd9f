-- What is large and seldom read again is compressed by lz4, where this PostgreSQL was built with it: the response
-- that an idempotency key keeps has half a kilobyte for each check. What is stored already stays as it is, and is
-- read as before.
DO $$ BEGIN
    ALTER TABLE idempotency_keys ALTER COLUMN body SET COMPRESSION lz4;
    ALTER TABLE audit ALTER COLUMN before SET COMPRESSION lz4;
    ALTER TABLE audit ALTER COLUMN after SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;
