ALTER TABLE pay_periods DROP COLUMN total_deductions;
ALTER TABLE pay_periods DROP COLUMN total_employer_taxes;
ALTER TABLE pay_periods DROP COLUMN total_employee_taxes;
ALTER TABLE pay_periods DROP COLUMN total_net_pay;
ALTER TABLE pay_periods DROP COLUMN total_gross_earnings;
ALTER TABLE pay_periods DROP COLUMN total_workers;
