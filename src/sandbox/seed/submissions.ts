import { day } from '../../base/milliseconds.ts';
import { timestamp } from '../store/names.ts';
import type { EventEntry, FormEntry, SubmissionEntry, World } from '../world/schema.ts';
import invented from './invented.json' with { type: 'json' };
import { dice, type Roll } from './random.ts';

type Result = NonNullable<SubmissionEntry['result']>;

const { people, remarks, form_campaigns: campaigns } = invented;

/** How many submissions each form gets, and where they lead: one destination per answer choice. */
const forms: Readonly<Record<string, { submissions: number; routes: Result[] }>> = invented.forms;

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
export const inventSubmissions = (empty: NonNullable<World['forms']>, events: readonly EventEntry[], now: number) => {
  const roll = dice(4_711);
  return Object.fromEntries(
    Object.entries(empty).map(([name, form]) => {
      const { submissions: count, routes } = forms[name]!;
      const days = Number(/\d+/.exec(form.created ?? '')?.[0]);
      const step = (Math.min(days, 45) * day) / (count + 1);
      const submissions = Array.from({ length: count }, (_, index) =>
        inventOne(form, routes, events, now - (index + 1) * step + roll(Math.floor(step / 2)), roll),
      );
      return [name, { ...form, submissions }];
    }),
  );
};
