-- +goose Up

-- Jobs are counted when they end: permanently by day in usage, and here by hour and latency for
-- as long as the API shows them.
CREATE TABLE statistics (
  organization TEXT NOT NULL,
  hour         INTEGER NOT NULL,  -- since 1970
  provider     TEXT NOT NULL,
  ms           INTEGER NOT NULL,  -- latency, rounded down; -1 for jobs that never started
  jobs         INTEGER NOT NULL,
  failed       INTEGER NOT NULL,
  PRIMARY KEY (organization, hour, provider, ms)
) WITHOUT ROWID;

-- Until now, usage had only the jobs that were deleted.
INSERT INTO usage (organization, day, provider, completed, failed, charged)
  SELECT organization, finished_at / 86400000, provider,
    SUM(CASE status WHEN 'COMPLETED' THEN 1 ELSE 0 END), SUM(CASE status WHEN 'COMPLETED' THEN 0 ELSE 1 END), SUM(charged)
  FROM finished WHERE true GROUP BY organization, finished_at / 86400000, provider
  ON CONFLICT (organization, day, provider) DO UPDATE SET
    completed = usage.completed + excluded.completed, failed = usage.failed + excluded.failed, charged = usage.charged + excluded.charged;

INSERT INTO statistics (organization, hour, provider, ms, jobs, failed)
  SELECT organization, hour, provider, rounded, COUNT(*), SUM(failed) FROM (
    SELECT organization, hour, provider, failed, CASE
      WHEN ms IS NULL THEN -1
      WHEN ms < 0 THEN 0
      WHEN ms < 200 THEN ms
      WHEN ms < 2000 THEN ms / 10 * 10
      WHEN ms < 20000 THEN ms / 100 * 100
      WHEN ms < 200000 THEN ms / 1000 * 1000
      WHEN ms < 2000000 THEN ms / 10000 * 10000
      ELSE 2000000 END AS rounded
    FROM (
      SELECT organization, finished_at / 3600000 AS hour, provider, finished_at - started_at AS ms,
        CASE status WHEN 'COMPLETED' THEN 0 ELSE 1 END AS failed
      FROM finished) AS ended) AS times
  GROUP BY organization, hour, provider, rounded;
