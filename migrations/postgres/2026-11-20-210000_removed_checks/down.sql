ALTER TABLE pay_periods DROP COLUMN removed_checks;
