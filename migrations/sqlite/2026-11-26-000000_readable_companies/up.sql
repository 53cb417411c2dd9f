-- The number of companies that an application may read, which each page of its companies contains. Counting a
-- hundred thousand grants for each page took most of the time. The previous release does not update the
-- column, so the number does not include the access that it grants or revokes alongside this release.
ALTER TABLE applications ADD COLUMN readable_companies BIGINT NOT NULL DEFAULT 0;
UPDATE applications SET readable_companies = (SELECT count(*) FROM grants
    WHERE grants.application_id = applications.application_id AND grants.scopes LIKE '%read:companies%');
