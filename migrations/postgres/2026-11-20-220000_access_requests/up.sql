-- Requests of applications for access to companies. A row exists until an operator decides or the
-- request expires. Only the hash of a link is stored.

CREATE TABLE access_requests (
    access_request_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    application_id TEXT COLLATE "C" NOT NULL,
    company_id TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL, -- separated by spaces
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    CONSTRAINT access_requests_hash UNIQUE (hash),
    CONSTRAINT access_requests_company UNIQUE (application_id, company_id)
);
CREATE INDEX access_requests_in_order ON access_requests (expires);

-- The company of an access request is found by its display id, among all companies.
CREATE INDEX companies_by_display_key ON companies (display_key);
