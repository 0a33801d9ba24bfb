-- +goose Up

-- Claims search the whole queue again (docs/adr/0031-remove-optimisations-that-do-not-pay.md).
ALTER TABLE organizations DROP COLUMN front_priority;
ALTER TABLE organizations DROP COLUMN front_id;
