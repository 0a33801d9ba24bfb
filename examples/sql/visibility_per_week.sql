-- Share of answers that name each brand, by week (PostgreSQL).
SELECT tracker, tracker_name, date_trunc('week', due_at) AS week, brand,
  SUM(numerator) / NULLIF(SUM(denominator), 0) AS visibility, SUM(denominator) AS answers
FROM report_metrics
WHERE metric = 'visibility@m1'
GROUP BY tracker, tracker_name, date_trunc('week', due_at), brand
ORDER BY tracker_name, week, brand
