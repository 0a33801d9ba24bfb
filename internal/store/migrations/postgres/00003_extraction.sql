-- +goose Up

-- How often the fields of results are filled, by hour. Kept for eight days.
CREATE TABLE extraction (
  hour     bigint NOT NULL,  -- since 1970
  provider text NOT NULL,
  field    text NOT NULL,
  seen     bigint NOT NULL,
  filled   bigint NOT NULL,
  PRIMARY KEY (hour, provider, field)
);
