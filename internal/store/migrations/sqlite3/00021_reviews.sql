-- +goose Up

-- Statements about own brands that a person should look at. Equal statements of several answers
-- are one row.
CREATE TABLE reviews (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  id           TEXT NOT NULL,     -- a hash of the statement
  brand        TEXT NOT NULL,
  kind         TEXT NOT NULL,     -- warning, negation or fact
  fact         TEXT,              -- name of the fact; NULL unless kind is fact, as the next two
  expected     TEXT,
  found        TEXT,
  state        TEXT NOT NULL,     -- open, right, wrong or resolved
  note         TEXT,
  marked_at    INTEGER,
  marked_by    TEXT,              -- id of the key that set the state
  last_seen    INTEGER NOT NULL,
  judge_task     TEXT,            -- task that asks a model; NULL unless the tracker has a judge
  judge_month    TEXT,            -- month whose ceiling the task counts against
  judge_cost     INTEGER,          -- the most that the task can cost, or its charge when it has ended
  opinion        TEXT,            -- of the model: problem, fine, unsure, or empty if the task failed
  opinion_reason TEXT,
  opinion_model  TEXT,
  PRIMARY KEY (organization, tracker, id)
) WITHOUT ROWID;
CREATE INDEX reviews_judged ON reviews (judge_task) WHERE judge_task IS NOT NULL AND opinion IS NULL;
CREATE INDEX reviews_seen ON reviews (organization, tracker, last_seen, id);

-- Answers that contain such a statement. They are deleted with the answer.
CREATE TABLE review_findings (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  answer       TEXT NOT NULL,
  review       TEXT NOT NULL,
  sweep        TEXT NOT NULL,
  prompt       INTEGER NOT NULL,
  target       INTEGER NOT NULL,
  asked_at     INTEGER NOT NULL,
  content      TEXT NOT NULL,     -- JSON: the sentence and the words that matched
  PRIMARY KEY (organization, tracker, answer, review)
) WITHOUT ROWID;
CREATE INDEX review_findings_review ON review_findings (organization, tracker, review, answer);
CREATE INDEX review_findings_sweep ON review_findings (organization, tracker, sweep);

-- Ended sweeps whose answers were reviewed, and the rules by which they were.
CREATE TABLE reviewed_sweeps (
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,
  sweep        TEXT NOT NULL,
  rules        INTEGER NOT NULL,   -- version of the tracker's rules
  version      INTEGER NOT NULL,   -- of the tracker's definition
  code         INTEGER NOT NULL,   -- version of the word lists
  facts        TEXT NOT NULL,     -- hash of the facts in the definition
  judged       INTEGER NOT NULL,   -- 0 while a model has to be asked about its new reviews
  PRIMARY KEY (organization, tracker, sweep)
) WITHOUT ROWID;
CREATE INDEX reviewed_sweeps_unjudged ON reviewed_sweeps (organization, tracker, sweep) WHERE judged = 0;
