-- A record is stored as the JSON the service returns. Generated columns extract the fields for filters and sorting, so
-- the two can't disagree. Facts that the API doesn't show have their own columns and tables.
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE organizations (id TEXT PRIMARY KEY, doc TEXT NOT NULL);

CREATE TABLE users (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  email TEXT AS (doc ->> 'email') VIRTUAL);
CREATE INDEX users_by_email ON users (email);

CREATE TABLE memberships (id TEXT PRIMARY KEY,
  user TEXT NOT NULL REFERENCES users, organization TEXT NOT NULL REFERENCES organizations,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'user')),
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE UNIQUE INDEX memberships_by_user ON memberships (user);
CREATE INDEX memberships_by_organization ON memberships (organization, created_at, id);

CREATE TABLE tokens (token TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users,
  created_at TEXT NOT NULL, expires_at TEXT) WITHOUT ROWID;

CREATE TABLE groups (id TEXT PRIMARY KEY, doc TEXT NOT NULL, organization TEXT NOT NULL REFERENCES organizations);
CREATE INDEX groups_by_organization ON groups (organization, id);
CREATE TABLE group_members ("group" TEXT NOT NULL REFERENCES groups, user TEXT NOT NULL REFERENCES users,
  PRIMARY KEY ("group", user)) WITHOUT ROWID;

CREATE TABLE event_types (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations,
  position INTEGER NOT NULL, invitee_limit INTEGER NOT NULL, locations TEXT NOT NULL,
  name TEXT AS (doc ->> 'name') VIRTUAL,
  active INTEGER AS (doc ->> 'active') VIRTUAL,
  created_at TEXT AS (doc ->> 'created_at') VIRTUAL,
  updated_at TEXT AS (doc ->> 'updated_at') VIRTUAL);
CREATE INDEX event_types_by_name ON event_types (organization, name, id);
CREATE TABLE event_type_hosts (event_type TEXT NOT NULL REFERENCES event_types, user TEXT NOT NULL REFERENCES users,
  PRIMARY KEY (event_type, user)) WITHOUT ROWID;
CREATE INDEX event_types_of_host ON event_type_hosts (user, event_type);

CREATE TABLE schedules (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  event_type TEXT NOT NULL REFERENCES event_types, user TEXT NOT NULL REFERENCES users);
CREATE UNIQUE INDEX schedules_by_event_type ON schedules (event_type, user);

CREATE TABLE events (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations, event_type TEXT NOT NULL REFERENCES event_types,
  status TEXT AS (doc ->> 'status') VIRTUAL,
  start_time TEXT AS (doc ->> 'start_time') VIRTUAL,
  end_time TEXT AS (doc ->> 'end_time') VIRTUAL);
CREATE INDEX events_by_start ON events (organization, start_time, id);
CREATE INDEX events_of_type ON events (event_type, start_time);
CREATE TABLE event_hosts (user TEXT NOT NULL REFERENCES users, start_time TEXT NOT NULL,
  event TEXT NOT NULL REFERENCES events, PRIMARY KEY (user, start_time, event)) WITHOUT ROWID;
CREATE INDEX hosts_of_event ON event_hosts (event);
CREATE TABLE cancellations (event TEXT PRIMARY KEY REFERENCES events, canceled_by TEXT NOT NULL REFERENCES users,
  reason TEXT, created_at TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE invitees (id TEXT PRIMARY KEY, doc TEXT NOT NULL, event TEXT NOT NULL REFERENCES events,
  email TEXT COLLATE NOCASE AS (doc ->> 'email') VIRTUAL,
  status TEXT AS (doc ->> 'status') VIRTUAL,
  created_at TEXT AS (doc ->> 'created_at') VIRTUAL);
CREATE INDEX invitees_of_event ON invitees (event, created_at, id);
CREATE INDEX invitees_by_email ON invitees (email, event);
CREATE TABLE answers (invitee TEXT NOT NULL REFERENCES invitees, position INTEGER NOT NULL,
  question TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (invitee, position)) WITHOUT ROWID;
