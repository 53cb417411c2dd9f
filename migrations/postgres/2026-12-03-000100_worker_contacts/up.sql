-- The contacts of a worker: persons and entities.
CREATE TABLE worker_contacts (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    contact_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    contact_type_id TEXT COLLATE "C" NOT NULL,
    relationship_id TEXT COLLATE "C" NOT NULL,
    relation_weid TEXT COLLATE "C" NOT NULL,
    relationship_type_id TEXT COLLATE "C",
    is_primary BOOLEAN NOT NULL,
    family_name TEXT COLLATE "C",
    given_name TEXT COLLATE "C",
    middle_name TEXT COLLATE "C",
    preferred_name TEXT COLLATE "C",
    qualification_affix_code TEXT COLLATE "C",
    title_affix_code TEXT COLLATE "C",
    entity_id TEXT COLLATE "C",
    entity_name TEXT COLLATE "C",
    PRIMARY KEY (company_id, worker_id, contact_id)
);

-- The phones, e-mail addresses and postal addresses of a contact.
CREATE TABLE contact_communications (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    contact_id TEXT COLLATE "C" NOT NULL,
    communication_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    telecom_type TEXT COLLATE "C",
    usage_type TEXT COLLATE "C",
    dial_country TEXT COLLATE "C",
    dial_area TEXT COLLATE "C",
    dial_number TEXT COLLATE "C",
    dial_extension TEXT COLLATE "C",
    uri TEXT COLLATE "C",
    street_line_one TEXT COLLATE "C",
    street_line_two TEXT COLLATE "C",
    post_office_box TEXT COLLATE "C",
    city TEXT COLLATE "C",
    postal_code TEXT COLLATE "C",
    country_subdivision_code TEXT COLLATE "C",
    country_code TEXT COLLATE "C",
    PRIMARY KEY (company_id, worker_id, contact_id, communication_id)
);
