-- URIs are stored without their origin, which was always the same. The URL of a webhook is no URI of a record.
UPDATE organizations SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE users SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE groups SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE event_types SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE schedules SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE events SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE invitees SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE shares SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE invitations SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE routing_forms SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE submissions SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE activity SET doc = replace(doc, '":"http://127.0.0.1:4010/', '":"/');
UPDATE webhooks SET doc = json_set(replace(doc, '":"http://127.0.0.1:4010/', '":"/'), '$.callback_url', doc ->> 'callback_url');
UPDATE deliveries SET subject = replace(subject, 'http://127.0.0.1:4010/', '/');
