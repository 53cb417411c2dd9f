-- How many companies an application may read: a page of its companies states it, and counting a hundred thousand
-- for each page took longer than all else. The release before this one does not keep it: what it grants or
-- revokes beside this one is missing in it.
ALTER TABLE applications ADD COLUMN readable_companies BIGINT NOT NULL DEFAULT 0;
UPDATE applications SET readable_companies = (SELECT count(*) FROM grants
    WHERE grants.application_id = applications.application_id AND grants.scopes LIKE '%read:companies%');
