-- Times of another service may have any format, so those of the windows have columns of their own.
DROP TABLE events;
CREATE TABLE events (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  organization TEXT NOT NULL, event_type TEXT NOT NULL,
  start_time TEXT NOT NULL, end_time TEXT,
  status TEXT AS (doc ->> 'status') VIRTUAL);
CREATE INDEX events_by_start ON events (organization, start_time, id);
CREATE INDEX events_by_status ON events (organization, status, start_time, id);
CREATE INDEX events_of_type ON events (event_type, start_time);
DROP TABLE activity;
CREATE TABLE activity (id TEXT PRIMARY KEY, doc TEXT NOT NULL, organization TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  action TEXT AS (doc ->> 'action') VIRTUAL,
  namespace TEXT AS (doc ->> 'namespace') VIRTUAL);
CREATE INDEX activity_by_time ON activity (organization, occurred_at, id);

-- What is known of each event: its digest at the service, when the list of events showed it last, when it ends, and the
-- digest and time at which its invitees were read, and whether there were too few.
CREATE TABLE mirror_events (event TEXT PRIMARY KEY, digest TEXT NOT NULL, pass INTEGER NOT NULL, ends INTEGER NOT NULL,
  read_digest TEXT, read_at INTEGER, is_short INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
-- The lists that were read. `status` and `refusal` are those of the service's refusal.
CREATE TABLE mirror_lists (list TEXT PRIMARY KEY, read_at INTEGER NOT NULL, count INTEGER NOT NULL,
  status INTEGER, refusal TEXT) WITHOUT ROWID;
-- The marks of people who are forgotten, which are no addresses.
CREATE TABLE mirror_forgotten (mac TEXT PRIMARY KEY) WITHOUT ROWID;
