-- The frequencies of pay components that a company allows, and the states in which it pays taxes.
CREATE TABLE pay_frequencies (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_frequency_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    pay_frequency TEXT COLLATE "C" NOT NULL,
    applied TEXT COLLATE "C" NOT NULL,
    occurrence TEXT COLLATE "C" NOT NULL,
    first_interval TEXT COLLATE "C",
    second_interval TEXT COLLATE "C",
    PRIMARY KEY (company_id, pay_frequency_id)
);

ALTER TABLE companies ADD COLUMN tax_states TEXT COLLATE "C" NOT NULL DEFAULT '';
