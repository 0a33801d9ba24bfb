-- +goose Up

-- Answers of jobs, compared with answers to the same requests from a second upstream, or
-- from the same upstream asked again. Figures are in millionths, NULL if there was nothing
-- to compare.
CREATE TABLE shadow_pairs (
  organization     uuid NOT NULL,
  at               bigint NOT NULL,
  job              uuid NOT NULL,
  number           bigint NOT NULL,  -- distinguishes the pairs of a job
  provider         text NOT NULL,
  country          text NOT NULL,
  first_upstream   text NOT NULL,
  second_upstream  text NOT NULL,  -- equals first_upstream if that was asked again
  reason           text NOT NULL,  -- why the second request failed, empty if it was answered
  domains          bigint,
  brands           bigint,
  organic          bigint,
  fields           bigint,
  first_ms         bigint NOT NULL,
  second_ms        bigint NOT NULL,
  first_micro_usd  bigint NOT NULL,
  second_micro_usd bigint NOT NULL,
  PRIMARY KEY (organization, at, job, number)
);
CREATE INDEX shadow_pairs_at ON shadow_pairs (at);
