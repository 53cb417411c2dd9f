ALTER TABLE pay_components DROP COLUMN credit_account;
ALTER TABLE pay_components DROP COLUMN debit_account;
ALTER TABLE companies DROP COLUMN deductions_payable_account;
ALTER TABLE companies DROP COLUMN taxes_payable_account;
ALTER TABLE companies DROP COLUMN employer_tax_expense_account;
ALTER TABLE companies DROP COLUMN wages_payable_account;
ALTER TABLE companies DROP COLUMN wages_expense_account;
