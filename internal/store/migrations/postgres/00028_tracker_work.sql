-- +goose Up

-- Background work of trackers that is not done yet. A node leases it for one step at a time.
CREATE TABLE tracker_work (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  kind         text NOT NULL,    -- analyse, count or review
  wanted       bigint NOT NULL,  -- how often it was entered: it is done if this has not changed meanwhile
  lease        uuid,             -- of the step that a node does; NULL between steps
  free_at      bigint NOT NULL,  -- when a node may do the next step, by the database's clock
  served_at    bigint NOT NULL,  -- when the last step ended
  began_at     bigint,           -- when the first step began
  done         bigint NOT NULL,
  total        bigint NOT NULL,  -- 0 if unknown
  state        text,             -- JSON: where the next step goes on
  error        text,             -- of the last step, if it failed
  PRIMARY KEY (organization, tracker, kind)
);
CREATE INDEX tracker_work_next ON tracker_work (organization, served_at);
