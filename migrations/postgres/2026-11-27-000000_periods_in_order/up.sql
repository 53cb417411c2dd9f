-- Pay periods in the order of their lists, so that reading a page does not sort the complete history.
CREATE INDEX pay_periods_in_order ON pay_periods (company_id, created, pay_period_id);
