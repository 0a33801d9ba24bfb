-- +goose Up

-- How many and which sweeps the change detectors of a tracker have processed.
ALTER TABLE trackers ADD COLUMN steps bigint NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN stepped integer NOT NULL DEFAULT 0;
CREATE INDEX sweeps_unstepped ON sweeps (organization, tracker, due_at) WHERE stepped = 0;

-- The state of the change detector for one metric of one brand on one target.
CREATE TABLE series (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  metric       text NOT NULL,
  brand        text NOT NULL,
  target       text NOT NULL,
  state        text NOT NULL,              -- JSON
  PRIMARY KEY (organization, tracker, metric, brand, target)
);

CREATE TABLE alerts (
  organization    uuid NOT NULL,
  tracker         uuid NOT NULL,
  id              uuid NOT NULL,
  kind            text NOT NULL,
  subject         text NOT NULL,           -- at most one alert of a kind and subject is open
  sweep           uuid NOT NULL,           -- the sweep that raised it
  raised_at       bigint NOT NULL,
  acknowledged_at bigint,
  acknowledged_by text,                    -- the id of a key
  content         text NOT NULL,           -- JSON
  PRIMARY KEY (organization, tracker, id)
);
CREATE UNIQUE INDEX alerts_open ON alerts (organization, tracker, kind, subject) WHERE acknowledged_at IS NULL;

-- Destinations of an organization's alerts.
CREATE TABLE channels (
  organization uuid NOT NULL,
  name         text NOT NULL,
  kind         text NOT NULL,
  settings     text NOT NULL,              -- JSON, with secrets
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  PRIMARY KEY (organization, name)
);

-- The alert of a delivery to a channel.
CREATE TABLE alert_deliveries (
  organization uuid NOT NULL,
  id           uuid NOT NULL,              -- of the delivery
  tracker      uuid NOT NULL,
  alert        uuid NOT NULL,
  channel      text NOT NULL,
  PRIMARY KEY (organization, id)
);
CREATE UNIQUE INDEX alert_deliveries_alert ON alert_deliveries (organization, tracker, alert, channel);
