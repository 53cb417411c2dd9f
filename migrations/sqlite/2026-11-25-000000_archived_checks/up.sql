-- Archived checks of processed pay periods. Archiving writes them to a file, packs them into blocks in this
-- table, and deletes them from `checks`. The previous release shows an archived period without checks, so set
-- `check_retention_days` only when all servers run this release.
CREATE TABLE archived_checks (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    position BIGINT NOT NULL, -- the number of checks of the period before this block
    checks BIGINT NOT NULL, -- the number of checks in the block
    size BIGINT NOT NULL, -- the size of the uncompressed document in bytes
    document BLOB NOT NULL, -- the compressed rows of the checks
    PRIMARY KEY (company_id, pay_period_id, position)
);

-- The progress of archiving a pay period. The row is created by the first attempt.
CREATE TABLE check_archives (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    attempt TEXT NOT NULL, -- the id of the last attempt
    claimed_until BIGINT NOT NULL, -- no other attempt starts before this instant
    period_version BIGINT NOT NULL, -- the version of the period when the attempt started
    packed_through BIGINT NOT NULL, -- the ordinal of the last check in a block
    checks BIGINT NOT NULL, -- the number of checks in the blocks
    sha256 TEXT, -- the hash of the file; set when the period is archived
    archived BIGINT,
    erased BIGINT, -- the instant when no row of the period was left in `checks`
    PRIMARY KEY (company_id, pay_period_id)
) WITHOUT ROWID;
CREATE INDEX check_archives_to_erase ON check_archives (archived, company_id, pay_period_id)
    WHERE archived IS NOT NULL AND erased IS NULL;

ALTER TABLE pay_periods ADD COLUMN checks_archived BIGINT;
CREATE INDEX pay_periods_to_archive ON pay_periods (check_date, company_id, pay_period_id)
    WHERE checks_archived IS NULL AND check_count > removed_checks
        AND status IN ('RELEASED', 'COMPLETED', 'COMPLETED_BY_MEC', 'REISSUED', 'REVERSED');
