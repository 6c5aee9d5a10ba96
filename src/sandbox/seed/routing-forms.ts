import { idIn } from '../../uri.ts';
import { dice, type Roll } from '../random.ts';
import { dayMilliseconds, makeId, timestamp, uri } from '../store/names.ts';
import type { RoutingFormRecord, SubmissionRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Person, people } from './people.ts';
import { daysBefore, eventTypeId, organizationId } from './team.ts';

type FormQuestion = RoutingFormRecord['questions'][number];
type SubmissionResult = NonNullable<SubmissionRecord['result']>;

interface SeedForm {
  name: string;
  status: 'draft' | 'published';
  /** Days before today. */
  made: number;
  submissions: number;
  questions: Array<Omit<FormQuestion, 'uuid'>>;
  /** Destinations, one per answer choice. */
  routes: SubmissionResult[];
}

const toType = (slug: string): SubmissionResult => ({
  type: 'event_type',
  value: uri('event_types', eventTypeId(slug)),
});
const toPage = (value: string): SubmissionResult => ({ type: 'external_url', value });
const toWords = (value: string): SubmissionResult => ({ type: 'custom_message', value });

const ask = (name: string, type: string, required: boolean, answer_choices: string[] | null = null) => ({
  name,
  type,
  required,
  answer_choices,
});

const name = ask('Your name', 'name', true);
const email = ask('Your email address', 'email', true);
const words = ask('What should we know?', 'text', false);

const forms: readonly SeedForm[] = [
  {
    name: 'Talk to us',
    status: 'published',
    made: 200,
    submissions: 34,
    questions: [
      name,
      email,
      ask('What is it about?', 'select', true, ['A first talk', 'Support', 'A contract', 'Something else']),
      words,
    ],
    routes: [
      toType('intro-call'),
      toType('support-call'),
      toType('contract-review'),
      toPage('https://help.northlight.example/contact'),
    ],
  },
  {
    name: 'Partner programme',
    status: 'published',
    made: 140,
    submissions: 18,
    questions: [
      name,
      email,
      ask('How many people work with you?', 'radios', true, ['1 to 10', '11 to 100', 'more than 100']),
      words,
    ],
    routes: [
      toWords('Thank you! The programme is for teams of eleven or more. We will write to you if that changes.'),
      toType('partner-interview'),
      toPage('https://northlight.example/partners?tier=gold'),
    ],
  },
  {
    name: 'Workshop – Anmeldung 2026 ✎',
    status: 'published',
    made: 60,
    submissions: 9,
    questions: [name, email, ask('Sprache / Language', 'radios', true, ['Deutsch', 'English', '日本語']), words],
    routes: [toType('open-workshop'), toType('open-workshop'), toWords('日本語の回は準備中です。')],
  },
  {
    name: 'Candidate screening',
    status: 'draft',
    made: 12,
    submissions: 0,
    questions: [name, email, ask('Role', 'select', true, ['Advisor', 'Engineer']), words],
    routes: [toType('candidate-chat')],
  },
];

/** Free-text answers in many scripts. */
const remarks = [
  'We met at the trade fair in spring.',
  'Ich würde gern zuerst telefonieren – geht das?',
  'Можно на русском языке?',
  'هل يمكننا التحدث بالعربية؟',
  'ご都合のよい時間でお願いします。',
  '想了解一下价格和合同期限。',
  '주말에도 가능한가요?',
  'अगले सप्ताह बात करें?',
  'Θα ήθελα μια παρουσίαση.',
  'אפשר גם בערב?',
  'ขอใบเสนอราคาด้วยค่ะ',
  'Budget: < 10 000 €; "as soon as possible" & with, commas\nand a second line',
  '🙂👩‍👩‍👧‍👦',
  '',
];

const campaigns = [
  {},
  { utm_source: 'newsletter', utm_campaign: 'autumn' },
  { utm_source: 'search', utm_medium: 'cpc' },
];

/** The URI of the invitee if this person booked the event type they were routed to. */
const inviteeOf = (store: Store, { email: address }: Person, { type, value }: SubmissionResult): string | undefined => {
  if (type !== 'event_type') return undefined;
  return store.first<{ uri: string }>(
    `SELECT i.doc ->> 'uri' AS uri FROM invitees i JOIN events e ON e.id = i.event
     WHERE i.email = ? AND e.doc ->> 'event_type' = ? ORDER BY i.created_at, i.id LIMIT 1`,
    address,
    value,
  )?.uri;
};

const seedSubmission = (
  store: Store,
  form: SeedForm,
  record: RoutingFormRecord,
  at: number,
  id: string,
  roll: Roll,
) => {
  const person = people[roll(people.length)]!;
  const choice = roll(form.routes.length);
  const result = form.routes[choice]!;
  const chosen = form.questions[2]!.answer_choices![choice]!;
  const answers = [person.name, person.email, chosen, remarks[roll(remarks.length)]!];
  const invitee = inviteeOf(store, person, result);
  const submission: SubmissionRecord = {
    uri: uri('routing_form_submissions', id),
    routing_form: record.uri,
    questions_and_answers: record.questions
      .map(({ uuid, name: question }, index) => ({ question_uuid: uuid, question, answer: answers[index]! }))
      .filter(({ answer }) => answer !== ''),
    tracking: campaigns[roll(campaigns.length)]!,
    // Some people close the page before the end.
    result: roll(12) === 0 ? null : result,
    submitter: invitee ?? null,
    submitter_type: invitee ? 'Invitee' : null,
    created_at: timestamp(at),
    updated_at: timestamp(at),
  };
  store.insert('submissions', id, submission, { form: idIn(record.uri) });
};

export const seedRoutingForms = (store: Store, now: number) => {
  const roll = dice(4_711);
  for (const form of forms) {
    const id = makeId(`seed/routing-form/${form.name}`);
    const record: RoutingFormRecord = {
      uri: uri('routing_forms', id),
      organization: uri('organizations', organizationId),
      name: form.name,
      status: form.status,
      questions: form.questions.map((question, index) => ({
        uuid: makeId(`seed/question/${form.name}/${index}`),
        ...question,
      })),
      created_at: daysBefore(now, form.made),
      updated_at: daysBefore(now, Math.floor(form.made / 3)),
    };
    store.insert('routing_forms', id, record, { organization: organizationId });
    const step = (Math.min(form.made, 45) * dayMilliseconds) / (form.submissions + 1);
    for (let number = 1; number <= form.submissions; number++) {
      const at = now - number * step + roll(Math.floor(step / 2));
      seedSubmission(store, form, record, at, makeId(`seed/submission/${form.name}/${number}`), roll);
    }
  }
};
