-- Workers by both names, for the search in all companies. Many workers share one name, but few share both.
CREATE INDEX workers_by_both_names ON workers (lower(given_name), lower(family_name), company_id, worker_id);
