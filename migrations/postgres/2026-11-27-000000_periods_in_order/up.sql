-- Pay periods in the order of their lists, so that a page of a long history is not sorted out of all of it.
CREATE INDEX pay_periods_in_order ON pay_periods (company_id, created, pay_period_id);
