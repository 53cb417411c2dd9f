DROP TABLE due_statuses;
DROP TABLE status_history;
