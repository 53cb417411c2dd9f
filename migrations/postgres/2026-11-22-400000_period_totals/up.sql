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
UPDATE pay_periods SET
    total_workers = sums.workers,
    total_gross_earnings = sums.gross_earnings,
    total_net_pay = sums.net_pay,
    total_employee_taxes = sums.employee_taxes,
    total_employer_taxes = sums.employer_taxes,
    total_deductions = sums.deductions
FROM (
    SELECT c.company_id, c.pay_period_id, count(DISTINCT c.worker_id) AS workers,
        CAST(sum(CASE WHEN c.processed THEN c.gross_earnings ELSE lines.earned END) AS BIGINT) AS gross_earnings,
        CAST(sum(CASE WHEN c.processed THEN c.net_pay ELSE 0 END) AS BIGINT) AS net_pay,
        CAST(sum(taxes.employee) AS BIGINT) AS employee_taxes,
        CAST(sum(taxes.employer) AS BIGINT) AS employer_taxes,
        CAST(sum(lines.deducted + handed_in.deducted) AS BIGINT) AS deductions
    FROM (
        SELECT checks.*, p.status NOT IN ('INITIAL', 'ENTRY', 'PROCESSING') AS processed
        FROM checks JOIN pay_periods p
            ON p.company_id = checks.company_id AND p.pay_period_id = checks.pay_period_id
    ) c
    -- The amount of a line without an amount is its hours or units times the rate, rounded to cents, half
    -- away from zero.
    CROSS JOIN LATERAL (
        SELECT
            coalesce(sum(line.amount) FILTER (WHERE line.effect IN ('ADDITION', 'ADDITION_WITH_IN_OUT')), 0) AS earned,
            coalesce(sum(line.amount) FILTER (WHERE line.effect = 'REDUCTION'), 0) AS deducted
        FROM (
            SELECT l.value ->> 'effectOnPay' AS effect,
                coalesce(CAST(l.value ->> 'amount' AS NUMERIC),
                    round(CAST(coalesce(l.value ->> 'hours', l.value ->> 'units') AS NUMERIC)
                        * CAST(l.value ->> 'rate' AS NUMERIC) / 1000000) * 100) AS amount
            FROM json_array_elements(CAST(c.lines AS JSON)) l
        ) line
    ) lines
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(CAST(d.value ->> 'amount' AS NUMERIC)), 0) AS deducted
        FROM json_array_elements(CASE WHEN c.processed THEN CAST(c.completion AS JSON) -> 'deductions' END) d
        WHERE d.value ->> 'effectOnPay' = 'REDUCTION'
    ) handed_in
    CROSS JOIN LATERAL (
        SELECT
            coalesce(sum(CAST(t.value ->> 'amount' AS NUMERIC))
                FILTER (WHERE t.value ->> 'paidBy' = 'EMPLOYEE_WITHHOLDING'), 0) AS employee,
            coalesce(sum(CAST(t.value ->> 'amount' AS NUMERIC))
                FILTER (WHERE t.value ->> 'paidBy' = 'EMPLOYER_LIABILITY'), 0) AS employer
        FROM json_array_elements(CASE WHEN c.processed THEN CAST(c.completion AS JSON) -> 'taxes' END) t
    ) taxes
    GROUP BY c.company_id, c.pay_period_id
) sums
WHERE sums.company_id = pay_periods.company_id AND sums.pay_period_id = pay_periods.pay_period_id;
