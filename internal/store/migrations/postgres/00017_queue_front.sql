-- +goose Up

-- The front of the queue: no queued task precedes this priority and id. A claim searches from
-- there and skips the dead index entries of tasks that were started before.
ALTER TABLE organizations
  ADD COLUMN front_priority smallint NOT NULL DEFAULT 32767,
  ADD COLUMN front_id       uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
