DROP TABLE worker_custom_fields;
