-- Lookup lists of a company, which partners can read.
CREATE TABLE job_titles (
    company_id TEXT NOT NULL,
    job_title_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    title TEXT NOT NULL,
    start_date DATE,
    end_date DATE,
    PRIMARY KEY (company_id, job_title_id)
) WITHOUT ROWID;

CREATE TABLE labor_assignments (
    company_id TEXT NOT NULL,
    labor_assignment_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    start_date DATE,
    end_date DATE,
    organization_id TEXT,
    position_id TEXT,
    location_id TEXT,
    rate BIGINT,
    PRIMARY KEY (company_id, labor_assignment_id)
) WITHOUT ROWID;
