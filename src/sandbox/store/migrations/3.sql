-- The dropped tokens, one per role, are added again by the seed's third stage. Secrets are stored as SHA-256 hashes.
-- A family is one login with all its refreshed tokens. Deleting it deletes all of them.
DROP TABLE tokens;

CREATE TABLE families (id INTEGER PRIMARY KEY, client TEXT NOT NULL, user TEXT NOT NULL REFERENCES users,
  scopes TEXT, created_at TEXT NOT NULL);

CREATE TABLE codes (hash TEXT PRIMARY KEY, client TEXT NOT NULL, redirect_uri TEXT NOT NULL, challenge TEXT NOT NULL,
  user TEXT NOT NULL REFERENCES users, scopes TEXT NOT NULL, expires_at TEXT NOT NULL, used_at TEXT,
  family INTEGER REFERENCES families ON DELETE CASCADE) WITHOUT ROWID;

CREATE TABLE access_tokens (hash TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users, scopes TEXT,
  family INTEGER REFERENCES families ON DELETE CASCADE, created_at TEXT NOT NULL, expires_at TEXT) WITHOUT ROWID;
CREATE INDEX access_tokens_of_family ON access_tokens (family);

CREATE TABLE refresh_tokens (hash TEXT PRIMARY KEY, family INTEGER NOT NULL REFERENCES families ON DELETE CASCADE,
  created_at TEXT NOT NULL, used_at TEXT) WITHOUT ROWID;
CREATE INDEX refresh_tokens_of_family ON refresh_tokens (family);

CREATE TABLE rate_windows (key TEXT PRIMARY KEY, opened INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
