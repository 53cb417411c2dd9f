-- Hooks of applications, the queue and log of deliveries, and API requests that contain the id of a
-- notification.

CREATE TABLE hooks (
    hook INTEGER PRIMARY KEY AUTOINCREMENT,
    application_id TEXT NOT NULL,
    hook_id TEXT NOT NULL,
    company_id TEXT, -- set if the hook only receives notifications of this company
    uri TEXT NOT NULL,
    domains TEXT NOT NULL, -- separated by spaces, with a space at each end
    auth_type TEXT NOT NULL,
    authentication TEXT NOT NULL, -- encrypted, like the signing secrets
    signing_secret TEXT NOT NULL,
    old_signing_secret TEXT,
    old_signing_secret_until BIGINT,
    created BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    disabled BIGINT, -- the instant since which the hook is inactive
    failing_since BIGINT, -- the instant of the first failure since the last success
    failures BIGINT NOT NULL DEFAULT 0, -- the number since the last success
    warned BOOLEAN NOT NULL DEFAULT FALSE,
    expired BIGINT NOT NULL DEFAULT 0, -- the number of expired deliveries
    version BIGINT NOT NULL, -- increases when a setting or `active` changes, not with each delivery
    CONSTRAINT hooks_hook_id UNIQUE (application_id, hook_id)
);

-- For each event, the applications with access to its company are looked up.
CREATE INDEX grants_by_company ON grants (company_id);

-- Each delivery is a copy of its event, because the event may be deleted before the delivery.
CREATE TABLE deliveries (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    hook BIGINT NOT NULL,
    event_id TEXT NOT NULL,
    company_id TEXT, -- NULL for a test call of a hook for all companies
    worker_id TEXT,
    pay_period_id TEXT,
    domain TEXT NOT NULL,
    action TEXT NOT NULL,
    as_of BIGINT NOT NULL,
    test BOOLEAN NOT NULL DEFAULT FALSE,
    queued BIGINT NOT NULL,
    state TEXT NOT NULL DEFAULT 'WAITING',
    due BIGINT, -- NULL if the delivery has ended
    claimed_until BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0,
    replayed BOOLEAN NOT NULL DEFAULT FALSE,
    ended BIGINT
);
CREATE INDEX deliveries_by_hook ON deliveries (hook, position);
-- Pending deliveries in the order in which they are due. A query must contain `due IS NOT NULL` or compare
-- `due`, so that the planner uses this partial index.
CREATE INDEX deliveries_waiting ON deliveries (hook, due, position) WHERE due IS NOT NULL;
-- Finds the deliveries of the notification whose id an API request contains.
CREATE INDEX deliveries_by_event ON deliveries (event_id);
-- Ended deliveries, which are deleted from the oldest to the newest.
CREATE INDEX deliveries_ended ON deliveries (ended) WHERE ended IS NOT NULL;

CREATE TABLE attempts (
    hook BIGINT NOT NULL,
    position BIGINT NOT NULL, -- the position of the delivery
    number BIGINT NOT NULL, -- counted from 1 for each delivery
    at BIGINT NOT NULL,
    duration BIGINT NOT NULL, -- milliseconds
    cause TEXT NOT NULL,
    status BIGINT,
    error TEXT,
    answer TEXT, -- the beginning of the response body
    answer_cut BOOLEAN NOT NULL,
    retry_after BIGINT, -- the number of seconds that the receiver requested
    PRIMARY KEY (hook, position, number)
) WITHOUT ROWID;

-- API requests that contain the id of a notification.
CREATE TABLE noted_requests (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    notification_id TEXT NOT NULL,
    application_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    method TEXT NOT NULL,
    route TEXT NOT NULL,
    status BIGINT NOT NULL,
    request_id TEXT NOT NULL
);
CREATE INDEX noted_requests_by_notification ON noted_requests (notification_id, application_id, position);
CREATE INDEX noted_requests_in_order ON noted_requests (at);
