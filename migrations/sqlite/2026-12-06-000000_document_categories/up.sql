-- Categories of documents, and users: persons of a company who are not its workers.
CREATE TABLE document_categories (
    company_id TEXT NOT NULL,
    document_category_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    category_name TEXT NOT NULL,
    PRIMARY KEY (company_id, document_category_id)
) WITHOUT ROWID;
CREATE TABLE users (
    company_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    version BIGINT NOT NULL,
    family_name TEXT NOT NULL,
    given_name TEXT NOT NULL,
    middle_name TEXT,
    preferred_name TEXT,
    qualification_affix_code TEXT,
    title_affix_code TEXT,
    email TEXT,
    title TEXT,
    active BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, user_id)
) WITHOUT ROWID;
