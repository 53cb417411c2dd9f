-- The work locations of a company.
CREATE TABLE locations (
    company_id TEXT NOT NULL,
    location_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    communication_id TEXT,
    street_line_one TEXT,
    street_line_two TEXT,
    post_office_box TEXT,
    city TEXT,
    postal_code TEXT,
    postal_code_extension TEXT,
    country_subdivision_code TEXT,
    country_code TEXT,
    moved_in DATE,
    moved_out DATE,
    PRIMARY KEY (company_id, location_id)
) WITHOUT ROWID;
