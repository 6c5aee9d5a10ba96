-- Links of pages are stored without their origin, like URIs: the sandbox serves the pages itself.
UPDATE users SET doc = json_set(doc,
  '$.scheduling_url', replace(doc ->> 'scheduling_url', 'https://book.northlight.example/', '/book/'),
  '$.avatar_url', replace(replace(doc ->> 'avatar_url', 'https://book.northlight.example/', '/'), '.png', '.svg'));
UPDATE event_types SET doc = json_set(doc, '$.scheduling_url',
  replace(replace(doc ->> 'scheduling_url', 'https://book.northlight.example/d/', '/d/'), 'https://book.northlight.example/', '/book/'));
UPDATE invitees SET doc = replace(doc, '_url":"https://book.northlight.example/', '_url":"/');
UPDATE shares SET doc = replace(doc, '"booking_url":"https://book.northlight.example/', '"booking_url":"/');

-- What invitees do on pages. A share is used by one invitee. The nonce of a form that was sent leads to its booking, so
-- that a form sent twice books once. An invitee is no user, so their cancellation has a table of its own.
ALTER TABLE shares ADD COLUMN used_by TEXT REFERENCES invitees;
CREATE TABLE submitted (nonce TEXT PRIMARY KEY, invitee TEXT NOT NULL REFERENCES invitees, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE invitee_cancellations (invitee TEXT PRIMARY KEY REFERENCES invitees, reason TEXT,
  created_at TEXT NOT NULL) WITHOUT ROWID;
