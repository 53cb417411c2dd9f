-- Checks of an open pay period can be removed. check_count remains the last assigned ordinal, so a
-- period has check_count - removed_checks checks. If checks were removed, the ordinals have gaps.
-- The previous release does not support gaps. While it runs alongside this release, it reports too
-- many checks for such a period, returns short pages, and does not complete the period. Do not
-- remove checks before every process is replaced.
ALTER TABLE pay_periods ADD COLUMN removed_checks BIGINT NOT NULL DEFAULT 0;
