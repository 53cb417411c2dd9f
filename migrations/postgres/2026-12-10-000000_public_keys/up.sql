-- The public key of an application that signs its token requests instead of using a secret.
ALTER TABLE secrets ADD COLUMN public_key TEXT COLLATE "C";
