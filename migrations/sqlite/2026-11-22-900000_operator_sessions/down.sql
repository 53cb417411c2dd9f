DROP INDEX pay_periods_not_processed;
DROP TABLE operator_sessions;
