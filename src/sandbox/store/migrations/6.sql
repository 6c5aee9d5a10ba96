-- Webhook subscriptions. `owner` is the ID of the user, group or organization whose events they report. The signing key
-- is not part of the record: the service never shows it.
CREATE TABLE webhooks (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations, owner TEXT NOT NULL, signing_key TEXT,
  scope TEXT AS (doc ->> 'scope') VIRTUAL,
  state TEXT AS (doc ->> 'state') VIRTUAL,
  callback_url TEXT AS (doc ->> 'callback_url') VIRTUAL,
  created_at TEXT AS (doc ->> 'created_at') VIRTUAL);
CREATE UNIQUE INDEX webhooks_by_owner ON webhooks (organization, scope, owner, callback_url);
