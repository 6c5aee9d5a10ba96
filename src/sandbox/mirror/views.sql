-- What `mirror sql` shows. The names are those of tables, so the views are temporary: they come first.
CREATE TEMP VIEW people AS SELECT id, doc ->> 'uri' AS uri, doc ->> 'name' AS name, doc ->> 'email' AS email,
  doc ->> 'timezone' AS timezone, doc FROM main.users;
CREATE TEMP VIEW event_types AS SELECT id, doc ->> 'uri' AS uri, name, active, doc ->> 'duration' AS duration,
  doc ->> 'slug' AS slug, doc ->> '$.profile.name' AS owner, doc FROM main.event_types;
CREATE TEMP VIEW events AS SELECT e.id, e.doc ->> 'uri' AS uri, e.doc ->> 'name' AS name, e.status, e.start_time, e.end_time,
  e.event_type AS event_type_id, e.doc ->> '$.event_memberships[0].user_name' AS host,
  e.doc ->> '$.event_memberships[0].user_email' AS host_email, e.doc ->> '$.invitees_counter.active' AS active_invitees,
  e.doc ->> '$.location.type' AS location, e.doc FROM main.events e;
CREATE TEMP VIEW invitees AS SELECT i.id, i.doc ->> 'uri' AS uri, i.event AS event_id, i.email, i.doc ->> 'name' AS name,
  i.status, i.doc ->> 'timezone' AS timezone, i.created_at, i.doc ->> '$.no_show' IS NOT NULL AS no_show,
  i.doc ->> 'rescheduled' AS rescheduled, i.doc ->> '$.tracking.utm_source' AS utm_source, i.doc FROM main.invitees i;
CREATE TEMP VIEW bookings AS SELECT i.id, i.email, i.name, i.status, i.no_show, i.timezone, i.created_at, e.id AS event_id,
  e.name AS event, e.status AS event_status, e.start_time, e.end_time, e.host, e.host_email, e.event_type_id
  FROM temp.invitees i JOIN temp.events e ON e.id = i.event_id;
CREATE TEMP VIEW submissions AS SELECT id, doc ->> 'uri' AS uri, form AS form_id, created_at,
  doc ->> '$.result.type' AS result, doc FROM main.submissions;
