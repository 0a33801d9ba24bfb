-- Entries that are no charges, which have an index of their own.

INSERT INTO ledger (organization, id, at, kind, amount) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000c2', 1760000000600, 'adjust', 25),
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000c3', 1760000000700, 'lapse', -25);
