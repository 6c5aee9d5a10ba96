-- Lists of events by status, which would otherwise walk all events of the organization.
CREATE INDEX events_by_status ON events (organization, status, start_time, id);
