DROP INDEX workers_in_order;
