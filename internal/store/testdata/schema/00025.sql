-- Counts of a layout version, when it was seen, the detector of a field, and a page that was kept.

INSERT INTO extraction_counts (hour, provider, layout, field, seen, filled) VALUES
  (488880, 'websearch/web', 'a1b2c3', 'text', 7, 6);

INSERT INTO extraction_seen (provider, kind, name, first_hour, last_hour) VALUES
  ('websearch/web', 'layout', 'a1b2c3', 488880, 488890),
  ('websearch/web', 'block', 'Quick facts', 488885, 488890);

INSERT INTO extraction_series (provider, layout, field, hour, state, acknowledged) VALUES
  ('websearch/web', 'a1b2c3', 'text', 488890, '{"seen":7}', 488000);

INSERT INTO kept_pages (provider, layout, reason, day, number, id, note, pages, kept_at) VALUES
  ('websearch/web', 'a1b2c3', 'layout', 20370, 1, 'kept-one', '', 2, 1760000000000);
