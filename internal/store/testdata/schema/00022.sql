-- The sources of the sweep's answers.

UPDATE tallies SET domains = unhex('28b52ffd04001100000100f1577fbf'), urls = unhex('28b52ffd04001100000100f1577fbf') WHERE organization = '00000000-0000-7000-8000-00000000000c';
