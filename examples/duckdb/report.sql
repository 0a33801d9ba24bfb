-- Reads Parquet files of one tracker. Scheduled exports are read in the same way:
-- 's3://bucket/prefix/organization=*/tracker=demo/table=mentions/day=*/*.parquet'.

-- Share of answers that name each brand, by week and target.
WITH counted AS (
  SELECT id AS answer, target, date_trunc('week', askedAt) AS week FROM 'answers.parquet' WHERE outcome IN ('answered', 'refused')
), named AS (
  SELECT brand, target, week, COUNT(DISTINCT answer) AS named
  FROM 'mentions.parquet' JOIN counted USING (answer, target) WHERE kind <> 'absent' GROUP BY ALL
), totals AS (
  SELECT target, week, COUNT(*) AS answers FROM counted GROUP BY ALL
)
SELECT strftime(week, '%Y-%m-%d') AS week, target, brand, named, answers, round(named / answers, 3) AS share
FROM named JOIN totals USING (target, week) ORDER BY ALL;

-- Cited sites, and how many of the answers that cite them name the brand.
WITH named AS (SELECT DISTINCT answer, brand FROM 'mentions.parquet' WHERE brand = 'Ollaro' AND kind <> 'absent')
SELECT domain, type, COUNT(DISTINCT answer) AS answers, COUNT(DISTINCT answer) FILTER (brand IS NOT NULL) AS naming
FROM 'citations.parquet' LEFT JOIN named USING (answer)
GROUP BY ALL ORDER BY answers DESC, domain LIMIT 10;

-- The metrics as the service computes them, with the range that is expected if the prompts are asked again.
SELECT strftime(dueAt, '%Y-%m-%d') AS day, target, brand, round(value, 3) AS visibility, round(rerunLow, 3) AS low, round(rerunHigh, 3) AS high
FROM 'metrics.parquet' WHERE metric = 'visibility@m1' AND brand = 'Ollaro' ORDER BY ALL;
