-- +goose Up

-- How often the fields of results are filled, by hour. Kept for eight days.
CREATE TABLE extraction (
  hour     INTEGER NOT NULL,  -- since 1970
  provider TEXT NOT NULL,
  field    TEXT NOT NULL,
  seen     INTEGER NOT NULL,
  filled   INTEGER NOT NULL,
  PRIMARY KEY (hour, provider, field)
) WITHOUT ROWID;
