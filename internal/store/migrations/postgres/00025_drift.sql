-- +goose Up

-- Fields are also counted by the layout version of the page; '' for documents without one. Nodes of
-- earlier versions still write the table extraction, so only a later migration may drop it.
CREATE TABLE extraction_counts (
  hour     bigint NOT NULL,  -- since 1970
  provider text NOT NULL,
  layout   text NOT NULL DEFAULT '',
  field    text NOT NULL,
  seen     bigint NOT NULL,
  filled   bigint NOT NULL,
  PRIMARY KEY (hour, provider, layout, field)
);
INSERT INTO extraction_counts (hour, provider, field, seen, filled) SELECT hour, provider, field, seen, filled FROM extraction;

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
