-- Device logins (RFC 8628). The token endpoint is asked again and again until `decision` is set.
CREATE TABLE device_codes (hash TEXT PRIMARY KEY, user_code TEXT NOT NULL UNIQUE, client TEXT NOT NULL,
  scopes TEXT NOT NULL, expires_at TEXT NOT NULL, pause_seconds INTEGER NOT NULL, asked_at TEXT,
  decision TEXT CHECK (decision IN ('allow', 'deny', 'used')), user TEXT REFERENCES users) WITHOUT ROWID;
