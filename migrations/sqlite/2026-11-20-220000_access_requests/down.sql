DROP INDEX companies_by_display_key;
DROP TABLE access_requests;
