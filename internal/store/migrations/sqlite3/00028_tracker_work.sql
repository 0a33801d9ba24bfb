-- +goose Up

-- Background work of trackers that is not done yet. A node leases it for one step at a time.
CREATE TABLE tracker_work (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  kind         TEXT NOT NULL,    -- analyse, count or review
  wanted       INTEGER NOT NULL, -- how often it was entered: it is done if this has not changed meanwhile
  lease        TEXT,             -- of the step that a node does; NULL between steps
  free_at      INTEGER NOT NULL, -- when a node may do the next step, by the database's clock
  served_at    INTEGER NOT NULL, -- when the last step ended
  began_at     INTEGER,          -- when the first step began
  done         INTEGER NOT NULL,
  total        INTEGER NOT NULL, -- 0 if unknown
  state        TEXT,             -- JSON: where the next step goes on
  error        TEXT,             -- of the last step, if it failed
  PRIMARY KEY (organization, tracker, kind)
) WITHOUT ROWID;
CREATE INDEX tracker_work_next ON tracker_work (organization, served_at);
