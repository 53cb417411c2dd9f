DROP INDEX workers_by_family_name;
DROP INDEX workers_by_given_name;
DROP INDEX workers_by_employee_id;
DROP INDEX pay_periods_by_id;
