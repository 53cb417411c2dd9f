-- Checks that take back a completed one name it. The release before this one shows such a check as any
-- other, and does not complete its period: what it comes to is below zero.
ALTER TABLE checks ADD COLUMN reversal_of TEXT COLLATE "C";
CREATE INDEX checks_by_original ON checks (company_id, reversal_of) WHERE reversal_of IS NOT NULL;
