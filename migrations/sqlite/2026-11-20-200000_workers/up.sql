-- The workers of a company are listed in the order of their creation.
CREATE INDEX workers_in_order ON workers (company_id, created, worker_id);
