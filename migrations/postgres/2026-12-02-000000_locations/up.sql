-- The work locations of a company.
CREATE TABLE locations (
    company_id TEXT COLLATE "C" NOT NULL,
    location_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    communication_id TEXT COLLATE "C",
    street_line_one TEXT COLLATE "C",
    street_line_two TEXT COLLATE "C",
    post_office_box TEXT COLLATE "C",
    city TEXT COLLATE "C",
    postal_code TEXT COLLATE "C",
    postal_code_extension TEXT COLLATE "C",
    country_subdivision_code TEXT COLLATE "C",
    country_code TEXT COLLATE "C",
    moved_in DATE,
    moved_out DATE,
    PRIMARY KEY (company_id, location_id)
);
