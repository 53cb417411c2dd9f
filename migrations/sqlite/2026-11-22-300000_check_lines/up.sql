-- A check and its lines are one row. Lines are never read without their check, and rows of their own
-- needed a key and an index entry for each line. The lines are JSON with the names of the API. Money,
-- hours and rates are in ten-thousandths, and absent members are omitted
-- (crates/adapter-db/src/rows/checks/packed.rs).
-- The previous release cannot read these lines, so it must not run alongside this release.
--
-- The table is created again with row ids. Without row ids, SQLite stores complete rows in the tree of
-- the primary key. Rows of this length would waste half of each page.
CREATE TABLE checks_with_lines (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL, -- the position in the period, from 1
    paycheck_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    application_id TEXT NOT NULL, -- empty for imported checks
    correlation_id TEXT,
    block_auto_distribution BOOLEAN NOT NULL,
    net_pay BIGINT, -- this column and the next three are only set for processed checks
    gross_earnings BIGINT,
    check_type TEXT,
    check_number TEXT,
    lines TEXT NOT NULL,
    -- The deductions and taxes that the completion, or the import of a processed check, has added.
    completion TEXT,
    PRIMARY KEY (company_id, pay_period_id, ordinal),
    CONSTRAINT checks_paycheck_id UNIQUE (paycheck_id)
);
INSERT INTO checks_with_lines (company_id, pay_period_id, ordinal, paycheck_id, worker_id, application_id, correlation_id,
    block_auto_distribution, net_pay, gross_earnings, check_type, check_number, lines, completion)
SELECT c.company_id, c.pay_period_id, c.ordinal, c.paycheck_id, c.worker_id, c.application_id,
    c.correlation_id, c.block_auto_distribution, c.net_pay, c.gross_earnings, c.check_type, c.check_number,
    (SELECT '[' || coalesce(group_concat('{"checkComponentId":' || json_quote(l.check_component_id)
            || ',"section":' || json_quote(l.section)
            || ',"componentId":' || json_quote(l.component_id)
            || ',"name":' || json_quote(l.name)
            || ',"classificationType":' || json_quote(l.classification_type)
            || ',"effectOnPay":' || json_quote(l.effect_on_pay)
            || CASE WHEN l.memoed THEN ',"memoed":true' ELSE '' END
            || coalesce(',"rate":' || l.rate, '')
            || coalesce(',"hours":' || l.hours, '')
            || coalesce(',"units":' || l.units, '')
            || coalesce(',"amount":' || l.amount, '')
            || coalesce(',"lineDate":"' || l.line_date || '"', '')
            || coalesce(',"jobId":' || nullif(json_quote(l.job_id), 'null'), '')
            || coalesce(',"laborAssignmentId":' || nullif(json_quote(l.labor_assignment_id), 'null'), '')
            || coalesce(',"organizationId":' || nullif(json_quote(l.organization_id), 'null'), '')
            || coalesce(',"organizationName":' || nullif(json_quote(l.organization_name), 'null'), '')
            || coalesce(',"organizationNumber":' || nullif(json_quote(l.organization_number), 'null'), '')
            || '}', ',' ORDER BY l.line), '') || ']'
        FROM check_lines l
        WHERE l.company_id = c.company_id AND l.pay_period_id = c.pay_period_id AND l.ordinal = c.ordinal
            AND NOT l.of_completion),
    CASE WHEN c.net_pay IS NULL THEN NULL ELSE '{"deductions":'
        || (SELECT '[' || coalesce(group_concat('{"checkComponentId":' || json_quote(l.check_component_id)
            || ',"section":' || json_quote(l.section)
            || ',"componentId":' || json_quote(l.component_id)
            || ',"name":' || json_quote(l.name)
            || ',"classificationType":' || json_quote(l.classification_type)
            || ',"effectOnPay":' || json_quote(l.effect_on_pay)
            || CASE WHEN l.memoed THEN ',"memoed":true' ELSE '' END
            || coalesce(',"rate":' || l.rate, '')
            || coalesce(',"hours":' || l.hours, '')
            || coalesce(',"units":' || l.units, '')
            || coalesce(',"amount":' || l.amount, '')
            || coalesce(',"lineDate":"' || l.line_date || '"', '')
            || coalesce(',"jobId":' || nullif(json_quote(l.job_id), 'null'), '')
            || coalesce(',"laborAssignmentId":' || nullif(json_quote(l.labor_assignment_id), 'null'), '')
            || coalesce(',"organizationId":' || nullif(json_quote(l.organization_id), 'null'), '')
            || coalesce(',"organizationName":' || nullif(json_quote(l.organization_name), 'null'), '')
            || coalesce(',"organizationNumber":' || nullif(json_quote(l.organization_number), 'null'), '')
            || '}', ',' ORDER BY l.line), '') || ']'
        FROM check_lines l
        WHERE l.company_id = c.company_id AND l.pay_period_id = c.pay_period_id AND l.ordinal = c.ordinal
            AND l.of_completion)
        || ',"taxes":'
        || (SELECT '[' || coalesce(group_concat('{"name":' || json_quote(t.name) || ',"amount":' || t.amount || ',"paidBy":' || json_quote(t.paid_by) || '}', ',' ORDER BY t.line), '') || ']'
        FROM check_taxes t
        WHERE t.company_id = c.company_id AND t.pay_period_id = c.pay_period_id AND t.ordinal = c.ordinal) || '}' END
FROM checks c ORDER BY c.company_id, c.pay_period_id, c.ordinal;
DROP TABLE check_taxes;
DROP TABLE check_lines;
DROP TABLE checks;
ALTER TABLE checks_with_lines RENAME TO checks;
CREATE INDEX checks_by_application
    ON checks (company_id, pay_period_id, application_id, correlation_id);
CREATE INDEX checks_by_worker ON checks (company_id, worker_id, pay_period_id, ordinal);
