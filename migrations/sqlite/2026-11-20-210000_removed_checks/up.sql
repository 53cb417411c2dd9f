-- Checks of an open pay period can be removed. check_count goes on handing out ordinals; a period
-- has check_count - removed_checks of them, and where that is not check_count its ordinals have
-- gaps. The release before this one knows no gaps: beside this one it shows such a period with too
-- high a total and short pages, and does not complete it. So checks should not be removed before
-- every process is replaced.
ALTER TABLE pay_periods ADD COLUMN removed_checks BIGINT NOT NULL DEFAULT 0;
