-- Operators with roles. A key without a role was created by the release before this one, also while processes are
-- replaced: its role follows from `read_only`. A key without the name of an operator belongs to one of its own name.
ALTER TABLE operator_keys ADD COLUMN operator_name TEXT COLLATE "C";
ALTER TABLE operator_keys ADD COLUMN role TEXT COLLATE "C";
-- The ids of the companies that the key is restricted to, with blanks between them; NULL: all companies.
ALTER TABLE operator_keys ADD COLUMN company_ids TEXT COLLATE "C";
ALTER TABLE operator_keys ADD COLUMN expires BIGINT;
ALTER TABLE operator_keys ADD COLUMN last_used BIGINT;
