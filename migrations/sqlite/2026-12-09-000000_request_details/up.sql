-- The query, the errors and the beginning of the body of rejected and failed requests. They are encrypted,
-- because they can contain personal data, and are deleted earlier than the rows of `requests`.

CREATE TABLE request_details (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    application_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    company_id TEXT,
    sealed TEXT NOT NULL -- an encrypted JSON text, bound to the request
);
CREATE INDEX request_details_by_application ON request_details (application_id, position);
CREATE INDEX request_details_by_request ON request_details (request_id, application_id);
CREATE INDEX request_details_in_order ON request_details (at);
