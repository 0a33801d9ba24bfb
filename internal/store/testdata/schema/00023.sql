-- A user with an identity and a role, an invitation, a session, a share link, and an entry of the
-- audit log.

INSERT INTO users (id, email, name, password, created_at) VALUES
  ('u_aaaaaaaaaaaaaaaa', 'ana@example.com', 'Ana', '', 1760000000000);

INSERT INTO identities (issuer, subject, user_id, created_at) VALUES
  ('https://issuer.example', 'ana-1', 'u_aaaaaaaaaaaaaaaa', 1760000000000);

INSERT INTO members (organization, user_id, source, role, created_at) VALUES
  ('00000000-0000-7000-8000-00000000000c', 'u_aaaaaaaaaaaaaaaa', 'invitation', 'editor', 1760000000000);

INSERT INTO invitations (id, hash, organization, email, role, invited_by, created_at, expires_at, accepted_at, revoked_at) VALUES
  ('bbbbbbbbbbbbbbbb', '', '00000000-0000-7000-8000-00000000000c', 'ben@example.com', 'viewer', 'ana@example.com', 1760000001000, 1760600000000, NULL, NULL);

INSERT INTO sessions (id, hash, user_id, organization, provider, sealed, address, browser, created_at, seen_at, checked_at, expires_at, revoked_at) VALUES
  ('cccccccccccccccc', '', 'u_aaaaaaaaaaaaaaaa', '00000000-0000-7000-8000-00000000000c', 'google', '', '192.0.2.1', 'Firefox', 1760000002000, 1760000003000, 1760000002000, 1760040000000, NULL);

INSERT INTO share_links (id, hash, organization, tracker, title, first_day, last_day, days, password, created_by, created_at, expires_at, revoked_at, viewed_at, views) VALUES
  ('dddddddddddddddd', '', '00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000a1', 'For a client', '2025-10-01', '2025-10-07', 0, '', 'ana@example.com', 1760000004000, 1760600000000, NULL, 1760000005000, 3);

INSERT INTO audit_log (organization, id, at, actor_kind, actor, actor_name, action, subject, address, request, before, after) VALUES
  ('00000000-0000-7000-8000-00000000000c', '0199c82c-c000-7000-8000-0000000000e1', 1760000001000, 'user', 'u_aaaaaaaaaaaaaaaa', 'ana@example.com', 'user.invite', 'bbbbbbbbbbbbbbbb', '192.0.2.1', '0199c82c-c000-7000-8000-0000000000e2', NULL, '{"email":"ben@example.com"}');
