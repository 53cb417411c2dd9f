CREATE TABLE check_lines (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    line BIGINT NOT NULL,
    check_component_id TEXT NOT NULL,
    section TEXT NOT NULL,
    component_id TEXT NOT NULL,
    name TEXT NOT NULL,
    classification_type TEXT NOT NULL,
    effect_on_pay TEXT NOT NULL,
    memoed BOOLEAN NOT NULL,
    rate BIGINT,
    hours BIGINT,
    units BIGINT,
    amount BIGINT,
    line_date DATE,
    job_id TEXT,
    labor_assignment_id TEXT,
    organization_id TEXT,
    organization_name TEXT,
    organization_number TEXT,
    of_completion BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (company_id, pay_period_id, ordinal, line)
) WITHOUT ROWID;
CREATE TABLE check_taxes (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    line BIGINT NOT NULL,
    name TEXT NOT NULL,
    amount BIGINT NOT NULL,
    paid_by TEXT NOT NULL,
    PRIMARY KEY (company_id, pay_period_id, ordinal, line)
) WITHOUT ROWID;
INSERT INTO check_lines (company_id, pay_period_id, ordinal, line, check_component_id, section, component_id, name, classification_type, effect_on_pay, memoed, rate, hours, units, amount, line_date, job_id, labor_assignment_id, organization_id, organization_name, organization_number, of_completion)
SELECT c.company_id, c.pay_period_id, c.ordinal, l.key + 1 + 0, l.value ->> 'checkComponentId', l.value ->> 'section', l.value ->> 'componentId', l.value ->> 'name', l.value ->> 'classificationType', l.value ->> 'effectOnPay', coalesce(l.value ->> 'memoed', FALSE), l.value ->> 'rate', l.value ->> 'hours', l.value ->> 'units', l.value ->> 'amount', l.value ->> 'lineDate', l.value ->> 'jobId', l.value ->> 'laborAssignmentId', l.value ->> 'organizationId', l.value ->> 'organizationName', l.value ->> 'organizationNumber', FALSE
FROM checks c, json_each(c.lines) l;
INSERT INTO check_lines (company_id, pay_period_id, ordinal, line, check_component_id, section, component_id, name, classification_type, effect_on_pay, memoed, rate, hours, units, amount, line_date, job_id, labor_assignment_id, organization_id, organization_name, organization_number, of_completion)
SELECT c.company_id, c.pay_period_id, c.ordinal, l.key + 1 + 10000, l.value ->> 'checkComponentId', l.value ->> 'section', l.value ->> 'componentId', l.value ->> 'name', l.value ->> 'classificationType', l.value ->> 'effectOnPay', coalesce(l.value ->> 'memoed', FALSE), l.value ->> 'rate', l.value ->> 'hours', l.value ->> 'units', l.value ->> 'amount', l.value ->> 'lineDate', l.value ->> 'jobId', l.value ->> 'laborAssignmentId', l.value ->> 'organizationId', l.value ->> 'organizationName', l.value ->> 'organizationNumber', TRUE
FROM checks c, json_each(c.completion ->> 'deductions') l;
INSERT INTO check_taxes (company_id, pay_period_id, ordinal, line, name, amount, paid_by)
SELECT c.company_id, c.pay_period_id, c.ordinal, t.key + 1, t.value ->> 'name', t.value ->> 'amount', t.value ->> 'paidBy'
FROM checks c, json_each(c.completion ->> 'taxes') t;
CREATE TABLE checks_without_lines (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    paycheck_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    application_id TEXT NOT NULL,
    correlation_id TEXT,
    block_auto_distribution BOOLEAN NOT NULL,
    net_pay BIGINT,
    gross_earnings BIGINT,
    check_type TEXT,
    check_number TEXT,
    PRIMARY KEY (company_id, pay_period_id, ordinal),
    CONSTRAINT checks_paycheck_id UNIQUE (paycheck_id)
) WITHOUT ROWID;
INSERT INTO checks_without_lines SELECT company_id, pay_period_id, ordinal, paycheck_id, worker_id, application_id, correlation_id,
    block_auto_distribution, net_pay, gross_earnings, check_type, check_number FROM checks;
DROP TABLE checks;
ALTER TABLE checks_without_lines RENAME TO checks;
CREATE INDEX checks_by_application
    ON checks (company_id, pay_period_id, application_id, correlation_id);
CREATE INDEX checks_by_worker ON checks (company_id, worker_id);
