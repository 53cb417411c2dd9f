-- Allowances and credits in the tax settings of states.
CREATE TABLE state_tax_deductions (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    country_subdivision_code TEXT NOT NULL,
    deduction_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    amount BIGINT,
    quantity BIGINT,
    PRIMARY KEY (company_id, worker_id, country_subdivision_code, deduction_id)
) WITHOUT ROWID;
