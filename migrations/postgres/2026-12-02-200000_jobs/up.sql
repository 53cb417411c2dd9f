-- The jobs of a company, and the segments of job numbers.
CREATE TABLE jobs (
    company_id TEXT COLLATE "C" NOT NULL,
    job_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    job_correlation_id TEXT COLLATE "C",
    job_name TEXT COLLATE "C" NOT NULL,
    first_segment TEXT COLLATE "C",
    second_segment TEXT COLLATE "C",
    third_segment TEXT COLLATE "C",
    start_date DATE,
    end_date DATE,
    PRIMARY KEY (company_id, job_id)
);

CREATE TABLE job_segments (
    company_id TEXT COLLATE "C" NOT NULL,
    job_segment_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    segment_number BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    segment_length BIGINT NOT NULL,
    PRIMARY KEY (company_id, job_segment_id),
    CONSTRAINT job_segments_number UNIQUE (company_id, segment_number)
);
