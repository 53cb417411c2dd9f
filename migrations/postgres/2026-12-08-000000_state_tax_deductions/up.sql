-- Allowances and credits in the tax settings of states.
CREATE TABLE state_tax_deductions (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    country_subdivision_code TEXT COLLATE "C" NOT NULL,
    deduction_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    amount BIGINT,
    quantity BIGINT,
    PRIMARY KEY (company_id, worker_id, country_subdivision_code, deduction_id)
);
