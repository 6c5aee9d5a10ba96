import { describe, expect, expectTypeOf, test } from 'vitest';
import { asFlags, asProperties, the, words } from '../../../src/base/words.ts';
import type { Invocation } from '../../../src/cli/command.ts';
import type { Given } from '../../../src/cli/input/given.ts';
import { both, howOf, input, readCall, related, unless, type Values } from '../../../src/cli/input/input.ts';
import { choice, count, duration, file, moment, moving, text, toggle, zone } from '../../../src/cli/input/kinds.ts';
import { apart, excludes, needs, rule } from '../../../src/cli/input/relations.ts';
import { Problems } from '../../../src/cli/messages/problems.ts';

const now = Date.parse('2026-11-18T12:00:00Z');

/** A call with these values, as far as inputs look at one. */
const callOf = (given: Given, spelling = asFlags): Invocation => {
  const settings = { zone: 'Europe/Paris', zoneSource: 'TZ' };
  const world = { settings, now: async () => now, isTerminal: false };
  return { given, problems: new Problems(undefined, spelling), world, context: {} } as unknown as Invocation;
};

const entries = {
  event: text('an event', { place: 'argument', needed: true }),
  others: text('more events', { place: 'argument', many: true }),
  from: file('a file'),
  dryRun: toggle('a switch'),
  max: count('a number', { least: 1, most: 9 }),
  sort: choice(['name', 'time'], 'an order', { preset: 'name' }),
  every: duration('a pause', { such: '30s or 5m', least: '10s', preset: '10s' }),
  since: moment('a time', { edge: 'since', in: 'past' }),
  until: moving('an end', { edge: 'until', preset: '+1d', in: 'future' }),
  tz: zone('a zone'),
  answer: text('answers', { many: true }),
};

const whole = input(entries);

test('a command gets values of the types that its entries have', async () => {
  expectTypeOf<Values<typeof entries>>().toEqualTypeOf<{
    event: string;
    others: string[];
    from: string | undefined;
    dryRun: boolean;
    max: number | undefined;
    sort: 'name' | 'time';
    every: number;
    since: number | undefined;
    until: (now: number) => number;
    tz: string | undefined;
    answer: string[];
  }>();
  const values = await readCall(
    whole,
    callOf({
      event: 'E',
      others: ['F', 'G'],
      'dry-run': true,
      max: '3',
      since: '2026-11-18',
      tz: 'europe/paris',
      answer: ['a=b', 'c=d'],
    }),
  );
  const { until, ...rest } = values;
  expect(rest).toEqual({
    event: 'E',
    others: ['F', 'G'],
    from: undefined,
    dryRun: true,
    max: 3,
    sort: 'name',
    every: 10_000,
    since: Date.parse('2026-11-17T23:00:00Z'),
    tz: 'Europe/Paris',
    answer: ['a=b', 'c=d'],
  });
  // An offset moves along.
  expect(until(now + 5000) - until(now)).toBe(5000);
});

test('values in JSON are read as they are', async () => {
  const given = { event: 'E', max: 3, sort: 'time', 'dry-run': false };
  expect(await readCall(whole, callOf(given, asProperties))).toMatchObject({
    max: 3,
    sort: 'time',
    dryRun: false,
  });
});

const problemsOf = async (...given: Parameters<typeof callOf>): Promise<string[]> => {
  const call = callOf(...given);
  await whole.draft(call, howOf(call));
  return call.problems.texts;
};

test.each([
  [{ max: '10' }, '--max must be a whole number from 1 to 9, not "10"'],
  [{ sort: 'date' }, '--sort must be one of name, time, not "date"'],
  [{ every: 'often' }, '--every must be a duration such as 30s or 5m, not "often"'],
  [{ every: '9s' }, '--every must be at least 10s, not "9s"'],
  [{ since: '2030-01-01' }, '--since must be in the past, not "2030-01-01"'],
  [{ until: '2020-01-01' }, '--until must be in the future, not "2020-01-01"'],
])('%j is refused in words that name the flag', async (given, problem) => {
  expect(await problemsOf({ event: 'E', ...given } as Given)).toEqual([problem]);
});

test('all problems of a call are collected, in the words of the call', async () => {
  expect(await problemsOf({ max: '--sort', sort: 'x' }, asProperties)).toEqual([
    'Missing argument event',
    'max must be a whole number from 1 to 9, not "--sort"',
    'sort must be one of name, time, not "x"',
  ]);
});

test('each wrong one of several values is a problem', async () => {
  const call = callOf({ day: ['1', 'x', '2', '9'] });
  await input({ day: count('days', { most: 7, many: true }) }).draft(call, howOf(call));
  expect(call.problems.texts).toEqual([
    '--day must be a whole number from 0 to 7, not "x"',
    '--day must be a whole number from 0 to 7, not "9"',
  ]);
});

describe('relations', () => {
  const flags = { once: toggle(''), every: text(''), again: toggle(''), from: file('') };
  const issuesOf = async (relation: Parameters<typeof input<typeof flags>>[1], given: Given) => {
    const call = callOf(given);
    await input(flags, relation!).draft(call, howOf(call));
    return call.problems.texts;
  };

  test('name the values that clash, or that lack another one', async () => {
    const given = { once: true, every: '5m', again: true };
    expect(await issuesOf(apart(['once', 'every', 'again']), given)).toEqual([
      "--once, --every and --again can't be used together",
    ]);
    expect(await issuesOf(needs(['again'], ['from', 'once']), { again: true })).toEqual([
      '--again needs --from or --once',
    ]);
    expect(await issuesOf(excludes('from', ['every'], ': it has its own'), { from: 'f', every: '5m' })).toEqual([
      "--every can't be used with --from: it has its own",
    ]);
    const isLate = rule(['once'], (isGiven, how) =>
      isGiven('once') && how.settings.zone === 'Europe/Paris' ? [{ words: words`${the('once')} is late` }] : [],
    );
    expect(await issuesOf(isLate, { once: true })).toEqual(['--once is late']);
  });

  test('say nothing if all is well', async () => {
    expect(await issuesOf(apart(['once', 'every']), { once: true })).toEqual([]);
    expect(await issuesOf(needs(['again'], ['from']), { again: true, from: 'f' })).toEqual([]);
    expect(await issuesOf(excludes('from', ['every']), { every: '5m' })).toEqual([]);
  });

  test('can only name values that the input has', () => {
    // @ts-expect-error: there is no such value
    const wrong = input({ once: toggle('') }, apart(['once', 'never']));
    expect(wrong.flags.map(({ name }) => name)).toEqual(['once']);
  });
});

test('two inputs are one, with relations across, and one can leave out the other', async () => {
  const request = input({ email: text('', { needed: true }) });
  const own = input({ from: file('') });
  const all = related(both(unless(['from'], request), own), excludes('from', ['email']));
  expect(await readCall(all, callOf({ from: 'f' }))).toEqual({ from: 'f' });
  expect(await readCall(all, callOf({ email: 'e' }))).toEqual({ email: 'e', from: undefined });
  await expect(readCall(all, callOf({}))).rejects.toThrow('Missing required flag --email');
  await expect(readCall(all, callOf({ from: 'f', email: 'e' }))).rejects.toThrow("--email can't be used with --from");
});
