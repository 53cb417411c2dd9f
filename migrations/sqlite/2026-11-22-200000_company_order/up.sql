-- A partner's companies are listed in the order of their creation. The order is kept with the grants,
-- so that a list of some hundred thousand is walked along an index, chunk after chunk, and never
-- sorted. What the release before this one grants has 0, and stands at the beginning of the list until
-- the grant is changed.
ALTER TABLE grants ADD COLUMN company_created BIGINT NOT NULL DEFAULT 0;
UPDATE grants SET company_created =
    coalesce((SELECT created FROM companies WHERE companies.company_id = grants.company_id), 0);
CREATE INDEX grants_by_company_created ON grants (application_id, company_created, company_id);
