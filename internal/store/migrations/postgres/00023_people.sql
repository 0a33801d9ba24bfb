-- +goose Up

-- People. An email is in lower case. password is an Argon2id hash, or empty for a person who signs
-- in with an identity provider only.
CREATE TABLE users (
  id         text PRIMARY KEY,
  email      text NOT NULL UNIQUE,
  name       text NOT NULL,
  password   text NOT NULL,
  created_at bigint NOT NULL
);

-- Accounts at identity providers.
CREATE TABLE identities (
  issuer     text NOT NULL,
  subject    text NOT NULL,
  user_id    text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);

-- Who belongs to an organization. A person may have a role from an invitation and one from the
-- groups of each identity provider; the highest counts.
CREATE TABLE members (
  organization uuid NOT NULL,
  user_id      text NOT NULL,
  source       text NOT NULL,  -- invitation, or the name of the identity provider
  role         text NOT NULL,
  created_at   bigint NOT NULL,
  PRIMARY KEY (organization, user_id, source)
);
CREATE INDEX members_user ON members (user_id);

CREATE TABLE invitations (
  id           text PRIMARY KEY,
  hash         bytea NOT NULL,
  organization uuid NOT NULL,
  email        text NOT NULL,
  role         text NOT NULL,
  invited_by   text NOT NULL,  -- name of the key or email of the user
  created_at   bigint NOT NULL,
  expires_at   bigint NOT NULL,
  accepted_at  bigint,
  revoked_at   bigint
);
CREATE INDEX invitations_organization ON invitations (organization, created_at);
CREATE INDEX invitations_email ON invitations (email);

-- Browsers that are signed in as a user.
CREATE TABLE sessions (
  id           text PRIMARY KEY,
  hash         bytea NOT NULL,
  user_id      text NOT NULL,
  organization uuid NOT NULL,  -- the one that its requests are about
  provider     text NOT NULL,  -- name of the identity provider; empty after a sign-in with a password
  sealed       bytea NOT NULL, -- tokens of the identity provider, encrypted with the secret of the cookie
  address      text NOT NULL,
  browser      text NOT NULL,
  created_at   bigint NOT NULL,
  seen_at      bigint NOT NULL,
  checked_at   bigint NOT NULL, -- when the identity provider last confirmed the user
  expires_at   bigint NOT NULL,
  revoked_at   bigint
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_organization ON sessions (organization);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Addresses at which anybody can read one tracker's report.
CREATE TABLE share_links (
  id           text PRIMARY KEY,
  hash         bytea NOT NULL,
  organization uuid NOT NULL,
  tracker      text NOT NULL,  -- id
  title        text NOT NULL,
  first_day    text,           -- of a fixed period; NULL if the link shows the last days
  last_day     text,
  days         bigint NOT NULL,
  password     text NOT NULL,  -- Argon2id hash, or empty
  created_by   text NOT NULL,
  created_at   bigint NOT NULL,
  expires_at   bigint NOT NULL,
  revoked_at   bigint,
  viewed_at    bigint,
  views        bigint NOT NULL
);
CREATE INDEX share_links_organization ON share_links (organization, created_at);

-- Changes and sign-ins. Rows are never updated, and deleted after 400 days. The organization is the
-- nil UUID for sign-ins that were refused without a known organization.
CREATE TABLE audit_log (
  organization uuid NOT NULL,
  id           uuid NOT NULL,
  at           bigint NOT NULL,
  actor_kind   text NOT NULL,
  actor        text NOT NULL,
  actor_name   text NOT NULL,
  action       text NOT NULL,
  subject      text NOT NULL,
  address      text NOT NULL,
  request      text NOT NULL,
  before       text,           -- JSON: the fields that changed
  after        text,
  PRIMARY KEY (organization, id)
);
CREATE INDEX audit_log_at ON audit_log (at);
