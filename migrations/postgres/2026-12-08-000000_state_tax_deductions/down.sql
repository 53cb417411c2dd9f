DROP TABLE state_tax_deductions;
