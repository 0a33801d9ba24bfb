-- +goose Up

-- The slot (a local time) of a tracker's next report.
ALTER TABLE trackers ADD COLUMN report_slot TEXT;
ALTER TABLE trackers ADD COLUMN report_due_at INTEGER;
CREATE INDEX trackers_report ON trackers (report_due_at) WHERE report_due_at IS NOT NULL;

-- Reports that were sent. Their deliveries are in alert_deliveries.
CREATE TABLE reports (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  id           TEXT NOT NULL,
  slot         TEXT NOT NULL,              -- a slot has at most one report
  made_at      INTEGER NOT NULL,
  content      TEXT NOT NULL,              -- JSON: the summary
  document     BLOB NOT NULL,              -- JSON, compressed: the whole report
  PRIMARY KEY (organization, tracker, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX reports_slot ON reports (organization, tracker, slot);

-- Days of trackers to export. A day waits for its export while written < changes.
CREATE TABLE export_days (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  day          INTEGER NOT NULL,           -- UTC day since 1970-01-01
  changes      INTEGER NOT NULL,           -- number of changes of the day's data
  written      INTEGER NOT NULL DEFAULT 0, -- value of changes that was last exported
  written_at   INTEGER,
  leased_until INTEGER NOT NULL DEFAULT 0, -- until when a node has leased it
  failure      TEXT,                       -- why the last export failed
  PRIMARY KEY (organization, tracker, day)
) WITHOUT ROWID;
CREATE INDEX export_days_due ON export_days (leased_until) WHERE written < changes;
