ALTER TABLE operator_keys DROP COLUMN last_used;
ALTER TABLE operator_keys DROP COLUMN expires;
ALTER TABLE operator_keys DROP COLUMN company_ids;
ALTER TABLE operator_keys DROP COLUMN role;
ALTER TABLE operator_keys DROP COLUMN operator_name;
