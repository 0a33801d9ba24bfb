-- +goose Up

-- People. An email is in lower case. password is an Argon2id hash, or empty for a person who signs
-- in with an identity provider only.
CREATE TABLE users (
  id         TEXT PRIMARY KEY,
  email      TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  password   TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Accounts at identity providers.
CREATE TABLE identities (
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) WITHOUT ROWID;
CREATE INDEX identities_user ON identities (user_id);

-- Who belongs to an organization. A person may have a role from an invitation and one from the
-- groups of each identity provider; the highest counts.
CREATE TABLE members (
  organization TEXT NOT NULL,
  user_id      TEXT NOT NULL,
  source       TEXT NOT NULL,  -- invitation, or the name of the identity provider
  role         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (organization, user_id, source)
) WITHOUT ROWID;
CREATE INDEX members_user ON members (user_id);

CREATE TABLE invitations (
  id           TEXT PRIMARY KEY,
  hash         BLOB NOT NULL,
  organization TEXT NOT NULL,
  email        TEXT NOT NULL,
  role         TEXT NOT NULL,
  invited_by   TEXT NOT NULL,  -- name of the key or email of the user
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  accepted_at  INTEGER,
  revoked_at   INTEGER
) WITHOUT ROWID;
CREATE INDEX invitations_organization ON invitations (organization, created_at);
CREATE INDEX invitations_email ON invitations (email);

-- Browsers that are signed in as a user.
CREATE TABLE sessions (
  id           TEXT PRIMARY KEY,
  hash         BLOB NOT NULL,
  user_id      TEXT NOT NULL,
  organization TEXT NOT NULL,  -- the one that its requests are about
  provider     TEXT NOT NULL,  -- name of the identity provider; empty after a sign-in with a password
  sealed       BLOB NOT NULL, -- tokens of the identity provider, encrypted with the secret of the cookie
  address      TEXT NOT NULL,
  browser      TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  seen_at      INTEGER NOT NULL,
  checked_at   INTEGER NOT NULL, -- when the identity provider last confirmed the user
  expires_at   INTEGER NOT NULL,
  revoked_at   INTEGER
) WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_organization ON sessions (organization);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Addresses at which anybody can read one tracker's report.
CREATE TABLE share_links (
  id           TEXT PRIMARY KEY,
  hash         BLOB NOT NULL,
  organization TEXT NOT NULL,
  tracker      TEXT NOT NULL,  -- id
  title        TEXT NOT NULL,
  first_day    TEXT,           -- of a fixed period; NULL if the link shows the last days
  last_day     TEXT,
  days         INTEGER NOT NULL,
  password     TEXT NOT NULL,  -- Argon2id hash, or empty
  created_by   TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  revoked_at   INTEGER,
  viewed_at    INTEGER,
  views        INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX share_links_organization ON share_links (organization, created_at);

-- Changes and sign-ins. Rows are never updated, and deleted after 400 days. The organization is the
-- nil UUID for sign-ins that were refused without a known organization.
CREATE TABLE audit_log (
  organization TEXT NOT NULL,
  id           TEXT NOT NULL,
  at           INTEGER NOT NULL,
  actor_kind   TEXT NOT NULL,
  actor        TEXT NOT NULL,
  actor_name   TEXT NOT NULL,
  action       TEXT NOT NULL,
  subject      TEXT NOT NULL,
  address      TEXT NOT NULL,
  request      TEXT NOT NULL,
  before       TEXT,           -- JSON: the fields that changed
  after        TEXT,
  PRIMARY KEY (organization, id)
) WITHOUT ROWID;
CREATE INDEX audit_log_at ON audit_log (at);
