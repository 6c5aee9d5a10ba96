/**
 * The tables, as a list of migrations; `PRAGMA user_version` is the number already applied.
 * A record is stored as the JSON the service returns. Generated columns extract the fields for filters and sorting, so
 * the two can't disagree. Facts that the API doesn't show have their own columns and tables.
 */
const first = `
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
`;

/** The new columns are empty at first: the seed's second stage fills in the IDs of existing rows. */
const second = `
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
`;

/**
 * The dropped tokens, one per role, are added again by the seed's third stage. Secrets are stored as SHA-256 hashes.
 * A family is one login with all its refreshed tokens. Deleting it deletes all of them.
 */
const third = `
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
`;

/** Every request checks whether a deletion is due. */
const fourth = `
CREATE INDEX deletions_by_time ON deletions (due_at);
`;

/** Device logins (RFC 8628). The token endpoint is asked again and again until `decision` is set. */
const fifth = `
CREATE TABLE device_codes (hash TEXT PRIMARY KEY, user_code TEXT NOT NULL UNIQUE, client TEXT NOT NULL,
  scopes TEXT NOT NULL, expires_at TEXT NOT NULL, pause_seconds INTEGER NOT NULL, asked_at TEXT,
  decision TEXT CHECK (decision IN ('allow', 'deny', 'used')), user TEXT REFERENCES users) WITHOUT ROWID;
`;

/**
 * Webhook subscriptions. `owner` is the ID of the user, group or organization whose events they report. The signing key
 * is not part of the record: the service never shows it.
 */
const sixth = `
CREATE TABLE webhooks (id TEXT PRIMARY KEY, doc TEXT NOT NULL,
  organization TEXT NOT NULL REFERENCES organizations, owner TEXT NOT NULL, signing_key TEXT,
  scope TEXT AS (doc ->> 'scope') VIRTUAL,
  state TEXT AS (doc ->> 'state') VIRTUAL,
  callback_url TEXT AS (doc ->> 'callback_url') VIRTUAL,
  created_at TEXT AS (doc ->> 'created_at') VIRTUAL);
CREATE UNIQUE INDEX webhooks_by_owner ON webhooks (organization, scope, owner, callback_url);
`;

/**
 * Deliveries to webhooks. Only a waiting one has a `due_at`. `tries` counts the failures on schedule, `attempts` has all.
 * A process claims a delivery before sending it, so that two of them don't send it at the same time. A claim ends by the
 * system clock. `pid` belongs to a webhook that exists only while that process runs.
 */
const seventh = `
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
`;

/** The answers are part of the invitee's record now. */
const eighth = `
UPDATE invitees SET doc = json_insert(doc, '$.questions_and_answers', (
  SELECT json_group_array(json_object('question', a.question, 'answer', a.answer, 'position', a.position))
  FROM (SELECT * FROM answers WHERE invitee = invitees.id ORDER BY position) a));
DROP TABLE answers;
`;

const withoutOrigin = (column: string): string => `replace(${column}, '":"http://127.0.0.1:4010/', '":"/')`;

/** URIs are stored without their origin, which was always the same. The URL of a webhook is no URI of a record. */
const ninth = `
${'organizations users groups event_types schedules events invitees shares invitations routing_forms submissions activity'
  .split(' ')
  .map((table) => `UPDATE ${table} SET doc = ${withoutOrigin('doc')};`)
  .join('\n')}
UPDATE webhooks SET doc = json_set(${withoutOrigin('doc')}, '$.callback_url', doc ->> 'callback_url');
UPDATE deliveries SET subject = replace(subject, 'http://127.0.0.1:4010/', '/');
`;

/** Tables whose rows hold a record in `doc`, as the JSON the service replies with. */
export const recordTables = [
  'organizations',
  'users',
  'groups',
  'event_types',
  'schedules',
  'events',
  'invitees',
  'shares',
  'invitations',
  'routing_forms',
  'submissions',
  'activity',
  'webhooks',
] as const;

export const migrations: readonly string[] = [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth];

/** `schd` in ASCII: marks the SQLite file as a sandbox. */
export const applicationId = 0x73636864;
