DROP TABLE request_details;
