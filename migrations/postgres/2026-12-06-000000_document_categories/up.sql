-- Categories of documents, and users: persons of a company who are not its workers.
CREATE TABLE document_categories (
    company_id TEXT COLLATE "C" NOT NULL,
    document_category_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    category_name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, document_category_id)
);
CREATE TABLE users (
    company_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    family_name TEXT COLLATE "C" NOT NULL,
    given_name TEXT COLLATE "C" NOT NULL,
    middle_name TEXT COLLATE "C",
    preferred_name TEXT COLLATE "C",
    qualification_affix_code TEXT COLLATE "C",
    title_affix_code TEXT COLLATE "C",
    email TEXT COLLATE "C",
    title TEXT COLLATE "C",
    active BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, user_id)
);
