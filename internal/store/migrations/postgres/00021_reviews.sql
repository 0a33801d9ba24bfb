-- +goose Up

-- Statements about own brands that a person should look at. Equal statements of several answers
-- are one row.
CREATE TABLE reviews (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  id           uuid NOT NULL,     -- a hash of the statement
  brand        text NOT NULL,
  kind         text NOT NULL,     -- warning, negation or fact
  fact         text,              -- name of the fact; NULL unless kind is fact, as the next two
  expected     text,
  found        text,
  state        text NOT NULL,     -- open, right, wrong or resolved
  note         text,
  marked_at    bigint,
  marked_by    text,              -- id of the key that set the state
  last_seen    bigint NOT NULL,
  judge_task     uuid,            -- task that asks a model; NULL unless the tracker has a judge
  judge_month    text,            -- month whose ceiling the task counts against
  judge_cost     bigint,          -- the most that the task can cost, or its charge when it has ended
  opinion        text,            -- of the model: problem, fine, unsure, or empty if the task failed
  opinion_reason text,
  opinion_model  text,
  PRIMARY KEY (organization, tracker, id)
);
CREATE INDEX reviews_judged ON reviews (judge_task) WHERE judge_task IS NOT NULL AND opinion IS NULL;
CREATE INDEX reviews_seen ON reviews (organization, tracker, last_seen, id);

-- Answers that contain such a statement. They are deleted with the answer.
CREATE TABLE review_findings (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  answer       uuid NOT NULL,
  review       uuid NOT NULL,
  sweep        uuid NOT NULL,
  prompt       bigint NOT NULL,
  target       bigint NOT NULL,
  asked_at     bigint NOT NULL,
  content      text NOT NULL,     -- JSON: the sentence and the words that matched
  PRIMARY KEY (organization, tracker, answer, review)
);
CREATE INDEX review_findings_review ON review_findings (organization, tracker, review, answer);
CREATE INDEX review_findings_sweep ON review_findings (organization, tracker, sweep);

-- Ended sweeps whose answers were reviewed, and the rules by which they were.
CREATE TABLE reviewed_sweeps (
  organization uuid NOT NULL,
  tracker      uuid NOT NULL,
  sweep        uuid NOT NULL,
  rules        bigint NOT NULL,   -- version of the tracker's rules
  version      bigint NOT NULL,   -- of the tracker's definition
  code         bigint NOT NULL,   -- version of the word lists
  facts        text NOT NULL,     -- hash of the facts in the definition
  judged       bigint NOT NULL,   -- 0 while a model has to be asked about its new reviews
  PRIMARY KEY (organization, tracker, sweep)
);
CREATE INDEX reviewed_sweeps_unjudged ON reviewed_sweeps (organization, tracker, sweep) WHERE judged = 0;
