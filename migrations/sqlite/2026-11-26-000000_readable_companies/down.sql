ALTER TABLE applications DROP COLUMN readable_companies;
