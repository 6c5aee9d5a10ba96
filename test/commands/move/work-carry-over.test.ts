import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { spell } from '../../../src/base/words.ts';
import type { MoveChoices } from '../../../src/commands/move/input.ts';
import { carriedWords, carry, missingFacts } from '../../../src/commands/move/work-carry-over.ts';

const question = (name: string, position: number, more: Json = {}): Json => ({
  name,
  position,
  enabled: true,
  required: true,
  answer_choices: [],
  include_other: false,
  ...more,
});

const type: Json = {
  uri: 'https://api.example.com/event_types/T1',
  duration: 30,
  pooling_type: null,
  custom_questions: [
    question('Topic', 0),
    question('Size', 1, { answer_choices: ['small', 'large'] }),
    question('Hidden', 2, { enabled: false }),
  ],
};
const event: Json = {
  event_type: type.uri,
  start_time: '2026-12-01T09:00:00Z',
  end_time: '2026-12-01T09:30:00Z',
  meeting_notes_plain: null,
  location: { type: 'physical', location: 'Room 4', join_url: null },
};
const answers = [
  { question: 'Topic', answer: 'Pricing', position: 5 },
  { question: 'Size', answer: 'small', position: 1 },
];
const ada: Json = {
  email: 'ada@example.com',
  name: 'Ada Byron',
  first_name: 'Ada',
  last_name: 'Byron',
  timezone: 'Europe/London',
  questions_and_answers: answers,
  tracking: { utm_source: 'news', utm_term: null },
  text_reminder_number: null,
  payment: null,
  no_show: null,
};
const bodyOf = (invitee: Json, choices: MoveChoices = {}) => carry(event, type, invitee, choices).body;

describe('a booking at the new time', () => {
  test('keeps name, zone, answers, place and tracking, with the positions that the questions have now', () => {
    expect(bodyOf(ada)).toEqual({
      event_type: type.uri,
      invitee: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Byron', timezone: 'Europe/London' },
      custom_questions: [{ ...answers[0], position: 0 }, answers[1]],
      location: { kind: 'physical', location: 'Room 4' },
      tracking: { utm_source: 'news' },
    });
  });

  test.each([
    [{ first_name: null }, { name: 'Ada Byron' }],
    [{ last_name: null }, { first_name: 'Ada' }],
    [{ first_name: null, last_name: null, name: '' }, { name: 'ada@example.com' }],
  ])('needs some name: %j', (names, sent) => {
    const { email: _, timezone: __, ...rest } = bodyOf({ ...ada, ...names }).invitee;
    expect(rest).toEqual(sent);
  });

  test('has another kind of place if asked for, and none if there was none', () => {
    expect(bodyOf(ada, { locationKind: 'zoom_conference' }).location).toEqual({ kind: 'zoom_conference' });
    expect(carry({ ...event, location: null }, type, ada, {}).body).not.toHaveProperty('location');
  });

  test('drops and names answers to questions that are gone, and to choices that are no longer offered', () => {
    const old = [...answers, { question: 'Old?', answer: 'x', position: 2 }, { question: 'Hidden', answer: 'y' }];
    expect(carry(event, type, { ...ada, questions_and_answers: old }, {})).toMatchObject({
      droppedQuestions: ['Old?', 'Hidden'],
      openQuestions: [],
    });
    const medium = { ...ada, questions_and_answers: [answers[0], { question: 'Size', answer: 'medium' }] };
    expect(carry(event, type, medium, {})).toMatchObject({ droppedQuestions: ['Size'], openQuestions: ['Size'] });
    expect(carry(event, type, medium, { answer: ['Size=large', 'Topic=Other'] }).body.custom_questions).toEqual([
      { ...answers[0], position: 0 },
      { question: 'Size', answer: 'large', position: 1 },
    ]);
  });

  test('keeps an answer in own words where the question takes others than its choices', () => {
    const open = question('Size', 1, { answer_choices: ['small', 'large'], include_other: true });
    const medium = { ...ada, questions_and_answers: [{ question: 'Size', answer: 'medium' }] };
    const carried = carry(event, { ...type, custom_questions: [open] }, medium, {});
    expect(carried.droppedQuestions).toEqual([]);
    expect(carried.body.custom_questions).toEqual([{ question: 'Size', answer: 'medium', position: 1 }]);
  });

  test('survives a service that sends other types', () => {
    const odd = { email: 'a@example.com', name: 7, questions_and_answers: 'none', tracking: null, timezone: 3 };
    expect(bodyOf(odd)).toEqual({
      event_type: type.uri,
      invitee: { email: 'a@example.com', name: 'a@example.com', timezone: undefined },
      location: { kind: 'physical', location: 'Room 4' },
    });
  });
});

test('all that is missing is named at once', () => {
  const people = [
    { ...ada, questions_and_answers: [] },
    { ...ada, timezone: null },
  ];
  const carried = (choices: MoveChoices) => people.map((each) => carry(event, type, each, choices));
  expect(missingFacts(type, carried({}), {}).map((each) => spell(each))).toEqual([
    `No answer to "Topic", "Size". Add --answer 'Question=Answer'`,
    "The service doesn't show the time zone of an invitee. Add --timezone",
  ]);
  const typed = { answer: ['Topic=a', 'Size=large'], timezone: 'Europe/Paris' };
  expect(missingFacts(type, carried(typed), typed)).toEqual([]);
  expect(spell(missingFacts(type, carried(typed), { answer: ['Topik=a'] })[0]!)).toContain('Did you mean "Topic"?');
});

test('the question says what is kept, new and lost', () => {
  expect(carriedWords(event, type, [carry(event, type, ada, {})])).toEqual({
    keeps: 'place, answers, tracking',
    changes: 'ID, cancel and reschedule links',
    lost: '',
  });
  const noted = {
    ...event,
    meeting_notes_html: '<p>x</p>',
    location: { type: 'zoom_conference', join_url: 'https://x' },
  };
  const marked = {
    ...ada,
    no_show: {},
    text_reminder_number: '+1',
    payment: {},
    tracking: {},
    questions_and_answers: [{ question: 'Old?', answer: 'x' }],
  };
  const shared = { ...type, duration: 45, pooling_type: 'round_robin' };
  expect(carriedWords(noted, shared, [carry(noted, shared, marked, {})])).toEqual({
    keeps: 'place',
    changes: 'ID, join link, cancel and reschedule links, length (45 minutes, not 30), maybe the host (round robin)',
    lost: 'notes, reminder number, no-show mark, payment, answers to "Old?"',
  });
});
