-- Before a worker is deleted, the server looks for checks of the worker. Without this index, it would
-- read every check of the company.
CREATE INDEX checks_by_worker ON checks (company_id, worker_id, pay_period_id, ordinal);
