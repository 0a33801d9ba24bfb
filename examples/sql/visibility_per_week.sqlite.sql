-- Share of answers that name each brand, by week (SQLite).
SELECT tracker, tracker_name, date(due_at, 'weekday 0', '-6 days') AS week, brand,
  SUM(numerator) / NULLIF(SUM(denominator), 0) AS visibility, SUM(denominator) AS answers
FROM report_metrics
WHERE metric = 'visibility@m1'
GROUP BY tracker, tracker_name, date(due_at, 'weekday 0', '-6 days'), brand
ORDER BY tracker_name, week, brand
