-- The operator's side: versions of what is written one by one, keys, the trail, the feed.
--
-- What is added to tables that were there has a default, so that the release before this one runs
-- against the new schema.

ALTER TABLE organizations ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE contact_types ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE custom_employment_types ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE custom_field_categories ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE custom_fields ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE calculation_bases ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE pay_components ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE workers ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
-- The company's own data; `companies.version` grows with its lists too.
ALTER TABLE companies ADD COLUMN record_version BIGINT NOT NULL DEFAULT 1;

-- An application with its settings and secrets; `applications.access_version` grows with its grants
-- too.
ALTER TABLE applications ADD COLUMN record_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE grants ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

-- An attempt at completing a period: what others staged is not shown.
ALTER TABLE pay_periods ADD COLUMN completion_attempt TEXT;
-- The ordinal of the last check that the attempt has staged.
ALTER TABLE pay_periods ADD COLUMN staged_through BIGINT NOT NULL DEFAULT 0;
-- A deduction that came with the completion: no part of the unprocessed check.
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

-- Who changed what: rows are only ever added, and pruned when they are old.
CREATE TABLE audit (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    at BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    company_id TEXT,
    action TEXT NOT NULL,
    kind TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    before TEXT, -- documents, tax identities masked
    after TEXT
);
-- The trail is read by time, newest first; of one instant by position.
CREATE INDEX audit_in_order ON audit (at, position);
CREATE INDEX audit_by_company ON audit (company_id, at, position);
CREATE INDEX audit_by_resource ON audit (resource_id, at, position);

-- What partners are told. There is one writer, so positions are in the order of the commits.
CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL,
    company_id TEXT NOT NULL,
    application_id TEXT, -- the only one that is told
    worker_id TEXT,
    pay_period_id TEXT,
    domain TEXT NOT NULL,
    action TEXT NOT NULL,
    as_of BIGINT NOT NULL
);
CREATE INDEX events_by_company ON events (company_id, position);
