-- Hooks of applications, the queue of deliveries with its log, and the requests that notifications
-- have led to.

CREATE TABLE hooks (
    hook INTEGER PRIMARY KEY AUTOINCREMENT,
    application_id TEXT NOT NULL,
    hook_id TEXT NOT NULL,
    company_id TEXT, -- the only one that is told about
    uri TEXT NOT NULL,
    domains TEXT NOT NULL, -- separated by spaces, and a space at both ends
    auth_type TEXT NOT NULL,
    authentication TEXT NOT NULL, -- sealed, as what follows
    signing_secret TEXT NOT NULL,
    old_signing_secret TEXT,
    old_signing_secret_until BIGINT,
    created BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    disabled BIGINT, -- since when it is not active
    failing_since BIGINT, -- the first failure since the last success
    failures BIGINT NOT NULL DEFAULT 0, -- since the last success
    warned BOOLEAN NOT NULL DEFAULT FALSE,
    expired BIGINT NOT NULL DEFAULT 0, -- deliveries that have expired
    version BIGINT NOT NULL, -- grows with what is set on it, not with how it is doing
    CONSTRAINT hooks_hook_id UNIQUE (application_id, hook_id)
);

-- Who may know of a company is looked up for each event.
CREATE INDEX grants_by_company ON grants (company_id);

-- What is told to a hook, whole: events may be forgotten before.
CREATE TABLE deliveries (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    hook BIGINT NOT NULL,
    event_id TEXT NOT NULL,
    company_id TEXT, -- absent: a test call
    worker_id TEXT,
    pay_period_id TEXT,
    domain TEXT NOT NULL,
    action TEXT NOT NULL,
    as_of BIGINT NOT NULL,
    test BOOLEAN NOT NULL DEFAULT FALSE,
    queued BIGINT NOT NULL,
    state TEXT NOT NULL DEFAULT 'WAITING',
    due BIGINT, -- absent: it has ended
    claimed_until BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0,
    replayed BOOLEAN NOT NULL DEFAULT FALSE,
    ended BIGINT
);
CREATE INDEX deliveries_by_hook ON deliveries (hook, position);
-- What waits, each hook's earliest first. Literally `due IS NOT NULL` or a comparison with it.
CREATE INDEX deliveries_waiting ON deliveries (hook, due, position) WHERE due IS NOT NULL;
-- Whether a request names a notification that its application was to be told.
CREATE INDEX deliveries_by_event ON deliveries (event_id);
-- What can be forgotten, oldest first.
CREATE INDEX deliveries_ended ON deliveries (ended) WHERE ended IS NOT NULL;

CREATE TABLE attempts (
    hook BIGINT NOT NULL,
    position BIGINT NOT NULL, -- of the delivery
    number BIGINT NOT NULL, -- 1 is its first
    at BIGINT NOT NULL,
    duration BIGINT NOT NULL, -- milliseconds
    cause TEXT NOT NULL,
    status BIGINT,
    error TEXT,
    answer TEXT, -- the beginning of it
    answer_cut BOOLEAN NOT NULL,
    retry_after BIGINT, -- seconds that the receiver asked to wait
    PRIMARY KEY (hook, position, number)
) WITHOUT ROWID;

-- Requests of applications that named a notification.
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
