DROP INDEX workers_by_both_names;
