-- The frequencies of pay components that a company allows, and the states in which it pays taxes.
CREATE TABLE pay_frequencies (
    company_id TEXT NOT NULL,
    pay_frequency_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    pay_frequency TEXT NOT NULL,
    applied TEXT NOT NULL,
    occurrence TEXT NOT NULL,
    first_interval TEXT,
    second_interval TEXT,
    PRIMARY KEY (company_id, pay_frequency_id)
) WITHOUT ROWID;

ALTER TABLE companies ADD COLUMN tax_states TEXT NOT NULL DEFAULT '';
