import { dice, type Roll } from '../random.ts';
import { dayMilliseconds, timestamp } from '../store/names.ts';
import type { World } from '../world/schema.ts';
import type { EventEntry } from './events.ts';
import people from './people.json' with { type: 'json' };

type FormEntry = NonNullable<World['forms']>[string];
type SubmissionEntry = NonNullable<FormEntry['submissions']>[number];
type Result = NonNullable<SubmissionEntry['result']>;

/** How many submissions each form gets, and where they lead: one destination per answer choice. */
const plans: Readonly<Record<string, { submissions: number; routes: Result[] }>> = {
  'Talk to us': {
    submissions: 34,
    routes: [
      { event_type: 'intro-call' },
      { event_type: 'support-call' },
      { event_type: 'contract-review' },
      { external_url: 'https://help.northlight.example/contact' },
    ],
  },
  'Partner programme': {
    submissions: 18,
    routes: [
      {
        custom_message:
          'Thank you! The programme is for teams of eleven or more. We will write to you if that changes.',
      },
      { event_type: 'partner-interview' },
      { external_url: 'https://northlight.example/partners?tier=gold' },
    ],
  },
  'Workshop – Anmeldung 2026 ✎': {
    submissions: 9,
    routes: [
      { event_type: 'open-workshop' },
      { event_type: 'open-workshop' },
      { custom_message: '日本語の回は準備中です。' },
    ],
  },
};

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

/** The first booking of this person for the event type they were routed to. */
const bookingOf = (events: readonly EventEntry[], email: string, { event_type: slug }: Result) =>
  events
    .filter(({ type }) => type === slug)
    .flatMap(({ invitees = [] }) => invitees.filter((invitee) => invitee.email === email))
    .sort((a, b) => (`${a.created}${a.id}` < `${b.created}${b.id}` ? -1 : 1))[0]?.id;

const inventOne = (
  form: FormEntry,
  routes: readonly Result[],
  events: readonly EventEntry[],
  at: number,
  roll: Roll,
) => {
  const person = people[roll(people.length)]!;
  const choice = roll(routes.length);
  const route = routes[choice]!;
  const texts = [
    person.name,
    person.email,
    form.questions[2]!.answer_choices![choice]!,
    remarks[roll(remarks.length)]!,
  ];
  const answers = form.questions.map(({ name }, index) => [name, texts[index]!] as const);
  return {
    created: timestamp(at),
    answers: Object.fromEntries(answers.filter(([, answer]) => answer !== '')),
    submitter: bookingOf(events, person.email, route),
    tracking: campaigns[roll(campaigns.length)]!,
    // Some people close the page before the end.
    result: roll(12) === 0 ? null : route,
  };
};

/** The forms of the demo with invented submissions. */
export const inventSubmissions = (forms: NonNullable<World['forms']>, events: readonly EventEntry[], now: number) => {
  const roll = dice(4_711);
  return Object.fromEntries(
    Object.entries(forms).map(([name, form]) => {
      const { submissions: count, routes } = plans[name] ?? { submissions: 0, routes: [] };
      const days = Number(/\d+/.exec(form.created ?? '')?.[0]);
      const step = (Math.min(days, 45) * dayMilliseconds) / (count + 1);
      const submissions = Array.from({ length: count }, (_, index) =>
        inventOne(form, routes, events, now - (index + 1) * step + roll(Math.floor(step / 2)), roll),
      );
      return [name, { ...form, submissions }];
    }),
  );
};
