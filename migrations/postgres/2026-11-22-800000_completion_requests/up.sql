-- Requests to complete pay periods, at most one for a period, until another operator approves them; the
-- one that was approved stays, and says who completed the period. The release before this one neither
-- makes nor removes any: what it does to a period grows its version, so that the request waits no more.
CREATE TABLE completion_requests (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_period_id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    period_version BIGINT NOT NULL, -- of the period when it was requested
    requested BIGINT NOT NULL,
    requested_by_kind TEXT COLLATE "C" NOT NULL,
    requested_by_name TEXT COLLATE "C" NOT NULL,
    approved BIGINT,
    approved_by_kind TEXT COLLATE "C",
    approved_by_name TEXT COLLATE "C",
    document TEXT COLLATE "C" NOT NULL, -- as it was handed in; empty for none, and once it is approved
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
