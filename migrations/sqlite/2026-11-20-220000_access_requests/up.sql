-- Requests of applications for access to companies, until somebody decides or they end. Of a link
-- only the hash is kept.

CREATE TABLE access_requests (
    access_request_id TEXT NOT NULL PRIMARY KEY,
    application_id TEXT NOT NULL,
    company_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    scopes TEXT NOT NULL, -- separated by spaces
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    CONSTRAINT access_requests_hash UNIQUE (hash),
    CONSTRAINT access_requests_company UNIQUE (application_id, company_id)
);
CREATE INDEX access_requests_in_order ON access_requests (expires);

-- A company is looked for by what people call it, whoever may see it.
CREATE INDEX companies_by_display_key ON companies (display_key);
