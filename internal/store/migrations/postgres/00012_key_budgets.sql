-- +goose Up

-- Number of keys with a budget; if it is 0, no budgets are read.
ALTER TABLE organizations ADD COLUMN key_budgets integer NOT NULL DEFAULT 0;

-- How much keys with a budget may spend, and have spent since they have the budget.
CREATE TABLE key_budgets (
  organization uuid NOT NULL,
  key_id       text NOT NULL,
  per_day      bigint NOT NULL,            -- credits; 0 for no limit
  per_month    bigint NOT NULL,
  day          bigint NOT NULL,            -- days since 1970, UTC
  day_used     bigint NOT NULL,            -- charged on that day
  month_used   bigint NOT NULL,            -- charged in the month of that day
  held         bigint NOT NULL,            -- maximum cost of the key's running jobs
  since        bigint NOT NULL,
  PRIMARY KEY (organization, key_id),
  CHECK (held >= 0)
) WITH (fillfactor = 60);
