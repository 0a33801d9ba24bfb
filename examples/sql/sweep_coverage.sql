-- Answered ÷ planned of each sweep. Numbers of sweeps with a low coverage mean little.
SELECT tracker, tracker_name, due_at, state, planned, answered, missing, answered * 1.0 / NULLIF(planned, 0) AS coverage
FROM report_sweeps
ORDER BY tracker_name, due_at
