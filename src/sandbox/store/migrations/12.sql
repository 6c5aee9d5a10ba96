-- RFC 8707: the path of the resource that a login is for. Without one, it is for the API.
ALTER TABLE codes ADD COLUMN resource TEXT;
ALTER TABLE families ADD COLUMN resource TEXT;
ALTER TABLE access_tokens ADD COLUMN resource TEXT;

-- RFC 7591: clients that registered themselves. `redirect_uris` is a JSON array.
CREATE TABLE clients (id TEXT PRIMARY KEY, name TEXT NOT NULL, redirect_uris TEXT NOT NULL, created_at TEXT NOT NULL);
