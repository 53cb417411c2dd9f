DROP TABLE noted_requests;
DROP TABLE attempts;
DROP TABLE deliveries;
DROP INDEX grants_by_company;
DROP TABLE hooks;
