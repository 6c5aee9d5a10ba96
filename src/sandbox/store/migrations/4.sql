-- Every request checks whether a deletion is due.
CREATE INDEX deletions_by_time ON deletions (due_at);
