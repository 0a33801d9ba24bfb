-- A key with a name, of the organization that did nothing.

INSERT INTO api_keys (id, organization, hash, scopes, created_at, name) VALUES
  ('dddddddddddddddd', '00000000-0000-7000-8000-00000000000b', unhex('66391cc68e90766d161a3eb03f60c02d4ddebf2cfb8ea47e31b82cb746236736'), 'read',
    1760000000000, 'dashboard of the shop');
