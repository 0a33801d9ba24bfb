-- +goose Up

-- The slot (a local time) of a tracker's next report.
ALTER TABLE trackers ADD COLUMN report_slot text;
ALTER TABLE trackers ADD COLUMN report_due_at bigint;
CREATE INDEX trackers_report ON trackers (report_due_at) WHERE report_due_at IS NOT NULL;

-- Reports that were sent. Their deliveries are in alert_deliveries.
CREATE TABLE reports (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  id           uuid NOT NULL,
  slot         text NOT NULL,              -- a slot has at most one report
  made_at      bigint NOT NULL,
  content      text NOT NULL,              -- JSON: the summary
  document     bytea NOT NULL,             -- JSON, compressed: the whole report
  PRIMARY KEY (organization, tracker, id)
);
CREATE UNIQUE INDEX reports_slot ON reports (organization, tracker, slot);

-- Days of trackers to export. A day waits for its export while written < changes.
CREATE TABLE export_days (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  day          bigint NOT NULL,           -- UTC day since 1970-01-01
  changes      bigint NOT NULL,           -- number of changes of the day's data
  written      bigint NOT NULL DEFAULT 0, -- value of changes that was last exported
  written_at   bigint,
  leased_until bigint NOT NULL DEFAULT 0, -- until when a node has leased it
  failure      text,                       -- why the last export failed
  PRIMARY KEY (organization, tracker, day)
);
CREATE INDEX export_days_due ON export_days (leased_until) WHERE written < changes;
