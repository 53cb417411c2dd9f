-- The search of operators in all companies: workers by the beginning of a name or by their employee id, and
-- pay periods by their id. Indexes for the ids of workers and checks, and for display ids of companies, exist
-- already.
CREATE INDEX workers_by_family_name ON workers (lower(family_name), company_id, worker_id);
CREATE INDEX workers_by_given_name ON workers (lower(given_name), company_id, worker_id);
CREATE INDEX workers_by_employee_id ON workers (employee_id, company_id, worker_id);
CREATE INDEX pay_periods_by_id ON pay_periods (pay_period_id, company_id);
