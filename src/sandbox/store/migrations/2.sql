-- The new columns are empty at first: the seed's second stage fills in the IDs of existing rows.
ALTER TABLE group_members ADD COLUMN id TEXT;
ALTER TABLE group_members ADD COLUMN role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'admin'));
ALTER TABLE group_members ADD COLUMN created_at TEXT;
CREATE UNIQUE INDEX group_members_by_id ON group_members (id);

ALTER TABLE event_type_hosts ADD COLUMN id TEXT;
ALTER TABLE event_type_hosts ADD COLUMN created_at TEXT;
CREATE UNIQUE INDEX event_type_hosts_by_id ON event_type_hosts (id);

ALTER TABLE event_types ADD COLUMN duration_options TEXT NOT NULL DEFAULT '[]';
ALTER TABLE event_types ADD COLUMN dates TEXT;

CREATE TABLE connected_locations (user TEXT NOT NULL REFERENCES users, kind TEXT NOT NULL,
  PRIMARY KEY (user, kind)) WITHOUT ROWID;

CREATE TABLE shares (id TEXT PRIMARY KEY, doc TEXT NOT NULL, event_type TEXT NOT NULL REFERENCES event_types);

CREATE TABLE invitations (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations,
  email TEXT COLLATE NOCASE AS (doc ->> 'email') VIRTUAL,
  status TEXT AS (doc ->> 'status') VIRTUAL,
  created_at TEXT AS (doc ->> 'created_at') VIRTUAL);
CREATE INDEX invitations_by_creation ON invitations (organization, created_at, id);

CREATE TABLE routing_forms (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations,
  created_at TEXT AS (doc ->> 'created_at') VIRTUAL);
CREATE INDEX routing_forms_by_creation ON routing_forms (organization, created_at, id);
CREATE TABLE submissions (id TEXT PRIMARY KEY, doc TEXT NOT NULL, form TEXT NOT NULL REFERENCES routing_forms,
  created_at TEXT AS (doc ->> 'created_at') VIRTUAL);
CREATE INDEX submissions_of_form ON submissions (form, created_at, id);

CREATE TABLE activity (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations,
  action TEXT AS (doc ->> 'action') VIRTUAL,
  namespace TEXT AS (doc ->> 'namespace') VIRTUAL,
  occurred_at TEXT AS (doc ->> 'occurred_at') VIRTUAL);
CREATE INDEX activity_by_time ON activity (organization, occurred_at, id);

CREATE TABLE deletions (id INTEGER PRIMARY KEY, organization TEXT NOT NULL REFERENCES organizations,
  emails TEXT NOT NULL, due_at TEXT NOT NULL);
