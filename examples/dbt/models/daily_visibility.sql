-- Share of answers that name a brand, by the day of the tracker's time zone.
SELECT tracker, tracker_name, substr(slot, 1, 10) AS day, brand,
  SUM(numerator) AS named, SUM(denominator) AS answers, SUM(numerator) / NULLIF(SUM(denominator), 0) AS visibility
FROM {{ source('earshot', 'report_metrics') }}
WHERE metric = 'visibility@m1'
GROUP BY tracker, tracker_name, substr(slot, 1, 10), brand
