-- Workers are found by the last four digits of their tax identity, without opening any that is sealed:
-- last_four_hash is "<key id>:<keyed hash of company and digits>", and last_four_of the stored tax
-- identity that it was made from. Where that is not legal_id, as in rows that the release before this
-- one writes, the hash says nothing, and a turn of the housekeeping makes it.
ALTER TABLE workers ADD COLUMN last_four_hash TEXT COLLATE "C";
ALTER TABLE workers ADD COLUMN last_four_of TEXT COLLATE "C";
CREATE INDEX workers_by_last_four ON workers (company_id, last_four_hash);
CREATE INDEX workers_without_last_four ON workers (company_id, worker_id)
    WHERE legal_id IS NOT NULL AND (last_four_of IS NULL OR last_four_of <> legal_id);
