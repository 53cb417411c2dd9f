-- A check and its lines are one row: lines are never read without their check, and each of them had a
-- key and an index entry of its own. They are JSON with the names of the API, money, hours and rates in
-- ten-thousandths, and what is absent left out (crates/adapter-db/src/rows/checks/packed.rs).
-- The release before this one cannot read the lines any more: it must not run beside this one.
ALTER TABLE checks ADD COLUMN lines TEXT COLLATE "C" NOT NULL DEFAULT '[]';
-- Deductions and taxes: what came with the completion, or with the import of a processed check.
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
