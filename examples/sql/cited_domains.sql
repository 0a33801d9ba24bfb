-- The sites that answers cite, the most frequent first.
SELECT tracker, tracker_name, domain, type, COUNT(DISTINCT answer) AS answers, COUNT(DISTINCT url) AS pages
FROM report_citations
GROUP BY tracker, tracker_name, domain, type
ORDER BY tracker_name, answers DESC, domain
