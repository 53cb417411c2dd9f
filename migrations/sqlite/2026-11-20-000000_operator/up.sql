-- The operator API: versions of single objects, operator keys, the audit log and the event feed.
--
-- Each column that is added to an existing table has a default, so that the previous release works on
-- the new schema.

ALTER TABLE organizations ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE contact_types ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE custom_employment_types ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE custom_field_categories ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE custom_fields ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE calculation_bases ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE pay_components ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE workers ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
-- The version of the company's own data. `companies.version` also increases with changes of its lists.
ALTER TABLE companies ADD COLUMN record_version BIGINT NOT NULL DEFAULT 1;

-- The version of an application with its settings and secrets. `applications.access_version` also
-- increases with changes of its grants.
ALTER TABLE applications ADD COLUMN record_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE grants ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

-- The current attempt to complete the period. Data that other attempts have staged is ignored.
ALTER TABLE pay_periods ADD COLUMN completion_attempt TEXT;
-- The ordinal of the last check that this attempt has staged.
ALTER TABLE pay_periods ADD COLUMN staged_through BIGINT NOT NULL DEFAULT 0;
-- Whether the completion added the line, as a deduction. Such a line is not part of the unprocessed check.
ALTER TABLE check_lines ADD COLUMN of_completion BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE operator_keys (
    key_id TEXT NOT NULL PRIMARY KEY,
    created BIGINT NOT NULL,
    name TEXT NOT NULL,
    read_only BOOLEAN NOT NULL,
    hash TEXT NOT NULL,
    CONSTRAINT operator_keys_name UNIQUE (name),
    CONSTRAINT operator_keys_hash UNIQUE (hash)
) WITHOUT ROWID;

-- The audit log. Rows are never changed, and are deleted when they exceed the retention period.
CREATE TABLE audit (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    company_id TEXT,
    action TEXT NOT NULL,
    kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    before TEXT, -- a JSON document with masked tax IDs
    after TEXT
);
-- The audit log is read from the newest row to the oldest. Rows of the same instant are ordered by position.
CREATE INDEX audit_in_order ON audit (at, position);
CREATE INDEX audit_by_company ON audit (company_id, at, position);
CREATE INDEX audit_by_resource ON audit (resource_id, at, position);

-- The events for partners. SQLite has one writer at a time, so positions are in the order of the commits.
CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL,
    company_id TEXT NOT NULL,
    application_id TEXT, -- set if only this application sees the event
    worker_id TEXT,
    pay_period_id TEXT,
    domain TEXT NOT NULL,
    action TEXT NOT NULL,
    as_of BIGINT NOT NULL
);
CREATE INDEX events_by_company ON events (company_id, position);
