-- A token request is looked up by the hash of its secret. An unknown client and a wrong secret then
-- take the same time: one lookup in this index.
CREATE INDEX secrets_by_hash ON secrets (hash);
