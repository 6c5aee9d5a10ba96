-- Links of pages are stored without their origin, like URIs: the sandbox serves the pages itself.
UPDATE users SET doc = json_set(doc,
  '$.scheduling_url', replace(doc ->> 'scheduling_url', 'https://book.northlight.example/', '/book/'),
  '$.avatar_url', replace(replace(doc ->> 'avatar_url', 'https://book.northlight.example/', '/'), '.png', '.svg'));
UPDATE event_types SET doc = json_set(doc, '$.scheduling_url',
  replace(replace(doc ->> 'scheduling_url', 'https://book.northlight.example/d/', '/d/'), 'https://book.northlight.example/', '/book/'));
UPDATE invitees SET doc = replace(doc, '_url":"https://book.northlight.example/', '_url":"/');
UPDATE shares SET doc = replace(doc, '"booking_url":"https://book.northlight.example/', '"booking_url":"/');
