-- +goose Up

-- How many keys have a ceiling, so that nobody looks for one where there is none.
ALTER TABLE organizations ADD COLUMN key_budgets INTEGER NOT NULL DEFAULT 0;

-- What keys with a ceiling may spend, and have spent since they have it.
CREATE TABLE key_budgets (
  organization TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  per_day      INTEGER NOT NULL,            -- credits; 0 for no ceiling
  per_month    INTEGER NOT NULL,
  day          INTEGER NOT NULL,            -- days since 1970, UTC
  day_used     INTEGER NOT NULL,            -- charged on that day
  month_used   INTEGER NOT NULL,            -- and in its month
  held         INTEGER NOT NULL,            -- what running jobs of the key may still take
  since        INTEGER NOT NULL,
  PRIMARY KEY (organization, key_id),
  CHECK (held >= 0)
) WITHOUT ROWID;
