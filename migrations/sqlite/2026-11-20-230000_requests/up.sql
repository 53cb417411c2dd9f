-- The recent requests of each application, which it sees itself. Rows outlive their application for
-- as long as rows are kept; another one of the same id is not shown them, since they are older.

CREATE TABLE requests (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    application_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    duration BIGINT NOT NULL, -- microseconds
    method TEXT NOT NULL,
    route TEXT NOT NULL, -- with names in braces where ids stood
    company_id TEXT,
    status BIGINT NOT NULL,
    codes TEXT NOT NULL, -- of the errors that were answered, separated by spaces
    request_id TEXT NOT NULL,
    correlation_id TEXT,
    skipped BIGINT NOT NULL -- requests of the application before it that are not kept
);
CREATE INDEX requests_by_application ON requests (application_id, position);
CREATE INDEX requests_in_order ON requests (at);
