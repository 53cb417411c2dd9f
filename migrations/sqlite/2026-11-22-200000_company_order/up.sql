-- A partner's companies are listed in the order of their creation. The grants contain this order, so
-- that a list of some hundred thousand companies is read from an index, in chunks, and never sorted.
-- The previous release stores 0 in new grants. Their companies are listed first until the grant is
-- changed.
ALTER TABLE grants ADD COLUMN company_created BIGINT NOT NULL DEFAULT 0;
UPDATE grants SET company_created =
    coalesce((SELECT created FROM companies WHERE companies.company_id = grants.company_id), 0);
CREATE INDEX grants_by_company_created ON grants (application_id, company_created, company_id);
