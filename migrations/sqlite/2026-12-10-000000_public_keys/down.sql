DELETE FROM secrets WHERE public_key IS NOT NULL;
ALTER TABLE secrets DROP COLUMN public_key;
