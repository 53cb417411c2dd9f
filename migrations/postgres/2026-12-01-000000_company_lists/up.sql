-- Lookup lists of a company, which partners can read.
CREATE TABLE job_titles (
    company_id TEXT COLLATE "C" NOT NULL,
    job_title_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    start_date DATE,
    end_date DATE,
    PRIMARY KEY (company_id, job_title_id)
);

CREATE TABLE labor_assignments (
    company_id TEXT COLLATE "C" NOT NULL,
    labor_assignment_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    start_date DATE,
    end_date DATE,
    organization_id TEXT COLLATE "C",
    position_id TEXT COLLATE "C",
    location_id TEXT COLLATE "C",
    rate BIGINT,
    PRIMARY KEY (company_id, labor_assignment_id)
);
