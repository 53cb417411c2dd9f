ALTER TABLE companies DROP COLUMN tax_states;
DROP TABLE pay_frequencies;
