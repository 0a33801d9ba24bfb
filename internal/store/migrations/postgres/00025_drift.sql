-- +goose Up

-- Fields are also counted by the layout version of the page; '' for documents without one.
ALTER TABLE extraction ADD COLUMN layout text NOT NULL DEFAULT '';
ALTER TABLE extraction DROP CONSTRAINT extraction_pkey;
ALTER TABLE extraction ADD PRIMARY KEY (hour, provider, layout, field);

-- When layout versions and headings of unknown blocks were first and last seen. Hours since 1970.
CREATE TABLE extraction_seen (
  provider   text NOT NULL,
  kind       text NOT NULL,
  name       text NOT NULL,
  first_hour bigint NOT NULL,
  last_hour  bigint NOT NULL,
  PRIMARY KEY (provider, kind, name)
);

-- The change detectors of fill rates. Each has processed the hours up to hour. Alarms up to the hour
-- acknowledged are closed.
CREATE TABLE extraction_series (
  provider     text NOT NULL,
  layout       text NOT NULL,
  field        text NOT NULL,
  hour         bigint NOT NULL,
  state        text NOT NULL,
  acknowledged bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (provider, layout, field)
);

-- Pages that are kept for the operator. number counts the pages of a day with the same reason.
CREATE TABLE kept_pages (
  provider text NOT NULL,
  layout   text NOT NULL,
  reason   text NOT NULL,
  day      bigint NOT NULL,
  number   bigint NOT NULL,
  id       text NOT NULL,
  note     text NOT NULL,
  pages    bigint NOT NULL,
  kept_at  bigint NOT NULL,
  PRIMARY KEY (provider, layout, reason, day, number)
);
