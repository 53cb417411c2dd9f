-- The accounts of the journal: those of a company, where they are not the usual ones, and those of single
-- pay components. The release before this one does not read them, and loses them where it replaces a row.
ALTER TABLE companies ADD COLUMN wages_expense_account TEXT COLLATE "C";
ALTER TABLE companies ADD COLUMN wages_payable_account TEXT COLLATE "C";
ALTER TABLE companies ADD COLUMN employer_tax_expense_account TEXT COLLATE "C";
ALTER TABLE companies ADD COLUMN taxes_payable_account TEXT COLLATE "C";
ALTER TABLE companies ADD COLUMN deductions_payable_account TEXT COLLATE "C";
ALTER TABLE pay_components ADD COLUMN debit_account TEXT COLLATE "C";
ALTER TABLE pay_components ADD COLUMN credit_account TEXT COLLATE "C";
