-- Companies with their objects and checks, and the applications with their access to companies.
--
-- Money, hours and rates are in ten-thousandths, and instants in microseconds since 1970 in UTC.
-- Lists are ordered by `created`: the instant of creation, plus the position in the request or import.
-- Objects that belong to another object are ordered by `position`. Ids are compared byte by byte.

CREATE TABLE companies (
    company_id TEXT NOT NULL PRIMARY KEY,
    created BIGINT NOT NULL,
    display_id TEXT NOT NULL,
    display_key TEXT NOT NULL, -- normalised for the filter `displayid`
    legal_name TEXT NOT NULL,
    legal_id_type TEXT,
    legal_id TEXT, -- encrypted if it is the tax ID of a person
    parent_company_id TEXT,
    end_date DATE,
    converting BOOLEAN NOT NULL,
    lock_holder TEXT,
    lock_reason TEXT,
    lock_expires BIGINT,
    processing_pay_period_id TEXT, -- the pay period in PROCESSING, which locks the company
    version BIGINT NOT NULL -- increases with each change of the company or of one of its lists
);
CREATE INDEX companies_by_parent ON companies (parent_company_id);

CREATE TABLE products (
    company_id TEXT NOT NULL,
    product_code TEXT NOT NULL,
    start_date DATE NOT NULL,
    end_date DATE,
    PRIMARY KEY (company_id, product_code, start_date)
) WITHOUT ROWID;

CREATE TABLE communications (
    company_id TEXT NOT NULL,
    owner_id TEXT NOT NULL, -- the id of a worker or of the company
    communication_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    communication_type TEXT NOT NULL,
    usage_type TEXT NOT NULL,
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
    postal_code_extension TEXT,
    country_subdivision_code TEXT,
    country_code TEXT,
    PRIMARY KEY (company_id, owner_id, communication_id)
) WITHOUT ROWID;

CREATE TABLE organizations (
    company_id TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    name TEXT NOT NULL,
    number TEXT,
    level BIGINT,
    parent_organization_id TEXT,
    PRIMARY KEY (company_id, organization_id)
) WITHOUT ROWID;

CREATE TABLE calculation_bases (
    company_id TEXT NOT NULL,
    calculation_base_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    calculation_base_name TEXT NOT NULL,
    PRIMARY KEY (company_id, calculation_base_id)
) WITHOUT ROWID;

CREATE TABLE contact_types (
    company_id TEXT NOT NULL,
    contact_type_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    contact_type_name TEXT NOT NULL,
    PRIMARY KEY (company_id, contact_type_id)
) WITHOUT ROWID;

CREATE TABLE relationship_types (
    company_id TEXT NOT NULL,
    contact_type_id TEXT NOT NULL,
    relationship_type_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    relationship_type_name TEXT NOT NULL,
    PRIMARY KEY (company_id, contact_type_id, relationship_type_id)
) WITHOUT ROWID;

CREATE TABLE custom_employment_types (
    company_id TEXT NOT NULL,
    custom_employment_type_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    custom_employment_type_name TEXT NOT NULL,
    PRIMARY KEY (company_id, custom_employment_type_id)
) WITHOUT ROWID;

CREATE TABLE custom_field_categories (
    company_id TEXT NOT NULL,
    category_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    category_name TEXT NOT NULL,
    is_default BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, category_id)
) WITHOUT ROWID;

CREATE TABLE custom_fields (
    company_id TEXT NOT NULL,
    custom_field_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    name TEXT NOT NULL,
    category_id TEXT,
    required BOOLEAN NOT NULL,
    check_stub BOOLEAN NOT NULL,
    employee_editable BOOLEAN NOT NULL,
    field_type TEXT NOT NULL,
    default_text TEXT, -- the default value as text, except for drop-downs
    max_length BIGINT,
    PRIMARY KEY (company_id, custom_field_id),
    CONSTRAINT custom_fields_name UNIQUE (company_id, name)
);

CREATE TABLE dropdown_choices (
    company_id TEXT NOT NULL,
    custom_field_id TEXT NOT NULL,
    dropdown_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    choice TEXT NOT NULL,
    is_default BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, custom_field_id, dropdown_id)
) WITHOUT ROWID;

CREATE TABLE pay_components (
    company_id TEXT NOT NULL,
    component_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    name TEXT NOT NULL,
    code TEXT,
    classification_type TEXT NOT NULL,
    description TEXT,
    effect_on_pay TEXT NOT NULL,
    start_date DATE,
    end_date DATE,
    applies_to_worker_types TEXT NOT NULL, -- separated by spaces; empty for all types
    overtime BOOLEAN NOT NULL,
    required_product TEXT,
    PRIMARY KEY (company_id, component_id)
) WITHOUT ROWID;

CREATE TABLE pay_periods (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    interval_code TEXT NOT NULL,
    status TEXT NOT NULL,
    description TEXT,
    start_date DATE NOT NULL,
    end_date DATE NOT NULL,
    submit_by_date DATE,
    check_date DATE NOT NULL,
    check_count BIGINT NOT NULL, -- the number of checks, and the last assigned ordinal
    version BIGINT NOT NULL, -- increases with each change of the period or of its checks
    PRIMARY KEY (company_id, pay_period_id)
) WITHOUT ROWID;

CREATE TABLE workers (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    employee_id TEXT,
    clock_id TEXT,
    worker_type TEXT NOT NULL,
    employment_type TEXT,
    custom_employment_type_id TEXT,
    exemption_type TEXT,
    work_state TEXT,
    birth_date DATE,
    sex TEXT,
    ethnicity_code TEXT,
    hire_date DATE,
    family_name TEXT NOT NULL,
    given_name TEXT NOT NULL,
    middle_name TEXT,
    preferred_name TEXT,
    qualification_affix_code TEXT,
    title_affix_code TEXT,
    legal_id_type TEXT,
    legal_id TEXT, -- encrypted if it is the tax ID of a person
    location_id TEXT,
    job_id TEXT,
    labor_assignment_id TEXT,
    job_title_id TEXT,
    job_title TEXT,
    organization_id TEXT,
    supervisor_id TEXT,
    worker_status_id TEXT,
    status_type TEXT,
    status_reason TEXT,
    status_effective_date DATE,
    PRIMARY KEY (company_id, worker_id),
    CONSTRAINT workers_worker_id UNIQUE (worker_id)
);

CREATE TABLE pay_rates (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    rate_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    rate_number BIGINT NOT NULL,
    rate_type TEXT NOT NULL,
    description TEXT,
    amount BIGINT NOT NULL,
    standard_hours BIGINT,
    standard_overtime BIGINT,
    is_default BOOLEAN NOT NULL,
    start_date DATE NOT NULL,
    effective_date DATE,
    PRIMARY KEY (company_id, worker_id, rate_id)
) WITHOUT ROWID;

CREATE TABLE recurring_components (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    worker_component_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    component_id TEXT NOT NULL,
    calculation_type TEXT NOT NULL,
    calculation_base_id TEXT,
    value BIGINT NOT NULL,
    start_date DATE,
    end_date DATE,
    PRIMARY KEY (company_id, worker_id, worker_component_id)
) WITHOUT ROWID;

CREATE TABLE federal_taxes (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    filing_status TEXT,
    multiple_jobs BOOLEAN,
    dependents_amount BIGINT,
    other_income BIGINT,
    deductions_amount BIGINT,
    extra_withholding_amount BIGINT,
    extra_withholding_percentage BIGINT,
    PRIMARY KEY (company_id, worker_id)
) WITHOUT ROWID;

CREATE TABLE state_taxes (
    company_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    country_subdivision_code TEXT NOT NULL,
    position BIGINT NOT NULL,
    is_resident_state BOOLEAN,
    state_allocation_percent BIGINT,
    filing_status_type TEXT,
    additional_amount BIGINT,
    additional_percent BIGINT,
    PRIMARY KEY (company_id, worker_id, country_subdivision_code)
) WITHOUT ROWID;

-- Checks and lines have no foreign keys. Their transaction verifies the ids once for each set, because
-- a check of each row would be slow.
CREATE TABLE checks (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL, -- the position in the period, from 1
    paycheck_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    application_id TEXT NOT NULL, -- empty for imported checks
    correlation_id TEXT,
    block_auto_distribution BOOLEAN NOT NULL,
    net_pay BIGINT, -- this column and the next three are only set for processed checks
    gross_earnings BIGINT,
    check_type TEXT,
    check_number TEXT,
    PRIMARY KEY (company_id, pay_period_id, ordinal),
    CONSTRAINT checks_paycheck_id UNIQUE (paycheck_id)
) WITHOUT ROWID;
CREATE INDEX checks_by_application
    ON checks (company_id, pay_period_id, application_id, correlation_id);

CREATE TABLE check_lines (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    line BIGINT NOT NULL,
    check_component_id TEXT NOT NULL,
    section TEXT NOT NULL,
    component_id TEXT NOT NULL,
    name TEXT NOT NULL,
    classification_type TEXT NOT NULL,
    effect_on_pay TEXT NOT NULL,
    memoed BOOLEAN NOT NULL,
    rate BIGINT,
    hours BIGINT,
    units BIGINT,
    amount BIGINT,
    line_date DATE,
    job_id TEXT,
    labor_assignment_id TEXT,
    organization_id TEXT,
    organization_name TEXT,
    organization_number TEXT,
    PRIMARY KEY (company_id, pay_period_id, ordinal, line)
) WITHOUT ROWID;

CREATE TABLE check_taxes (
    company_id TEXT NOT NULL,
    pay_period_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    line BIGINT NOT NULL,
    name TEXT NOT NULL,
    amount BIGINT NOT NULL,
    paid_by TEXT NOT NULL,
    PRIMARY KEY (company_id, pay_period_id, ordinal, line)
) WITHOUT ROWID;

CREATE TABLE applications (
    application_id TEXT NOT NULL PRIMARY KEY,
    created BIGINT NOT NULL,
    name TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    client_id TEXT NOT NULL,
    correlation_ids_last BOOLEAN NOT NULL, -- ids are unique in the pay period, not only in the request
    rate_limit_per_minute BIGINT,
    webhook_scopes TEXT NOT NULL,
    access_version BIGINT NOT NULL, -- increases with each change of the grants, secrets and settings
    CONSTRAINT applications_name UNIQUE (name),
    CONSTRAINT applications_client_id UNIQUE (client_id)
);

CREATE TABLE secrets (
    application_id TEXT NOT NULL,
    secret_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (application_id, secret_id)
) WITHOUT ROWID;

CREATE TABLE grants (
    application_id TEXT NOT NULL,
    company_id TEXT NOT NULL,
    scopes TEXT NOT NULL, -- separated by spaces
    PRIMARY KEY (application_id, company_id)
) WITHOUT ROWID;

CREATE TABLE idempotency_keys (
    owner TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    attempt TEXT NOT NULL,
    expires BIGINT NOT NULL, -- the end of the in-flight guard, or of the stored response
    status BIGINT, -- this column and the next two are the response, stored in the transaction of the change
    content_type TEXT,
    body BLOB,
    PRIMARY KEY (owner, idempotency_key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires);

-- Texts that are encrypted with the keys of this database. A server with the wrong keys cannot decrypt
-- them, and does not start.
CREATE TABLE key_canaries (
    key_id TEXT NOT NULL PRIMARY KEY,
    sealed TEXT NOT NULL
);
