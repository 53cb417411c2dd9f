ALTER TABLE workers DROP COLUMN overtime_factor;
ALTER TABLE workers DROP COLUMN standard_hours;
ALTER TABLE workers DROP COLUMN standard_pay_frequency;
