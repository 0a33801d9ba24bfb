-- How often each site is cited, by sweep.
SELECT tracker, tracker_name, sweep, slot, domain, type, COUNT(*) AS citations, COUNT(DISTINCT answer) AS answers
FROM {{ source('earshot', 'report_citations') }}
GROUP BY tracker, tracker_name, sweep, slot, domain, type
