import { weekdays } from '../../api/weekdays.ts';
import { fallBack } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import { flagName } from '../../base/words.ts';
import type { ChoiceList, FlagValue, Invocation } from '../../cli/command.ts';
import { givenEventType } from '../../cli/operation/event-type.ts';
import { choicesOf } from '../../cli/operation/name-lookup.ts';
import type { Asker } from '../../cli/session/asker.ts';
import type { Context } from '../../cli/session/context.ts';
import { readDays, readRule } from '../../time/read-rules.ts';
import { readZone } from '../../time/zone.ts';
import { changing } from './input.ts';
import { schedulesOf, todayIn } from './schedule-facts.ts';

const saysNoChange = ({ given }: Invocation): boolean => changing.every((key) => given[flagName(key)] === undefined);

/** The names of people by the IDs of their users. None if the token may not list them. */
const peopleById = async (context: Context): Promise<Map<string, string>> => {
  const people = await choicesOf('users', context).catch(fallBack([], 'forbidden', 'usage'));
  return new Map(people.map(({ value, words }) => [value, words.at(-1)!]));
};

/** The schedules of the event type, and whose they are. A command that says what to change means all of them. */
export const offerSchedules = async (invocation: Invocation): Promise<ChoiceList | undefined> => {
  if (!saysNoChange(invocation)) return undefined;
  const { context } = invocation;
  const { uri: type } = await givenEventType(invocation);
  const schedules = await schedulesOf(context, type);
  const people = schedules.length > 1 ? await peopleById(context) : new Map();
  const choices = schedules.map(({ uri, name, user, timezone }) => ({
    value: idIn(uri),
    label: [name ?? idIn(uri), people.get(idIn(user)), timezone].filter((part) => part).join(' · '),
  }));
  const all = { value: '', label: 'all of them' };
  const question = 'Which availability schedule?';
  return { question, choices: choices.length > 1 ? [...choices, all] : choices, isClosed: true };
};

type Read = (text: string) => { ok: boolean; problem?: string };

/** Asks for a text that the reader of its flag understands. */
const askFor = (asker: Asker, label: string, read: Read): Promise<string> =>
  asker.text({
    label,
    check: async (text) => {
      const { ok, problem } = read(text);
      return ok ? undefined : problem;
    },
  });

const changes: Record<string, (asker: Asker, today: () => string) => Promise<FlagValue[]>> = {
  'weekly hours': async (asker) => {
    const days = await asker.chooseSeveral(
      'Which days?',
      weekdays.map((value) => ({ value, label: value })),
    );
    const label = 'Hours (09:00-12:00,13:00-17:00 or off)';
    const hours = await askFor(asker, label, (text) => readRule(`monday ${text}`));
    return days.map((day) => ['rule', `${day} ${hours}`]);
  },
  'hours on a date': async (asker, today) => {
    const label = 'Date (2026-12-24, tomorrow, or 2026-12-24..2026-12-31)';
    const date = await askFor(asker, label, (text) => readDays(text, today));
    const hours = await askFor(asker, 'Hours (09:00-12:00,13:00-17:00)', (text) => readRule(`${date} ${text}`, today));
    return [['rule', `${date} ${hours}`]];
  },
  'a day off': async (asker, today) => {
    const label = 'Day (2026-12-24, tomorrow, 2026-12-24..2026-12-31, or friday for every week)';
    return [['day-off', await askFor(asker, label, (text) => readDays(text, today))]];
  },
  'the time zone': async (asker) => [['timezone', await askFor(asker, 'Time zone (Europe/Paris)', readZone)]],
};

/** Asks what to change, unless a flag says it. */
export const askChange = async (invocation: Invocation, ask: () => Promise<Asker>): Promise<FlagValue[]> => {
  if (!saysNoChange(invocation)) return [];
  const { context } = invocation;
  const today = (): string => todayIn(context, context.settings.zone);
  await context.askNow();
  const asker = await ask();
  const names = Object.keys(changes).map((name) => ({ value: name, label: name }));
  return changes[await asker.choose('What should change?', names)]!(asker, today);
};
