-- How often the fields of results were filled.

INSERT INTO extraction (hour, provider, field, seen, filled) VALUES
  (488888, 'chatassistant', 'text', 10, 9),
  (488889, 'chatassistant', 'text', 4, 4);
