-- The contacts of a worker: persons and entities.
CREATE TABLE worker_contacts (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    contact_type_id TEXT NOT NULL,
    relationship_id TEXT NOT NULL,
    relation_weid TEXT NOT NULL,
    relationship_type_id TEXT,
    is_primary BOOLEAN NOT NULL,
    family_name TEXT,
    given_name TEXT,
    middle_name TEXT,
    preferred_name TEXT,
    qualification_affix_code TEXT,
    title_affix_code TEXT,
    entity_id TEXT,
    entity_name TEXT,
    PRIMARY KEY (company_id, worker_id, contact_id)
) WITHOUT ROWID;

-- The phones, e-mail addresses and postal addresses of a contact.
CREATE TABLE contact_communications (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    contact_id TEXT NOT NULL,
    communication_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    telecom_type TEXT,
    usage_type TEXT,
    dial_country TEXT,
    dial_area TEXT,
    dial_number TEXT,
    dial_extension TEXT,
    uri TEXT,
    street_line_one TEXT,
    street_line_two TEXT,
    post_office_box TEXT,
    city TEXT,
    postal_code TEXT,
    country_subdivision_code TEXT,
    country_code TEXT,
    PRIMARY KEY (company_id, worker_id, contact_id, communication_id)
) WITHOUT ROWID;
