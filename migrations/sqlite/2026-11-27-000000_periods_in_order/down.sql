DROP INDEX pay_periods_in_order;
