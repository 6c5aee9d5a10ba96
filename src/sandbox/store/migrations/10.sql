-- What the service would send by email or text message. `about` is the URI of a record, without its origin.
CREATE TABLE notices (number INTEGER PRIMARY KEY, created_at TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('email', 'text')), "to" TEXT NOT NULL COLLATE NOCASE,
  kind TEXT NOT NULL, about TEXT NOT NULL, subject TEXT NOT NULL, details TEXT NOT NULL);
CREATE INDEX notices_about ON notices (about);

-- The user who hears when a deletion is done. Requests of older versions have none.
ALTER TABLE deletions ADD COLUMN requested_by TEXT REFERENCES users;
