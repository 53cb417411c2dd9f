-- A check and its lines are one row. Lines are never read without their check, and rows of their own
-- needed a key and an index entry for each line. The lines are JSON with the names of the API. Money,
-- hours and rates are in ten-thousandths, and absent members are omitted
-- (crates/adapter-db/src/rows/checks/packed.rs).
-- The previous release cannot read these lines, so it must not run alongside this release.
ALTER TABLE checks ADD COLUMN lines TEXT COLLATE "C" NOT NULL DEFAULT '[]';
-- The deductions and taxes that the completion, or the import of a processed check, has added.
ALTER TABLE checks ADD COLUMN completion TEXT COLLATE "C";
UPDATE checks c SET
    lines = (SELECT '[' || coalesce(string_agg('{"checkComponentId":' || to_json(l.check_component_id)::text
            || ',"section":' || to_json(l.section)::text
            || ',"componentId":' || to_json(l.component_id)::text
            || ',"name":' || to_json(l.name)::text
            || ',"classificationType":' || to_json(l.classification_type)::text
            || ',"effectOnPay":' || to_json(l.effect_on_pay)::text
            || CASE WHEN l.memoed THEN ',"memoed":true' ELSE '' END
            || coalesce(',"rate":' || l.rate, '')
            || coalesce(',"hours":' || l.hours, '')
            || coalesce(',"units":' || l.units, '')
            || coalesce(',"amount":' || l.amount, '')
            || coalesce(',"lineDate":"' || to_char(l.line_date, 'YYYY-MM-DD') || '"', '')
            || coalesce(',"jobId":' || to_json(l.job_id)::text, '')
            || coalesce(',"laborAssignmentId":' || to_json(l.labor_assignment_id)::text, '')
            || coalesce(',"organizationId":' || to_json(l.organization_id)::text, '')
            || coalesce(',"organizationName":' || to_json(l.organization_name)::text, '')
            || coalesce(',"organizationNumber":' || to_json(l.organization_number)::text, '')
            || '}', ',' ORDER BY l.line), '') || ']'
        FROM check_lines l
        WHERE l.company_id = c.company_id AND l.pay_period_id = c.pay_period_id AND l.ordinal = c.ordinal
            AND NOT l.of_completion),
    completion = CASE WHEN c.net_pay IS NULL THEN NULL ELSE '{"deductions":'
        || (SELECT '[' || coalesce(string_agg('{"checkComponentId":' || to_json(l.check_component_id)::text
            || ',"section":' || to_json(l.section)::text
            || ',"componentId":' || to_json(l.component_id)::text
            || ',"name":' || to_json(l.name)::text
            || ',"classificationType":' || to_json(l.classification_type)::text
            || ',"effectOnPay":' || to_json(l.effect_on_pay)::text
            || CASE WHEN l.memoed THEN ',"memoed":true' ELSE '' END
            || coalesce(',"rate":' || l.rate, '')
            || coalesce(',"hours":' || l.hours, '')
            || coalesce(',"units":' || l.units, '')
            || coalesce(',"amount":' || l.amount, '')
            || coalesce(',"lineDate":"' || to_char(l.line_date, 'YYYY-MM-DD') || '"', '')
            || coalesce(',"jobId":' || to_json(l.job_id)::text, '')
            || coalesce(',"laborAssignmentId":' || to_json(l.labor_assignment_id)::text, '')
            || coalesce(',"organizationId":' || to_json(l.organization_id)::text, '')
            || coalesce(',"organizationName":' || to_json(l.organization_name)::text, '')
            || coalesce(',"organizationNumber":' || to_json(l.organization_number)::text, '')
            || '}', ',' ORDER BY l.line), '') || ']'
        FROM check_lines l
        WHERE l.company_id = c.company_id AND l.pay_period_id = c.pay_period_id AND l.ordinal = c.ordinal
            AND l.of_completion)
        || ',"taxes":'
        || (SELECT '[' || coalesce(string_agg('{"name":' || to_json(t.name)::text || ',"amount":' || t.amount || ',"paidBy":' || to_json(t.paid_by)::text || '}', ',' ORDER BY t.line), '') || ']'
        FROM check_taxes t
        WHERE t.company_id = c.company_id AND t.pay_period_id = c.pay_period_id AND t.ordinal = c.ordinal) || '}' END;
ALTER TABLE checks ALTER COLUMN lines DROP DEFAULT;
DROP TABLE check_taxes;
DROP TABLE check_lines;
