-- +goose Up

-- The civil time for which a tracker's next report is due.
ALTER TABLE trackers ADD COLUMN report_slot TEXT;
ALTER TABLE trackers ADD COLUMN report_due_at INTEGER;
CREATE INDEX trackers_report ON trackers (report_due_at) WHERE report_due_at IS NOT NULL;

-- Reports that were sent; alert_deliveries says where to.
CREATE TABLE reports (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  id           TEXT NOT NULL,
  slot         TEXT NOT NULL,              -- for which it was due; one of each is ever sent
  made_at      INTEGER NOT NULL,
  content      TEXT NOT NULL,              -- JSON: what it says in a few lines
  document     BLOB NOT NULL,              -- JSON, packed: all of it
  PRIMARY KEY (organization, tracker, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX reports_slot ON reports (organization, tracker, slot);

-- Days of trackers that are exported: what was changed since is still to be written.
CREATE TABLE export_days (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  day          INTEGER NOT NULL,           -- of UTC, since 1970-01-01
  changes      INTEGER NOT NULL,           -- how often it was changed
  written      INTEGER NOT NULL DEFAULT 0, -- the changes that its files have
  written_at   INTEGER,
  leased_until INTEGER NOT NULL DEFAULT 0, -- no other node writes it until then
  failure      TEXT,                       -- why the last try failed
  PRIMARY KEY (organization, tracker, day)
) WITHOUT ROWID;
CREATE INDEX export_days_due ON export_days (leased_until) WHERE written < changes;
