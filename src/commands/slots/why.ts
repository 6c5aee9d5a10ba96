import { eventTypes, type SentEventType } from '../../api/event-types.ts';
import { textOf } from '../../base/json.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import type { Picture } from '../../cli/answer/picture.ts';
import type { Command } from '../../cli/command.ts';
import { both, type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { moment } from '../../cli/input/kinds.ts';
import { genericCommand } from '../../cli/operation/generic-command.ts';
import { type RequestValues, requestInput } from '../../cli/operation/input.ts';
import type { Context } from '../../cli/session/context.ts';
import { hasRoom } from '../../cli/session/network.ts';
import { readIfPossible } from '../../client/change.ts';
import type { BlockStyle } from '../../output/block.ts';
import { humanText } from '../../output/cells.ts';
import { headingLines } from '../../output/heading.ts';
import type { View } from '../../output/view.ts';
import { pad, shorten, width, wrap } from '../../output/width.ts';
import { spanLabel } from '../../time/label.ts';
import { utcText } from '../../time/wall.ts';
import { peopleIn } from '../events/screen.ts';
import type { JudgedReason } from './free-slots.ts';
import type { Unchecked } from './hosts.ts';
import { type JudgedTime, judgeTime, nearestText, reasonWords } from './judge-time.ts';

const fields = ['start_time', 'verdict', 'reasons', 'nearest', 'unchecked'];

const whyView: View = { columns: [], id: 'start_time' };

/** A reason as data. A host with several schedules has one for each. */
const recordsOf = (reason: JudgedReason): object[] => {
  const { code } = reason;
  if (code === 'inactive' || code === 'past') return [{ code }];
  if (code === 'hours') return reason.hours.map((rule) => ({ code, host: reason.user, rule }));
  return [{ code, host: reason.user, event: reason.busy.event.uri }];
};

/** A line of the screen: a check that passed, one that didn't, or one that sched could not make. */
interface Check {
  mark: '✔' | '✗' | '?';
  /** The host it is about, or an empty text below a line that names them. */
  who?: string;
  text: string;
}

/** A host can have many events at a time. Names cost a request each. */
const mostNamed = 4;

/** The people of the events in the way, by the event's URI, as far as the rate limit has room. */
const readPeople = async (context: Context, reasons: readonly JudgedReason[]): Promise<Map<unknown, string>> => {
  const events = reasons.flatMap((reason) => ('busy' in reason ? [reason.busy.event] : []));
  const shownEvents = [...new Map(events.map((event) => [event.uri, event])).values()].slice(0, mostNamed);
  const people = new Map<unknown, string>();
  if (!(await hasRoom(context, shownEvents.length))) return people;
  for (const event of shownEvents) people.set(event.uri, (await readIfPossible(() => peopleIn(context, event))) ?? '');
  return people;
};

const checksOf = async (context: Context, { meeting, reasons, slot, times }: JudgedTime): Promise<Check[]> => {
  const words = (reason: JudgedReason, who?: string) => humanText(reasonWords(context, reason, meeting, who));
  const nameOf = (user: string) => humanText(times.nameOf(user));
  const failedReasons = reasons.filter(({ code }) => code === 'inactive' || code === 'past');
  const first: Check[] =
    failedReasons.length > 0
      ? failedReasons.map((reason) => ({ mark: '✗', text: words(reason) }))
      : [{ mark: '✔', text: 'active, in the future' }];
  // Events before now were not read.
  if (failedReasons.some(({ code }) => code === 'past')) return first;
  const last = times.unchecked.map(({ what, user, reason }: Unchecked): Check => {
    const text = humanText(`not checked: ${what} (${reason})`);
    return user === undefined ? { mark: '?', text } : { mark: '?', who: nameOf(user), text };
  });
  if (slot?.event !== undefined)
    return [...first, { mark: '✔', text: `joins an event with free seats: ${slot.invitees_remaining}` }, ...last];
  const hosts = times.hostsAt(meeting.start);
  const against = hosts.flatMap((host) => host.reasons);
  const people = await readPeople(context, against);
  const own = hosts.flatMap(({ user, reasons: all }): Check[] => {
    const isOpen = times.unchecked.some((each) => each.user === user);
    if (all.length === 0) return isOpen ? [] : [{ mark: '✔', who: nameOf(user), text: 'free' }];
    return all.map((reason, index) => {
      const names = 'busy' in reason ? people.get(reason.busy.event.uri) : undefined;
      return { mark: '✗', who: index === 0 ? nameOf(user) : '', text: words(reason, names) };
    });
  });
  return [...first, ...own, ...last];
};

const verdicts = { free: ['✔', 'free'], 'not-free': ['✗', 'not free'], unknown: ['?', 'unknown'] } as const;

/** What to know besides the checks: how many hosts are needed, whether `slots` lists the time, and free times near it. */
const whyNotes = (context: Context, type: SentEventType, judged: JudgedTime): string[] => {
  const { verdict, slot, nearest, meeting, times } = judged;
  const isAny = type.pooling_type === 'round_robin';
  const hosts = times.hostsAt(meeting.start).length > 1 ? [isAny ? 'Needs one host.' : 'Needs all hosts.'] : [];
  const isOff = verdict === 'free' && slot === undefined;
  const off = isOff ? ['`event-types slots` does not list it, because it is between two starts of its grid.'] : [];
  const near = nearest.length === 0 ? [] : [`Nearest free: ${nearestText(context, nearest, meeting.start)}.`];
  return [...hosts, ...off, ...near, 'The service checks once more when you book.'];
};

const longestName = 24;

const drawWhy = (
  title: readonly string[],
  verdict: JudgedTime['verdict'],
  checks: readonly Check[],
  notes: readonly string[],
  { paint, available, place }: BlockStyle,
): string => {
  const colors = { '✔': paint.done, '✗': paint.error, '?': paint.warning };
  const [mark] = verdicts[verdict];
  const said = verdicts[verdict].join(' ');
  const where = place?.() ?? '';
  const [name, ...facts] = title;
  const beside = available - width(said) - (where === '' ? 0 : width(' · sandbox'));
  const whole = title.join(' · ');
  const lines =
    width(whole) + 2 <= beside
      ? [`${paint.heading(pad(whole, beside))}${colors[mark](said)}${where}`]
      : [...headingLines(name!, facts, { paint, available, place: () => where }), colors[mark](said)];
  const names = Math.min(Math.max(...checks.map(({ who = '' }) => width(who))), longestName);
  const body = checks.flatMap(({ mark: sign, who, text }) => {
    const label = who === undefined ? '' : `${pad(shorten(who, names), names)}  `;
    const [first, ...more] = wrap(text, Math.max(20, available - 4 - width(label)));
    return [
      `  ${colors[sign](sign)} ${label}${first}`,
      ...more.map((line) => `    ${' '.repeat(width(label))}${line}`),
    ];
  });
  const rest = wrap(notes.join(' '), available - 2).map((line) => paint.faint(`  ${line}`));
  return [...lines, ...body, ...rest].map((line) => `${line}\n`).join('');
};

const spoken = { '✔': 'Yes', '✗': 'No', '?': 'Unknown' } as const;

const entries = {
  time: moment('start of the meeting, such as "2026-12-01 15:00" or "tomorrow 9am"', {
    place: 'argument',
    needed: true,
    offer: async () => ({ question: 'Which time?', choices: [], readOther: async (value) => ({ value }) }),
  }),
};

const runWhy = async (
  { time, request: { path, record: eventType } }: Values<typeof entries> & { request: RequestValues },
  { context }: Call,
): Promise<Answer> => {
  const { settings } = context;
  const type = eventType ?? (await (await context.client()).call(eventTypes.get, { path: path! }));
  const judgment = await judgeTime(context, type, time);
  const { meeting, verdict, reasons, nearest, times } = judgment;
  const start = utcText(meeting.start);
  const record = {
    start_time: start,
    verdict,
    reasons: reasons.flatMap(recordsOf),
    nearest: nearest.map((each) => utcText(each)),
    unchecked: times.unchecked,
  };
  const picture = async (): Promise<Picture> => {
    const when = spanLabel(start, utcText(meeting.end), settings.zone, context.now())!;
    const parts = [textOf(type.name, type.uri) ?? '', when, settings.zone].map(humanText);
    const checks = await checksOf(context, judgment);
    const notes = whyNotes(context, type, judgment);
    return {
      draw: (style) => ({ picture: drawWhy(parts, verdict, checks, notes, style) }),
      words: () =>
        [
          `${parts.join(', ')}: ${verdicts[verdict][1]}.`,
          ...checks.map(({ mark, who, text }) => `${spoken[mark]}: ${who ? `${who}, ` : ''}${text}.`),
          ...notes,
        ]
          .map((line) => `${line}\n`)
          .join(''),
    };
  };
  return { kind: 'picture', others: { kind: 'record', view: whyView, record }, picture };
};

export const why: Command = {
  name: 'why',
  summary: "Say why a time is or isn't free",
  ...taking(
    both(requestInput(eventTypes.get, [], genericCommand('why', eventTypes.get).arguments), input(entries)),
    runWhy,
  ),
  effect: 'read',
  fields,
  examples: [
    'event-types why "Intro call" "tomorrow 12:20"',
    'event-types why "Intro call" "friday 15:00" --tz Europe/Paris --json',
    "event-types why 'Intro call' 'monday 9am' --tz Europe/Berlin --jq .verdict",
  ],
  notes: [
    'sched checks what it can read: whether the event type is active, the hours of each host, and the active events of each host. It names every rule and event in the way, and the free times around it. The service checks once more when you book: it may also know other calendars, breaks or a minimum notice.',
    'The verdict is free, not-free or unknown, and the exit code is 0 for each. It is unknown if your token may not read the hours or events that decide. JSON has start_time, verdict, reasons (code: inactive, past, hours, seat or busy; host; rule; event), nearest and unchecked. The first reason is the one that the service would name.',
  ],
};
