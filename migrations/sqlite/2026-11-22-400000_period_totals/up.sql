-- The totals of the checks of a pay period, so that reading a period does not read its checks. Until the
-- period is processed, gross earnings and deductions are computed from the lines, and net pay and taxes
-- are 0. The previous release does not update the totals. While it runs alongside this release, they do
-- not include the checks that it adds or removes, nor the net pay and taxes of periods that it completes.
ALTER TABLE pay_periods ADD COLUMN total_workers BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_periods ADD COLUMN total_gross_earnings BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_periods ADD COLUMN total_net_pay BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_periods ADD COLUMN total_employee_taxes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_periods ADD COLUMN total_employer_taxes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pay_periods ADD COLUMN total_deductions BIGINT NOT NULL DEFAULT 0;
-- The amount of a line without an amount is its hours or units times the rate, rounded to cents, half away
-- from zero.
UPDATE pay_periods SET
    total_workers = sums.workers,
    total_gross_earnings = sums.gross_earnings,
    total_net_pay = sums.net_pay,
    total_employee_taxes = sums.employee_taxes,
    total_employer_taxes = sums.employer_taxes,
    total_deductions = sums.deductions
FROM (
    SELECT c.company_id, c.pay_period_id, count(DISTINCT c.worker_id) AS workers,
        sum(CASE WHEN c.processed THEN c.gross_earnings ELSE
            (SELECT coalesce(sum(coalesce(l.value ->> 'amount', (coalesce(l.value ->> 'hours', l.value ->> 'units') * (l.value ->> 'rate') + 500000) / 1000000 * 100)), 0)
            FROM json_each(c.lines) l WHERE l.value ->> 'effectOnPay' IN ('ADDITION', 'ADDITION_WITH_IN_OUT')) END) AS gross_earnings,
        sum(CASE WHEN c.processed THEN c.net_pay ELSE 0 END) AS net_pay,
        sum((SELECT coalesce(sum(t.value ->> 'amount'), 0)
            FROM json_each(c.completion, '$.taxes') t WHERE c.processed AND t.value ->> 'paidBy' = 'EMPLOYEE_WITHHOLDING')) AS employee_taxes,
        sum((SELECT coalesce(sum(t.value ->> 'amount'), 0)
            FROM json_each(c.completion, '$.taxes') t WHERE c.processed AND t.value ->> 'paidBy' = 'EMPLOYER_LIABILITY')) AS employer_taxes,
        sum((SELECT coalesce(sum(coalesce(l.value ->> 'amount', (coalesce(l.value ->> 'hours', l.value ->> 'units') * (l.value ->> 'rate') + 500000) / 1000000 * 100)), 0)
            FROM json_each(c.lines) l WHERE l.value ->> 'effectOnPay' IN ('REDUCTION'))
            + (SELECT coalesce(sum(d.value ->> 'amount'), 0)
            FROM json_each(c.completion, '$.deductions') d
            WHERE c.processed AND d.value ->> 'effectOnPay' = 'REDUCTION')) AS deductions
    FROM (
        SELECT checks.*, p.status NOT IN ('INITIAL', 'ENTRY', 'PROCESSING') AS processed
        FROM checks JOIN pay_periods p
            ON p.company_id = checks.company_id AND p.pay_period_id = checks.pay_period_id
    ) c
    GROUP BY c.company_id, c.pay_period_id
) sums
WHERE sums.company_id = pay_periods.company_id AND sums.pay_period_id = pay_periods.pay_period_id;
