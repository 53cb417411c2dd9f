-- A reversal contains the id of the completed check that it reverses. The previous release shows a
-- reversal as a normal check. It does not complete the period, because the amounts are negative.
ALTER TABLE checks ADD COLUMN reversal_of TEXT;
CREATE INDEX checks_by_original ON checks (company_id, reversal_of) WHERE reversal_of IS NOT NULL;
