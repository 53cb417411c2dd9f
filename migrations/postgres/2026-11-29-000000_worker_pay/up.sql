-- More members of recurring components and tax settings. The previous release does not read these
-- columns, and empties them when it replaces a row.
ALTER TABLE recurring_components ADD COLUMN effective_date DATE;
ALTER TABLE recurring_components ADD COLUMN check_limit_type TEXT COLLATE "C";
ALTER TABLE recurring_components ADD COLUMN check_limit_starts_at BIGINT;
ALTER TABLE recurring_components ADD COLUMN check_limit_stops_at BIGINT;
ALTER TABLE recurring_components ADD COLUMN check_limit_amount BIGINT;
ALTER TABLE recurring_components ADD COLUMN frequency_applied TEXT COLLATE "C";
ALTER TABLE recurring_components ADD COLUMN frequency_occurrence TEXT COLLATE "C";
ALTER TABLE recurring_components ADD COLUMN first_interval TEXT COLLATE "C";
ALTER TABLE recurring_components ADD COLUMN second_interval TEXT COLLATE "C";
ALTER TABLE recurring_components ADD COLUMN effected_checks TEXT COLLATE "C";
ALTER TABLE federal_taxes ADD COLUMN taxes_withheld BOOLEAN;
ALTER TABLE federal_taxes ADD COLUMN override_withholding_amount BIGINT;
ALTER TABLE federal_taxes ADD COLUMN override_withholding_percentage BIGINT;
ALTER TABLE state_taxes ADD COLUMN tax_status_type TEXT COLLATE "C";
ALTER TABLE state_taxes ADD COLUMN flat_dollar_override BIGINT;
ALTER TABLE state_taxes ADD COLUMN override_percent BIGINT;
ALTER TABLE state_taxes ADD COLUMN exemption_reason_description TEXT COLLATE "C";
