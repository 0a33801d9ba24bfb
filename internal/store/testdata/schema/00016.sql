-- The node says how many tasks it runs at once.

UPDATE nodes SET workers = 512;
