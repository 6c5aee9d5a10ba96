import * as fc from 'fast-check';
import { SchedError } from '../../src/base/errors.ts';
import type { Argument, Command, Flag, Invocation } from '../../src/cli/command.ts';
import type { Given, Raw } from '../../src/cli/input/given.ts';
import { howOf } from '../../src/cli/input/input.ts';
import type { How, Kind } from '../../src/cli/input/kind.ts';
import type { Problems } from '../../src/cli/messages/problems.ts';
import { noAccount } from '../../src/cli/messages/suggested-line.ts';
import { nouns } from '../../src/commands/registry.ts';
import { commandsOf } from '../../src/commands/schema/command.ts';
import { someday, virtualClock } from '../support/run.ts';

/** All commands, with their full names. */
export const allCommands = async (): Promise<[name: string, command: Command][]> =>
  (await Promise.all(Object.keys(nouns).map((noun) => commandsOf(noun, { nouns, findNoun: () => noun })))).flat();

const root = 'http://127.0.0.1:4010';

/** A call at a service that has no records, as far as inputs look at one. */
export const callOf = (given: Given, problems: Problems, parts: Invocation['parts'] = []): Invocation =>
  ({
    name: '',
    given,
    parts,
    problems,
    help: async () => {},
    checkFields: () => {},
    world: {
      settings: { zone: 'Europe/Paris', zoneSource: '--tz', format: 'json', here: noAccount },
      now: async () => someday,
      runtime: {
        stdin: { isTerminal: false, bytes: async () => new Uint8Array() },
        clock: virtualClock(),
        interrupted: new AbortController().signal,
      },
      isTerminal: false,
      isNoted: false,
      canAsk: false,
      isForPeople: false,
      screen: undefined,
    },
    context: {
      settings: { zone: 'Europe/Paris', zoneSource: '--tz', here: noAccount },
      askNow: async () => someday,
      now: () => someday,
      runtime: {
        stdin: { isTerminal: false, bytes: async () => new Uint8Array() },
        clock: virtualClock(),
        env: {},
        home: '/dev/null/home',
        interrupted: new AbortController().signal,
        spawn: () => {},
      },
      notes: { info: () => {}, warn: () => {} },
      dialect: async () => undefined,
      connection: async () => ({ baseUrl: root }),
      identity: {
        root: async () => root,
        user: async () => `${root}/users/ME`,
        organization: async () => `${root}/organizations/OWN`,
        isTokenUser: async () => true,
        mayBeOther: async () => false,
      },
      client: async () => ({
        offers: () => true,
        call: async () => {
          throw new SchedError('not-found', 'Nothing is there');
        },
        pages: async function* () {
          yield [];
        },
      }),
    },
  }) as unknown as Invocation;

const isDraft = (value: object): value is { finish(): Promise<unknown> } => 'finish' in value;

/** What a function of a time or of a time zone returns. A time is no name of a zone. */
const resultOf = (value: (given: unknown) => unknown): unknown => {
  try {
    return value(someday);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return value('Europe/Paris');
  }
};

/** Values that can be compared: what a function returns, and what becomes of a draft. */
const settled = async (value: unknown): Promise<unknown> => {
  if (typeof value === 'function') return settled(resultOf(value as (given: unknown) => unknown));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return Promise.all(value.map(settled));
  if (isDraft(value)) return settled(await value.finish());
  // A command that the values choose.
  if ('run' in value && 'name' in value) return value.name;
  const all = Object.entries(value).map(async ([key, each]) => [key, await settled(each)]);
  return Object.fromEntries(await Promise.all(all));
};

/** Ends a run as soon as it has read its call. */
const stop = () => {
  throw new SchedError('usage', 'stopped');
};

/** What a command gets from a call: values, or all problems. Without its own draft, only what its run says at first. */
export const outcomeOf = async ({ run }: Command, call: Invocation, how: How = howOf(call)): Promise<unknown> => {
  const { problems, context } = call;
  if (run.draft === undefined) {
    await run({ ...call, problems: Object.assign(problems, { check: stop }) }).catch(() => {});
    return problems.texts;
  }
  try {
    const finish = await run.draft(call, how);
    return problems.texts.length > 0 ? problems.texts : await settled(await finish(context));
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
    return error.message;
  }
};

/** Texts that look like something else, and values that some kinds take. */
const texts = [
  'x',
  '--yes',
  '--limit=3',
  '<event>',
  'Zoë Ünïcøde ✓ 日本',
  'two words',
  'a@example.com',
  'Question=Answer',
  '+1h',
  '30m',
  '7',
  '-1',
  '0',
  'https://example.com/x',
  'created_at:desc',
  '2026-12-01',
  '2026-12-01T09:00:00Z',
  '90d',
];

const times = ['2026-12-01T09:00:00Z', '2026-12-01 09:00', 'tomorrow', '+2d', 'monday 10:00', 'someday', '2026-02-30'];
const zones = ['Europe/Paris', 'utc', 'Paris', 'Nowhere/Land'];
const references = [
  'JW6SHQTS78SH7TS8',
  'me',
  'current',
  'next',
  'a@example.com',
  `${root}/users/U1`,
  '/users',
  'Intro',
];
const numbers = [0, 1, 3, 30, 999_999, -1];

/** Right and wrong values of a kind. The first one is right. */
const rawsOf = ({ json, value, choices, suggestions = [], collection, offers, isMoment }: Kind): Raw[] => {
  if (json === 'boolean') return [true];
  if (choices !== undefined) return [...choices, 'other', `${choices[0]}x`];
  if (isMoment) return times;
  if (offers === 'zones') return zones;
  if (collection !== undefined) return [`${root}/${collection}/R1`, ...references];
  if (value === 'DURATION') return ['10s', '2m', '1s', 'often'];
  if (value === 'EMAIL') return ['a@example.com', ...texts];
  if (value?.startsWith('URL')) return ['https://example.com/x', ...texts];
  return [json].flat().includes('integer') ? [30, ...numbers, 'x', '1.5'] : [...suggestions, ...texts];
};

const kindFor = (parameter: Flag | Argument): Kind => {
  const { choices, suggestions, collection, names } = parameter;
  if ('kind' in parameter) return parameter.kind;
  return { json: 'string', choices, suggestions, collection, offers: names } as Partial<Kind> as Kind;
};

/** Values of a flag or an argument: a list, if it can be given several times. */
const valuesOf = (parameter: Flag | Argument, isRight: boolean): fc.Arbitrary<Raw | Raw[]> => {
  const raws = rawsOf(kindFor(parameter)).slice(0, isRight ? 1 : undefined);
  const one = fc.constantFrom(...raws, ...('negatable' in parameter && parameter.negatable ? [false] : []));
  const isMany = ('repeat' in parameter && parameter.repeat) || ('variadic' in parameter && parameter.variadic);
  return isMany ? fc.array(one, { minLength: 1, maxLength: 3 }) : one;
};

const isNeeded = ({ required, unless }: Partial<Pick<Flag, 'required' | 'unless'>>) =>
  required === true || unless !== undefined;

/**
 * What can be given to a command. An argument is known by its place, so the ones before it are given too. Half of the
 * calls have right values for all that the command needs.
 */
export const givenFor = ({ flags, arguments: args }: Command): fc.Arbitrary<Given> =>
  fc.boolean().chain((isWhole) => {
    const values = (parameters: (Flag | Argument)[]) =>
      fc.record(Object.fromEntries(parameters.map((each) => [each.name, valuesOf(each, isWhole && isNeeded(each))])));
    const least = isWhole ? args.filter(isNeeded).length : 0;
    return fc
      .tuple(
        fc.subarray(flags, { maxLength: Math.min(flags.length, isWhole ? 2 : 6) }),
        fc.nat({ max: args.length - least }),
        values(flags),
        values(args),
      )
      .map(([some, more, ofFlags, ofArguments]) => {
        const chosen = flags.filter((flag) => some.includes(flag) || (isWhole && isNeeded(flag)));
        return {
          ...Object.fromEntries(chosen.map(({ name }) => [name, ofFlags[name]])),
          ...Object.fromEntries(args.slice(0, least + more).map(({ name }) => [name, ofArguments[name]])),
        };
      });
  });
