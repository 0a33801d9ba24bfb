-- +goose Up

-- Each attempt to export a day has a number. The views show the rows of the attempt in shown, so a
-- day of rows is written in small transactions and replaced at once. 0: no rows are shown.
ALTER TABLE export_days ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE export_days ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
CREATE INDEX export_days_shown ON export_days (organization, tracker, day) WHERE shown > 0;

-- Rows of exported tables, for trackers with exports.sql. domains is a JSON array.
CREATE TABLE exported_mentions (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  day          INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  number       INTEGER NOT NULL,
  answer       TEXT NOT NULL,
  sweep        TEXT NOT NULL,
  asked_at     INTEGER NOT NULL,
  prompt_id    INTEGER NOT NULL,
  target       TEXT NOT NULL,
  surface      TEXT NOT NULL,
  via          TEXT,
  rules        TEXT NOT NULL,
  brand        TEXT NOT NULL,
  name         TEXT NOT NULL,
  kind         TEXT NOT NULL,
  found_in     TEXT NOT NULL,
  found_index  INTEGER NOT NULL,
  start_byte   INTEGER NOT NULL,
  end_byte     INTEGER NOT NULL,
  position     INTEGER,
  list_rank    INTEGER,
  domains      TEXT NOT NULL,
  PRIMARY KEY (organization, tracker, day, version, number)
) WITHOUT ROWID;

CREATE TABLE exported_citations (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  day          INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  number       INTEGER NOT NULL,
  answer       TEXT NOT NULL,
  sweep        TEXT NOT NULL,
  asked_at     INTEGER NOT NULL,
  prompt_id    INTEGER NOT NULL,
  target       TEXT NOT NULL,
  surface      TEXT NOT NULL,
  via          TEXT,
  rules        TEXT NOT NULL,
  url          TEXT NOT NULL,
  domain       TEXT NOT NULL,
  type         TEXT NOT NULL,
  position     INTEGER NOT NULL,
  PRIMARY KEY (organization, tracker, day, version, number)
) WITHOUT ROWID;

CREATE TABLE exported_metrics (
  organization    TEXT NOT NULL,
  tracker         TEXT NOT NULL,
  day             INTEGER NOT NULL,
  version         INTEGER NOT NULL,
  number          INTEGER NOT NULL,
  sweep           TEXT NOT NULL,
  slot            TEXT NOT NULL,
  due_at          INTEGER NOT NULL,
  rules           TEXT NOT NULL,
  metric          TEXT NOT NULL,
  brand           TEXT,
  target          TEXT NOT NULL,
  surface         TEXT,
  via             TEXT,
  merchant        TEXT,
  product         TEXT,
  currency        TEXT,
  block           TEXT,
  value           REAL,
  lowest          REAL,
  median_position REAL,
  numerator       REAL NOT NULL,
  denominator     REAL NOT NULL,
  answers         INTEGER NOT NULL,
  missing         INTEGER NOT NULL,
  reason          TEXT,
  rerun_low       REAL,
  rerun_high      REAL,
  market_low      REAL,
  market_high     REAL,
  made_up         INTEGER NOT NULL,
  PRIMARY KEY (organization, tracker, day, version, number)
) WITHOUT ROWID;

-- Views for other programs, like report_answers (docs/exports.md).
CREATE VIEW report_mentions AS
SELECT r.organization, r.tracker, t.name AS tracker_name, r.answer, r.sweep, s.slot,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.asked_at / 1000.0, 'unixepoch') AS asked_at, r.prompt_id, r.target, r.surface,
  r.via, r.rules, r.brand, r.name, r.kind, r.found_in, r.found_index, r.start_byte, r.end_byte, r.position,
  r.list_rank, r.domains
FROM exported_mentions r
JOIN export_days d ON d.organization = r.organization AND d.tracker = r.tracker AND d.day = r.day AND d.shown = r.version
JOIN trackers t ON t.organization = r.organization AND t.id = r.tracker
LEFT JOIN sweeps s ON s.organization = r.organization AND s.tracker = r.tracker AND s.id = r.sweep
WHERE t.state <> 'deleting';

CREATE VIEW report_citations AS
SELECT r.organization, r.tracker, t.name AS tracker_name, r.answer, r.sweep, s.slot,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.asked_at / 1000.0, 'unixepoch') AS asked_at, r.prompt_id, r.target, r.surface,
  r.via, r.rules, r.url, r.domain, r.type, r.position
FROM exported_citations r
JOIN export_days d ON d.organization = r.organization AND d.tracker = r.tracker AND d.day = r.day AND d.shown = r.version
JOIN trackers t ON t.organization = r.organization AND t.id = r.tracker
LEFT JOIN sweeps s ON s.organization = r.organization AND s.tracker = r.tracker AND s.id = r.sweep
WHERE t.state <> 'deleting';

CREATE VIEW report_metrics AS
SELECT r.organization, r.tracker, t.name AS tracker_name, r.sweep, r.slot,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.due_at / 1000.0, 'unixepoch') AS due_at, r.rules, r.metric, r.brand, r.target,
  r.surface, r.via, r.merchant, r.product, r.currency, r.block, r.value, r.lowest, r.median_position,
  r.numerator, r.denominator, r.answers, r.missing, r.reason, r.rerun_low, r.rerun_high, r.market_low,
  r.market_high, r.made_up
FROM exported_metrics r
JOIN export_days d ON d.organization = r.organization AND d.tracker = r.tracker AND d.day = r.day AND d.shown = r.version
JOIN trackers t ON t.organization = r.organization AND t.id = r.tracker
WHERE t.state <> 'deleting';
