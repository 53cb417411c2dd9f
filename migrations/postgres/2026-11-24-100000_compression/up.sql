-- Large values that are rarely read are compressed with lz4, if PostgreSQL was built with lz4. For example, a
-- stored response of an idempotency key has half a kilobyte for each check. Existing values keep their
-- compression and remain readable.
DO $$ BEGIN
    ALTER TABLE idempotency_keys ALTER COLUMN body SET COMPRESSION lz4;
    ALTER TABLE audit ALTER COLUMN before SET COMPRESSION lz4;
    ALTER TABLE audit ALTER COLUMN after SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;
