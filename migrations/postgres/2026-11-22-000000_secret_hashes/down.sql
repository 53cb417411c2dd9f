DROP INDEX secrets_by_hash;
