-- The recent requests of each application, which the application can read. When an application is
-- deleted, its rows remain until they exceed the retention period. A later application with the same
-- id does not see these rows, because they are older than this application.

CREATE TABLE requests (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    application_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    duration BIGINT NOT NULL, -- microseconds
    method TEXT NOT NULL,
    route TEXT NOT NULL, -- the path, with parameter names in braces in place of ids
    company_id TEXT,
    status BIGINT NOT NULL,
    codes TEXT NOT NULL, -- the error codes in the response, separated by spaces
    request_id TEXT NOT NULL,
    correlation_id TEXT,
    skipped BIGINT NOT NULL -- the number of requests directly before this one that are not logged
);
CREATE INDEX requests_by_application ON requests (application_id, position);
CREATE INDEX requests_in_order ON requests (at);
