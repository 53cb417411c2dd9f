-- The values of a worker for the company's custom fields.
CREATE TABLE worker_custom_fields (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    worker_custom_field_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    custom_field_id TEXT NOT NULL,
    dropdown_id TEXT,
    text_value TEXT,
    numeric_value TEXT,
    date_value DATE,
    boolean_value BOOLEAN,
    start_date DATE,
    end_date DATE,
    PRIMARY KEY (company_id, worker_id, worker_custom_field_id)
) WITHOUT ROWID;
