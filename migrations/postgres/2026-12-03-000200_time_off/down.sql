DROP TABLE time_off;
