DROP INDEX grants_by_company_created;
ALTER TABLE grants DROP COLUMN company_created;
