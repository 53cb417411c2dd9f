-- Workers by both names, as operators search them over all companies. Many share one name, few share both.
CREATE INDEX workers_by_both_names ON workers (lower(given_name), lower(family_name), company_id, worker_id);
