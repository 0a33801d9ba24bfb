-- Answers that name a brand ÷ the sum of answers that name each brand, by sweep.
SELECT tracker, tracker_name, due_at, brand,
  SUM(numerator) / NULLIF(SUM(denominator), 0) AS share_of_voice
FROM report_metrics
WHERE metric = 'shareOfVoice@m1'
GROUP BY tracker, tracker_name, due_at, brand
ORDER BY tracker_name, due_at, brand
