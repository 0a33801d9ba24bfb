-- +goose Up

-- How many keys have a ceiling, so that nobody looks for one where there is none.
ALTER TABLE organizations ADD COLUMN key_budgets integer NOT NULL DEFAULT 0;

-- What keys with a ceiling may spend, and have spent since they have it.
CREATE TABLE key_budgets (
  organization uuid NOT NULL,
  key_id       text NOT NULL,
  per_day      bigint NOT NULL,            -- credits; 0 for no ceiling
  per_month    bigint NOT NULL,
  day          bigint NOT NULL,            -- days since 1970, UTC
  day_used     bigint NOT NULL,            -- charged on that day
  month_used   bigint NOT NULL,            -- and in its month
  held         bigint NOT NULL,            -- what running jobs of the key may still take
  since        bigint NOT NULL,
  PRIMARY KEY (organization, key_id),
  CHECK (held >= 0)
) WITH (fillfactor = 60);
