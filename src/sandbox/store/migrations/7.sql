-- Deliveries to webhooks. Only a waiting one has a `due_at`. `tries` counts the failures on schedule, `attempts` has all.
-- A process claims a delivery before sending it, so that two of them don't send it at the same time. A claim ends by the
-- system clock. `pid` belongs to a webhook that exists only while that process runs.
ALTER TABLE webhooks ADD COLUMN pid INTEGER;

CREATE TABLE deliveries (number INTEGER PRIMARY KEY, webhook TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event TEXT NOT NULL, subject TEXT NOT NULL, created_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  due_at TEXT, tries INTEGER NOT NULL DEFAULT 0, failing_since TEXT, claim TEXT, claimed_until INTEGER,
  body TEXT NOT NULL);
CREATE INDEX deliveries_of_webhook ON deliveries (webhook, number);
CREATE INDEX deliveries_due ON deliveries (webhook, due_at, number, claimed_until) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_failing ON deliveries (webhook, failing_since) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_subject ON deliveries (subject);

CREATE TABLE delivery_attempts (delivery INTEGER NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  number INTEGER NOT NULL, at TEXT NOT NULL, status INTEGER, error TEXT, milliseconds INTEGER NOT NULL,
  PRIMARY KEY (delivery, number)) WITHOUT ROWID;
