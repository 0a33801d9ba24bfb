-- +goose Up

-- The civil time for which a tracker's next report is due.
ALTER TABLE trackers ADD COLUMN report_slot text;
ALTER TABLE trackers ADD COLUMN report_due_at bigint;
CREATE INDEX trackers_report ON trackers (report_due_at) WHERE report_due_at IS NOT NULL;

-- Reports that were sent; alert_deliveries says where to.
CREATE TABLE reports (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  id           uuid NOT NULL,
  slot         text NOT NULL,              -- for which it was due; one of each is ever sent
  made_at      bigint NOT NULL,
  content      text NOT NULL,              -- JSON: what it says in a few lines
  document     bytea NOT NULL,             -- JSON, packed: all of it
  PRIMARY KEY (organization, tracker, id)
);
CREATE UNIQUE INDEX reports_slot ON reports (organization, tracker, slot);

-- Days of trackers that are exported: what was changed since is still to be written.
CREATE TABLE export_days (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  day          bigint NOT NULL,           -- of UTC, since 1970-01-01
  changes      bigint NOT NULL,           -- how often it was changed
  written      bigint NOT NULL DEFAULT 0, -- the changes that its files have
  written_at   bigint,
  leased_until bigint NOT NULL DEFAULT 0, -- no other node writes it until then
  failure      text,                       -- why the last try failed
  PRIMARY KEY (organization, tracker, day)
);
CREATE INDEX export_days_due ON export_days (leased_until) WHERE written < changes;
