-- The task that runs was started after those of the highest priorities, of which another came since.

UPDATE organizations SET front_priority = 9, front_id = '0199c82c-c7d0-7000-8000-000000000015' WHERE name = 'tasks';
