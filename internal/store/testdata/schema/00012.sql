-- A ceiling of the key of the first organization, under which a call runs.

UPDATE organizations SET key_budgets = 1 WHERE id = '00000000-0000-7000-8000-00000000000a';

INSERT INTO key_budgets (organization, key_id, per_day, per_month, day, day_used, month_used, held, since) VALUES
  ('00000000-0000-7000-8000-00000000000a', 'aaaaaaaaaaaaaaaa', 100, 1000, 20370, 40, 40, 7, 1760000000000);
