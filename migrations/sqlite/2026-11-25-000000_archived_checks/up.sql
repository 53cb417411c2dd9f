-- Checks of processed pay periods that were archived: written to a file, packed here in blocks, and removed
-- from `checks`. The release before this one knows of no archive and shows such a period without checks, so
-- `check_retention_days` is set once all servers are of this release.
CREATE TABLE archived_checks (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    position BIGINT NOT NULL, -- how many checks of the period come before the block
    checks BIGINT NOT NULL, -- in the block
    size BIGINT NOT NULL, -- of the document in bytes, before it was compressed
    document BLOB NOT NULL, -- the rows of the checks, compressed
    PRIMARY KEY (company_id, pay_period_id, position)
);

-- The archiving of a pay period, from its first attempt on.
CREATE TABLE check_archives (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    attempt TEXT NOT NULL, -- the last one
    claimed_until BIGINT NOT NULL, -- until then no other attempt begins
    period_version BIGINT NOT NULL, -- of the period when the attempt began
    packed_through BIGINT NOT NULL, -- the ordinal of the last check that is in a block
    checks BIGINT NOT NULL, -- in the blocks
    sha256 TEXT, -- of the file, once the period is archived
    archived BIGINT,
    erased BIGINT, -- when the last check was removed from `checks`
    PRIMARY KEY (company_id, pay_period_id)
) WITHOUT ROWID;
CREATE INDEX check_archives_to_erase ON check_archives (archived, company_id, pay_period_id)
    WHERE archived IS NOT NULL AND erased IS NULL;

ALTER TABLE pay_periods ADD COLUMN checks_archived BIGINT;
CREATE INDEX pay_periods_to_archive ON pay_periods (check_date, company_id, pay_period_id)
    WHERE checks_archived IS NULL AND check_count > removed_checks
        AND status IN ('RELEASED', 'COMPLETED', 'COMPLETED_BY_MEC', 'REISSUED', 'REVERSED');
