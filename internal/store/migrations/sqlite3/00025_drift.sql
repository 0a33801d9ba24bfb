-- +goose Up

-- Fields are also counted by the layout version of the page; '' for documents without one. The
-- table extraction stays as on PostgreSQL, where nodes of earlier versions still write it.
CREATE TABLE extraction_counts (
  hour     INTEGER NOT NULL,  -- since 1970
  provider TEXT NOT NULL,
  layout   TEXT NOT NULL DEFAULT '',
  field    TEXT NOT NULL,
  seen     INTEGER NOT NULL,
  filled   INTEGER NOT NULL,
  PRIMARY KEY (hour, provider, layout, field)
) WITHOUT ROWID;
INSERT INTO extraction_counts (hour, provider, field, seen, filled) SELECT hour, provider, field, seen, filled FROM extraction;

-- When layout versions and headings of unknown blocks were first and last seen. Hours since 1970.
CREATE TABLE extraction_seen (
  provider   TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  first_hour INTEGER NOT NULL,
  last_hour  INTEGER NOT NULL,
  PRIMARY KEY (provider, kind, name)
) WITHOUT ROWID;

-- The change detectors of fill rates. Each has processed the hours up to hour. Alarms up to the hour
-- acknowledged are closed.
CREATE TABLE extraction_series (
  provider     TEXT NOT NULL,
  layout       TEXT NOT NULL,
  field        TEXT NOT NULL,
  hour         INTEGER NOT NULL,
  state        TEXT NOT NULL,
  acknowledged INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (provider, layout, field)
) WITHOUT ROWID;

-- Pages that are kept for the operator. number counts the pages of a day with the same reason.
CREATE TABLE kept_pages (
  provider TEXT NOT NULL,
  layout   TEXT NOT NULL,
  reason   TEXT NOT NULL,
  day      INTEGER NOT NULL,
  number   INTEGER NOT NULL,
  id       TEXT NOT NULL,
  note     TEXT NOT NULL,
  pages    INTEGER NOT NULL,
  kept_at  INTEGER NOT NULL,
  PRIMARY KEY (provider, layout, reason, day, number)
) WITHOUT ROWID;
