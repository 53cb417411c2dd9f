-- The jobs of a company, and the segments of job numbers.
CREATE TABLE jobs (
    company_id TEXT NOT NULL,
    job_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    job_correlation_id TEXT,
    job_name TEXT NOT NULL,
    first_segment TEXT,
    second_segment TEXT,
    third_segment TEXT,
    start_date DATE,
    end_date DATE,
    PRIMARY KEY (company_id, job_id)
) WITHOUT ROWID;

CREATE TABLE job_segments (
    company_id TEXT NOT NULL,
    job_segment_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    segment_number BIGINT NOT NULL,
    name TEXT NOT NULL,
    segment_length BIGINT NOT NULL,
    PRIMARY KEY (company_id, job_segment_id),
    CONSTRAINT job_segments_number UNIQUE (company_id, segment_number)
) WITHOUT ROWID;
