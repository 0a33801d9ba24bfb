-- Answers that name a brand ÷ the sum of answers that name each brand, by day.
SELECT v.tracker, v.tracker_name, v.day, v.brand, v.named / NULLIF(d.named, 0) AS share_of_voice
FROM {{ ref('daily_visibility') }} v
JOIN (SELECT tracker, day, SUM(named) AS named FROM {{ ref('daily_visibility') }} GROUP BY tracker, day) d
  ON d.tracker = v.tracker AND d.day = v.day
