DROP TABLE job_segments;
DROP TABLE jobs;
