-- Records as another service sent them, in place of those that are put together from columns, and their order there. Only
-- a mirror has rows.
CREATE TABLE sent (kind TEXT NOT NULL, id TEXT NOT NULL, doc TEXT, rank INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, id)) WITHOUT ROWID;
