-- Operators with roles. A key without a role was created by the previous release, possibly while processes
-- are replaced. Its role follows from `read_only`. If the operator name is NULL, it equals the name of the
-- key.
ALTER TABLE operator_keys ADD COLUMN operator_name TEXT COLLATE "C";
ALTER TABLE operator_keys ADD COLUMN role TEXT COLLATE "C";
-- The ids of the companies to which the key is restricted, separated by spaces. NULL means all companies.
ALTER TABLE operator_keys ADD COLUMN company_ids TEXT COLLATE "C";
ALTER TABLE operator_keys ADD COLUMN expires BIGINT;
ALTER TABLE operator_keys ADD COLUMN last_used BIGINT;
