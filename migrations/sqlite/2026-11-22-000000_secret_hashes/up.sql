-- A token request is looked up by the hash of the secret that was sent: an unknown client and a wrong
-- secret then cost the same, one look into this index.
CREATE INDEX secrets_by_hash ON secrets (hash);
