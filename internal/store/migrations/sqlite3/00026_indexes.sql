-- +goose Up

-- For queries that read a whole table until now: what upstreams cost today, old tickets, and what
-- judges of a tracker cost in a month.
CREATE INDEX upstream_usage_day ON upstream_usage (day);
CREATE INDEX tickets_closed ON tickets (submitted_at) WHERE state NOT IN ('submitting', 'open');
CREATE INDEX reviews_judge_month ON reviews (organization, tracker, judge_month) WHERE judge_month IS NOT NULL;
