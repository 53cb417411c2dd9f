DROP TABLE contact_communications;
DROP TABLE worker_contacts;
