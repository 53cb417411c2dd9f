CREATE TABLE check_lines (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_period_id TEXT COLLATE "C" NOT NULL,
    ordinal BIGINT NOT NULL,
    line BIGINT NOT NULL,
    check_component_id TEXT COLLATE "C" NOT NULL,
    section TEXT COLLATE "C" NOT NULL,
    component_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    classification_type TEXT COLLATE "C" NOT NULL,
    effect_on_pay TEXT COLLATE "C" NOT NULL,
    memoed BOOLEAN NOT NULL,
    rate BIGINT,
    hours BIGINT,
    units BIGINT,
    amount BIGINT,
    line_date DATE,
    job_id TEXT COLLATE "C",
    labor_assignment_id TEXT COLLATE "C",
    organization_id TEXT COLLATE "C",
    organization_name TEXT COLLATE "C",
    organization_number TEXT COLLATE "C",
    of_completion BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (company_id, pay_period_id, ordinal, line)
);
CREATE TABLE check_taxes (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_period_id TEXT COLLATE "C" NOT NULL,
    ordinal BIGINT NOT NULL,
    line BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    paid_by TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, pay_period_id, ordinal, line)
);
INSERT INTO check_lines (company_id, pay_period_id, ordinal, line, check_component_id, section, component_id, name, classification_type, effect_on_pay, memoed, rate, hours, units, amount, line_date, job_id, labor_assignment_id, organization_id, organization_name, organization_number, of_completion)
SELECT c.company_id, c.pay_period_id, c.ordinal, l.n + 0, l.value ->> 'checkComponentId', l.value ->> 'section', l.value ->> 'componentId', l.value ->> 'name', l.value ->> 'classificationType', l.value ->> 'effectOnPay', coalesce((l.value ->> 'memoed')::boolean, FALSE), (l.value ->> 'rate')::bigint, (l.value ->> 'hours')::bigint, (l.value ->> 'units')::bigint, (l.value ->> 'amount')::bigint, (l.value ->> 'lineDate')::date, (l.value ->> 'jobId'), (l.value ->> 'laborAssignmentId'), (l.value ->> 'organizationId'), (l.value ->> 'organizationName'), (l.value ->> 'organizationNumber'), FALSE
FROM checks c, json_array_elements(c.lines::json) WITH ORDINALITY AS l (value, n);
INSERT INTO check_lines (company_id, pay_period_id, ordinal, line, check_component_id, section, component_id, name, classification_type, effect_on_pay, memoed, rate, hours, units, amount, line_date, job_id, labor_assignment_id, organization_id, organization_name, organization_number, of_completion)
SELECT c.company_id, c.pay_period_id, c.ordinal, l.n + 10000, l.value ->> 'checkComponentId', l.value ->> 'section', l.value ->> 'componentId', l.value ->> 'name', l.value ->> 'classificationType', l.value ->> 'effectOnPay', coalesce((l.value ->> 'memoed')::boolean, FALSE), (l.value ->> 'rate')::bigint, (l.value ->> 'hours')::bigint, (l.value ->> 'units')::bigint, (l.value ->> 'amount')::bigint, (l.value ->> 'lineDate')::date, (l.value ->> 'jobId'), (l.value ->> 'laborAssignmentId'), (l.value ->> 'organizationId'), (l.value ->> 'organizationName'), (l.value ->> 'organizationNumber'), TRUE
FROM checks c, json_array_elements((c.completion::json -> 'deductions')) WITH ORDINALITY AS l (value, n);
INSERT INTO check_taxes (company_id, pay_period_id, ordinal, line, name, amount, paid_by)
SELECT c.company_id, c.pay_period_id, c.ordinal, t.n, t.value ->> 'name', (t.value ->> 'amount')::bigint, t.value ->> 'paidBy'
FROM checks c, json_array_elements(c.completion::json -> 'taxes') WITH ORDINALITY AS t (value, n);
ALTER TABLE checks DROP COLUMN completion;
ALTER TABLE checks DROP COLUMN lines;
