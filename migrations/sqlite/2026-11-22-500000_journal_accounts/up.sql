-- The accounts of the journal: those of a company that differ from the defaults, and those of single pay
-- components. The previous release does not read these columns, and empties them when it replaces a row.
ALTER TABLE companies ADD COLUMN wages_expense_account TEXT;
ALTER TABLE companies ADD COLUMN wages_payable_account TEXT;
ALTER TABLE companies ADD COLUMN employer_tax_expense_account TEXT;
ALTER TABLE companies ADD COLUMN taxes_payable_account TEXT;
ALTER TABLE companies ADD COLUMN deductions_payable_account TEXT;
ALTER TABLE pay_components ADD COLUMN debit_account TEXT;
ALTER TABLE pay_components ADD COLUMN credit_account TEXT;
