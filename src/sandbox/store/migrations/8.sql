-- The answers are part of the invitee's record now.
UPDATE invitees SET doc = json_insert(doc, '$.questions_and_answers', (
  SELECT json_group_array(json_object('question', a.question, 'answer', a.answer, 'position', a.position))
  FROM (SELECT * FROM answers WHERE invitee = invitees.id ORDER BY position) a));
DROP TABLE answers;
