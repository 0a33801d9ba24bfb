-- +goose Up

-- How many and which sweeps the change detectors of a tracker have processed.
ALTER TABLE trackers ADD COLUMN steps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN stepped INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sweeps_unstepped ON sweeps (organization, tracker, due_at) WHERE stepped = 0;

-- The state of the change detector for one metric of one brand on one target.
CREATE TABLE series (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  metric       TEXT NOT NULL,
  brand        TEXT NOT NULL,
  target       TEXT NOT NULL,
  state        TEXT NOT NULL,              -- JSON
  PRIMARY KEY (organization, tracker, metric, brand, target)
) WITHOUT ROWID;

CREATE TABLE alerts (
  organization    TEXT NOT NULL,
  tracker         TEXT NOT NULL,
  id              TEXT NOT NULL,
  kind            TEXT NOT NULL,
  subject         TEXT NOT NULL,           -- at most one alert of a kind and subject is open
  sweep           TEXT NOT NULL,           -- the sweep that raised it
  raised_at       INTEGER NOT NULL,
  acknowledged_at INTEGER,
  acknowledged_by TEXT,                    -- the id of a key
  content         TEXT NOT NULL,           -- JSON
  PRIMARY KEY (organization, tracker, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX alerts_open ON alerts (organization, tracker, kind, subject) WHERE acknowledged_at IS NULL;

-- Destinations of an organization's alerts.
CREATE TABLE channels (
  organization TEXT NOT NULL,
  name         TEXT NOT NULL,
  kind         TEXT NOT NULL,
  settings     TEXT NOT NULL,              -- JSON, with secrets
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  PRIMARY KEY (organization, name)
) WITHOUT ROWID;

-- The alert of a delivery to a channel.
CREATE TABLE alert_deliveries (
  organization TEXT NOT NULL,
  id           TEXT NOT NULL,              -- of the delivery
  tracker      TEXT NOT NULL,
  alert        TEXT NOT NULL,
  channel      TEXT NOT NULL,
  PRIMARY KEY (organization, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX alert_deliveries_alert ON alert_deliveries (organization, tracker, alert, channel);
