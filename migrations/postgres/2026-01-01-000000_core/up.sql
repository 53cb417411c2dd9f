-- Companies with their objects and checks, and the applications with their access to companies.
--
-- Money, hours and rates are in ten-thousandths, and instants in microseconds since 1970 in UTC.
-- Lists are ordered by `created`: the instant of creation, plus the position in the request or import.
-- Objects that belong to another object are ordered by `position`. Ids are compared byte by byte.

CREATE TABLE companies (
    company_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    created BIGINT NOT NULL,
    display_id TEXT COLLATE "C" NOT NULL,
    display_key TEXT COLLATE "C" NOT NULL, -- normalised for the filter `displayid`
    legal_name TEXT COLLATE "C" NOT NULL,
    legal_id_type TEXT COLLATE "C",
    legal_id TEXT COLLATE "C", -- encrypted if it is the tax ID of a person
    parent_company_id TEXT COLLATE "C",
    end_date DATE,
    converting BOOLEAN NOT NULL,
    lock_holder TEXT COLLATE "C",
    lock_reason TEXT COLLATE "C",
    lock_expires BIGINT,
    processing_pay_period_id TEXT COLLATE "C", -- the pay period in PROCESSING, which locks the company
    version BIGINT NOT NULL -- increases with each change of the company or of one of its lists
);
CREATE INDEX companies_by_parent ON companies (parent_company_id);

CREATE TABLE products (
    company_id TEXT COLLATE "C" NOT NULL,
    product_code TEXT COLLATE "C" NOT NULL,
    start_date DATE NOT NULL,
    end_date DATE,
    PRIMARY KEY (company_id, product_code, start_date)
);

CREATE TABLE communications (
    company_id TEXT COLLATE "C" NOT NULL,
    owner_id TEXT COLLATE "C" NOT NULL, -- the id of a worker or of the company
    communication_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    communication_type TEXT COLLATE "C" NOT NULL,
    usage_type TEXT COLLATE "C" NOT NULL,
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
    postal_code_extension TEXT COLLATE "C",
    country_subdivision_code TEXT COLLATE "C",
    country_code TEXT COLLATE "C",
    PRIMARY KEY (company_id, owner_id, communication_id)
);

CREATE TABLE organizations (
    company_id TEXT COLLATE "C" NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    number TEXT COLLATE "C",
    level BIGINT,
    parent_organization_id TEXT COLLATE "C",
    PRIMARY KEY (company_id, organization_id)
);

CREATE TABLE calculation_bases (
    company_id TEXT COLLATE "C" NOT NULL,
    calculation_base_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    calculation_base_name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, calculation_base_id)
);

CREATE TABLE contact_types (
    company_id TEXT COLLATE "C" NOT NULL,
    contact_type_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    contact_type_name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, contact_type_id)
);

CREATE TABLE relationship_types (
    company_id TEXT COLLATE "C" NOT NULL,
    contact_type_id TEXT COLLATE "C" NOT NULL,
    relationship_type_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    relationship_type_name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, contact_type_id, relationship_type_id)
);

CREATE TABLE custom_employment_types (
    company_id TEXT COLLATE "C" NOT NULL,
    custom_employment_type_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    custom_employment_type_name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, custom_employment_type_id)
);

CREATE TABLE custom_field_categories (
    company_id TEXT COLLATE "C" NOT NULL,
    category_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    category_name TEXT COLLATE "C" NOT NULL,
    is_default BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, category_id)
);

CREATE TABLE custom_fields (
    company_id TEXT COLLATE "C" NOT NULL,
    custom_field_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    category_id TEXT COLLATE "C",
    required BOOLEAN NOT NULL,
    check_stub BOOLEAN NOT NULL,
    employee_editable BOOLEAN NOT NULL,
    field_type TEXT COLLATE "C" NOT NULL,
    default_text TEXT COLLATE "C", -- the default value as text, except for drop-downs
    max_length BIGINT,
    PRIMARY KEY (company_id, custom_field_id),
    CONSTRAINT custom_fields_name UNIQUE (company_id, name)
);

CREATE TABLE dropdown_choices (
    company_id TEXT COLLATE "C" NOT NULL,
    custom_field_id TEXT COLLATE "C" NOT NULL,
    dropdown_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    choice TEXT COLLATE "C" NOT NULL,
    is_default BOOLEAN NOT NULL,
    PRIMARY KEY (company_id, custom_field_id, dropdown_id)
);

CREATE TABLE pay_components (
    company_id TEXT COLLATE "C" NOT NULL,
    component_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    code TEXT COLLATE "C",
    classification_type TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    effect_on_pay TEXT COLLATE "C" NOT NULL,
    start_date DATE,
    end_date DATE,
    applies_to_worker_types TEXT COLLATE "C" NOT NULL, -- separated by spaces; empty for all types
    overtime BOOLEAN NOT NULL,
    required_product TEXT COLLATE "C",
    PRIMARY KEY (company_id, component_id)
);

CREATE TABLE pay_periods (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_period_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    interval_code TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    start_date DATE NOT NULL,
    end_date DATE NOT NULL,
    submit_by_date DATE,
    check_date DATE NOT NULL,
    check_count BIGINT NOT NULL, -- the number of checks, and the last assigned ordinal
    version BIGINT NOT NULL, -- increases with each change of the period or of its checks
    PRIMARY KEY (company_id, pay_period_id)
);

CREATE TABLE workers (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    employee_id TEXT COLLATE "C",
    clock_id TEXT COLLATE "C",
    worker_type TEXT COLLATE "C" NOT NULL,
    employment_type TEXT COLLATE "C",
    custom_employment_type_id TEXT COLLATE "C",
    exemption_type TEXT COLLATE "C",
    work_state TEXT COLLATE "C",
    birth_date DATE,
    sex TEXT COLLATE "C",
    ethnicity_code TEXT COLLATE "C",
    hire_date DATE,
    family_name TEXT COLLATE "C" NOT NULL,
    given_name TEXT COLLATE "C" NOT NULL,
    middle_name TEXT COLLATE "C",
    preferred_name TEXT COLLATE "C",
    qualification_affix_code TEXT COLLATE "C",
    title_affix_code TEXT COLLATE "C",
    legal_id_type TEXT COLLATE "C",
    legal_id TEXT COLLATE "C", -- encrypted if it is the tax ID of a person
    location_id TEXT COLLATE "C",
    job_id TEXT COLLATE "C",
    labor_assignment_id TEXT COLLATE "C",
    job_title_id TEXT COLLATE "C",
    job_title TEXT COLLATE "C",
    organization_id TEXT COLLATE "C",
    supervisor_id TEXT COLLATE "C",
    worker_status_id TEXT COLLATE "C",
    status_type TEXT COLLATE "C",
    status_reason TEXT COLLATE "C",
    status_effective_date DATE,
    PRIMARY KEY (company_id, worker_id),
    CONSTRAINT workers_worker_id UNIQUE (worker_id)
);

CREATE TABLE pay_rates (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    rate_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    rate_number BIGINT NOT NULL,
    rate_type TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    amount BIGINT NOT NULL,
    standard_hours BIGINT,
    standard_overtime BIGINT,
    is_default BOOLEAN NOT NULL,
    start_date DATE NOT NULL,
    effective_date DATE,
    PRIMARY KEY (company_id, worker_id, rate_id)
);

CREATE TABLE recurring_components (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    worker_component_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    component_id TEXT COLLATE "C" NOT NULL,
    calculation_type TEXT COLLATE "C" NOT NULL,
    calculation_base_id TEXT COLLATE "C",
    value BIGINT NOT NULL,
    start_date DATE,
    end_date DATE,
    PRIMARY KEY (company_id, worker_id, worker_component_id)
);

CREATE TABLE federal_taxes (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    filing_status TEXT COLLATE "C",
    multiple_jobs BOOLEAN,
    dependents_amount BIGINT,
    other_income BIGINT,
    deductions_amount BIGINT,
    extra_withholding_amount BIGINT,
    extra_withholding_percentage BIGINT,
    PRIMARY KEY (company_id, worker_id)
);

CREATE TABLE state_taxes (
    company_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    country_subdivision_code TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    is_resident_state BOOLEAN,
    state_allocation_percent BIGINT,
    filing_status_type TEXT COLLATE "C",
    additional_amount BIGINT,
    additional_percent BIGINT,
    PRIMARY KEY (company_id, worker_id, country_subdivision_code)
);

-- Checks and lines have no foreign keys. Their transaction verifies the ids once for each set, because
-- a check of each row would be slow.
CREATE TABLE checks (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_period_id TEXT COLLATE "C" NOT NULL,
    ordinal BIGINT NOT NULL, -- the position in the period, from 1
    paycheck_id TEXT COLLATE "C" NOT NULL,
    worker_id TEXT COLLATE "C" NOT NULL,
    application_id TEXT COLLATE "C" NOT NULL, -- empty for imported checks
    correlation_id TEXT COLLATE "C",
    block_auto_distribution BOOLEAN NOT NULL,
    net_pay BIGINT, -- this column and the next three are only set for processed checks
    gross_earnings BIGINT,
    check_type TEXT COLLATE "C",
    check_number TEXT COLLATE "C",
    PRIMARY KEY (company_id, pay_period_id, ordinal),
    CONSTRAINT checks_paycheck_id UNIQUE (paycheck_id)
);
CREATE INDEX checks_by_application
    ON checks (company_id, pay_period_id, application_id, correlation_id);

CREATE TABLE check_lines (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_period_id TEXT COLLATE "C" NOT NULL,
    ordinal BIGINT NOT NULL,
    line BIGINT NOT NULL,
    check_component_id TEXT COLLATE "C" NOT NULL,
    section TEXT COLLATE "C" NOT NULL,
    component_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    classification_type TEXT COLLATE "C" NOT NULL,
    effect_on_pay TEXT COLLATE "C" NOT NULL,
    memoed BOOLEAN NOT NULL,
    rate BIGINT,
    hours BIGINT,
    units BIGINT,
    amount BIGINT,
    line_date DATE,
    job_id TEXT COLLATE "C",
    labor_assignment_id TEXT COLLATE "C",
    organization_id TEXT COLLATE "C",
    organization_name TEXT COLLATE "C",
    organization_number TEXT COLLATE "C",
    PRIMARY KEY (company_id, pay_period_id, ordinal, line)
);

CREATE TABLE check_taxes (
    company_id TEXT COLLATE "C" NOT NULL,
    pay_period_id TEXT COLLATE "C" NOT NULL,
    ordinal BIGINT NOT NULL,
    line BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    paid_by TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (company_id, pay_period_id, ordinal, line)
);

CREATE TABLE applications (
    application_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    created BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    enabled BOOLEAN NOT NULL,
    client_id TEXT COLLATE "C" NOT NULL,
    correlation_ids_last BOOLEAN NOT NULL, -- ids are unique in the pay period, not only in the request
    rate_limit_per_minute BIGINT,
    webhook_scopes TEXT COLLATE "C" NOT NULL,
    access_version BIGINT NOT NULL, -- increases with each change of the grants, secrets and settings
    CONSTRAINT applications_name UNIQUE (name),
    CONSTRAINT applications_client_id UNIQUE (client_id)
);

CREATE TABLE secrets (
    application_id TEXT COLLATE "C" NOT NULL,
    secret_id TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (application_id, secret_id)
);

CREATE TABLE grants (
    application_id TEXT COLLATE "C" NOT NULL,
    company_id TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL, -- separated by spaces
    PRIMARY KEY (application_id, company_id)
);

CREATE TABLE idempotency_keys (
    owner TEXT COLLATE "C" NOT NULL,
    idempotency_key TEXT COLLATE "C" NOT NULL,
    request_hash TEXT COLLATE "C" NOT NULL,
    attempt TEXT COLLATE "C" NOT NULL,
    expires BIGINT NOT NULL, -- the end of the in-flight guard, or of the stored response
    status BIGINT, -- this column and the next two are the response, stored in the transaction of the change
    content_type TEXT COLLATE "C",
    body BYTEA,
    PRIMARY KEY (owner, idempotency_key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires);

-- Texts that are encrypted with the keys of this database. A server with the wrong keys cannot decrypt
-- them, and does not start.
CREATE TABLE key_canaries (
    key_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    sealed TEXT COLLATE "C" NOT NULL
);
