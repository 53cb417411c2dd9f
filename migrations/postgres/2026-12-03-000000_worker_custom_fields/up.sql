-- The values of a worker for the company's custom fields.
CREATE TABLE worker_custom_fields (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    worker_custom_field_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    custom_field_id TEXT COLLATE "C" NOT NULL,
    dropdown_id TEXT COLLATE "C",
    text_value TEXT COLLATE "C",
    numeric_value TEXT COLLATE "C",
    date_value DATE,
    boolean_value BOOLEAN,
    start_date DATE,
    end_date DATE,
    PRIMARY KEY (company_id, worker_id, worker_custom_field_id)
);
