-- +goose Up

-- Each attempt to export a day has a number. The views show the rows of the attempt in shown, so a
-- day of rows is written in small transactions and replaced at once. 0: no rows are shown.
ALTER TABLE export_days ADD COLUMN version bigint NOT NULL DEFAULT 0;
ALTER TABLE export_days ADD COLUMN shown bigint NOT NULL DEFAULT 0;
CREATE INDEX export_days_shown ON export_days (organization, tracker, day) WHERE shown > 0;

-- Rows of exported tables, for trackers with exports.sql. domains is a JSON array.
CREATE TABLE exported_mentions (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  day          bigint NOT NULL,
  version      bigint NOT NULL,
  number       bigint NOT NULL,
  answer       uuid NOT NULL,
  sweep        uuid NOT NULL,
  asked_at     bigint NOT NULL,
  prompt_id    bigint NOT NULL,
  target       text NOT NULL,
  surface      text NOT NULL,
  via          text,
  rules        text NOT NULL,
  brand        text NOT NULL,
  name         text NOT NULL,
  kind         text NOT NULL,
  found_in     text NOT NULL,
  found_index  bigint NOT NULL,
  start_byte   bigint NOT NULL,
  end_byte     bigint NOT NULL,
  position     bigint,
  list_rank    bigint,
  domains      text NOT NULL,
  PRIMARY KEY (organization, tracker, day, version, number)
);

CREATE TABLE exported_citations (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  day          bigint NOT NULL,
  version      bigint NOT NULL,
  number       bigint NOT NULL,
  answer       uuid NOT NULL,
  sweep        uuid NOT NULL,
  asked_at     bigint NOT NULL,
  prompt_id    bigint NOT NULL,
  target       text NOT NULL,
  surface      text NOT NULL,
  via          text,
  rules        text NOT NULL,
  url          text NOT NULL,
  domain       text NOT NULL,
  type         text NOT NULL,
  position     bigint NOT NULL,
  PRIMARY KEY (organization, tracker, day, version, number)
);

CREATE TABLE exported_metrics (
  organization    uuid NOT NULL,
  tracker         uuid NOT NULL,
  day             bigint NOT NULL,
  version         bigint NOT NULL,
  number          bigint NOT NULL,
  sweep           uuid NOT NULL,
  slot            text NOT NULL,
  due_at          bigint NOT NULL,
  rules           text NOT NULL,
  metric          text NOT NULL,
  brand           text,
  target          text NOT NULL,
  surface         text,
  via             text,
  merchant        text,
  product         text,
  currency        text,
  block           text,
  value           double precision,
  lowest          double precision,
  median_position double precision,
  numerator       double precision NOT NULL,
  denominator     double precision NOT NULL,
  answers         bigint NOT NULL,
  missing         bigint NOT NULL,
  reason          text,
  rerun_low       double precision,
  rerun_high      double precision,
  market_low      double precision,
  market_high     double precision,
  made_up         bigint NOT NULL,
  PRIMARY KEY (organization, tracker, day, version, number)
);

-- Views for other programs, like report_answers (docs/exports.md).
CREATE VIEW report_mentions AS
SELECT r.organization, r.tracker, t.name AS tracker_name, r.answer, r.sweep, s.slot,
  to_timestamp(r.asked_at / 1000.0) AS asked_at, r.prompt_id, r.target, r.surface, r.via, r.rules, r.brand,
  r.name, r.kind, r.found_in, r.found_index, r.start_byte, r.end_byte, r.position, r.list_rank, r.domains
FROM exported_mentions r
JOIN export_days d ON d.organization = r.organization AND d.tracker = r.tracker AND d.day = r.day AND d.shown = r.version
JOIN trackers t ON t.organization = r.organization AND t.id = r.tracker
LEFT JOIN sweeps s ON s.organization = r.organization AND s.tracker = r.tracker AND s.id = r.sweep
WHERE t.state <> 'deleting';

CREATE VIEW report_citations AS
SELECT r.organization, r.tracker, t.name AS tracker_name, r.answer, r.sweep, s.slot,
  to_timestamp(r.asked_at / 1000.0) AS asked_at, r.prompt_id, r.target, r.surface, r.via, r.rules, r.url,
  r.domain, r.type, r.position
FROM exported_citations r
JOIN export_days d ON d.organization = r.organization AND d.tracker = r.tracker AND d.day = r.day AND d.shown = r.version
JOIN trackers t ON t.organization = r.organization AND t.id = r.tracker
LEFT JOIN sweeps s ON s.organization = r.organization AND s.tracker = r.tracker AND s.id = r.sweep
WHERE t.state <> 'deleting';

CREATE VIEW report_metrics AS
SELECT r.organization, r.tracker, t.name AS tracker_name, r.sweep, r.slot,
  to_timestamp(r.due_at / 1000.0) AS due_at, r.rules, r.metric, r.brand, r.target, r.surface, r.via, r.merchant,
  r.product, r.currency, r.block, r.value, r.lowest, r.median_position, r.numerator, r.denominator, r.answers,
  r.missing, r.reason, r.rerun_low, r.rerun_high, r.market_low, r.market_high, r.made_up
FROM exported_metrics r
JOIN export_days d ON d.organization = r.organization AND d.tracker = r.tracker AND d.day = r.day AND d.shown = r.version
JOIN trackers t ON t.organization = r.organization AND t.id = r.tracker
WHERE t.state <> 'deleting';
