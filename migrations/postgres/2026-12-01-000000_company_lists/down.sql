DROP TABLE labor_assignments;
DROP TABLE job_titles;
