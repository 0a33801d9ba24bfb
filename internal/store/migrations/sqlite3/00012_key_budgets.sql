-- +goose Up

-- Number of keys with a budget; if it is 0, no budgets are read.
ALTER TABLE organizations ADD COLUMN key_budgets INTEGER NOT NULL DEFAULT 0;

-- How much keys with a budget may spend, and have spent since they have the budget.
CREATE TABLE key_budgets (
  organization TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  per_day      INTEGER NOT NULL,            -- credits; 0 for no limit
  per_month    INTEGER NOT NULL,
  day          INTEGER NOT NULL,            -- days since 1970, UTC
  day_used     INTEGER NOT NULL,            -- charged on that day
  month_used   INTEGER NOT NULL,            -- charged in the month of that day
  held         INTEGER NOT NULL,            -- maximum cost of the key's running jobs
  since        INTEGER NOT NULL,
  PRIMARY KEY (organization, key_id),
  CHECK (held >= 0)
) WITHOUT ROWID;
