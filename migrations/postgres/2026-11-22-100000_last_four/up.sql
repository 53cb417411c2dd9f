-- Workers are found by the last four digits of their tax ID, without decrypting tax IDs.
-- last_four_hash is "<key id>:<keyed hash of company and digits>". last_four_of is the stored tax ID
-- from which the hash was computed. The hash is only valid if last_four_of equals legal_id. In rows
-- that the previous release writes, the two columns differ until housekeeping computes the hash.
ALTER TABLE workers ADD COLUMN last_four_hash TEXT COLLATE "C";
ALTER TABLE workers ADD COLUMN last_four_of TEXT COLLATE "C";
CREATE INDEX workers_by_last_four ON workers (company_id, last_four_hash);
CREATE INDEX workers_without_last_four ON workers (company_id, worker_id)
    WHERE legal_id IS NOT NULL AND (last_four_of IS NULL OR last_four_of <> legal_id);
