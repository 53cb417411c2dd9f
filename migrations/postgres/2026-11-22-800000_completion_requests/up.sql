-- Requests to complete pay periods, which another operator must approve. A period has at most one. An
-- approved request remains stored, to show who completed the period. The previous release does not
-- create or delete these requests. If it changes a period, the version of the period increases, so a
-- pending request is no longer valid.
CREATE TABLE completion_requests (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_period_id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    period_version BIGINT NOT NULL, -- the version of the period when the request was sent
    requested BIGINT NOT NULL,
    requested_by_kind TEXT COLLATE "C" NOT NULL,
    requested_by_name TEXT COLLATE "C" NOT NULL,
    approved BIGINT,
    approved_by_kind TEXT COLLATE "C",
    approved_by_name TEXT COLLATE "C",
    document TEXT COLLATE "C" NOT NULL, -- the document of the request; empty if absent or after approval
    checks BIGINT NOT NULL,
    workers BIGINT NOT NULL,
    gross_earnings BIGINT NOT NULL,
    net_pay BIGINT NOT NULL,
    employee_taxes BIGINT NOT NULL,
    employer_taxes BIGINT NOT NULL,
    deductions BIGINT NOT NULL,
    PRIMARY KEY (company_id, pay_period_id)
);
CREATE INDEX completion_requests_in_order ON completion_requests (requested) WHERE approved IS NULL;
