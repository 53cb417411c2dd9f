DROP TABLE completion_requests;
