import { describe, expect, test } from 'vitest';
import { adviceText, commandHere, type Here, suggestedLine } from '../../../src/cli/messages/suggested-line.ts';
import { nouns } from '../../../src/commands/registry.ts';

const line = (here: Here, ...words: string[]) => commandHere({ settings: { here } }, ...words);

const commands: { words: string[]; isLocal: boolean; usesNone: boolean }[] = [];
for (const [noun, { leaf, commands: load }] of Object.entries(nouns))
  for (const { name, local } of await load())
    commands.push({
      words: leaf ? [noun] : [noun, name],
      isLocal: local === true,
      usesNone: local !== undefined || noun === 'sandbox',
    });

describe('a command for pasting', () => {
  const sandbox: Here = { sandbox: true, profile: 'work', zone: 'Asia/Tokyo' };
  const profile: Here = { sandbox: false, profile: 'work', zone: 'Asia/Tokyo' };

  test.each<[here: Here, words: string[], expected: string]>([
    [sandbox, ['events', 'list'], 'sched --sandbox events list --tz Asia/Tokyo'],
    [profile, ['events', 'list'], 'sched events list -p work --tz Asia/Tokyo'],
    [profile, ['events', 'cancel', 'E1', '--yes'], 'sched events cancel E1 -p work --yes --tz Asia/Tokyo'],
    [{ sandbox: false, profile: 'my work' }, ['users', 'me'], "sched users me -p 'my work'"],
    [{ sandbox: false }, ['events', 'list'], 'sched events list'],
    // What the words name already is not named again.
    [profile, ['events', 'list', '--tz', 'UTC'], 'sched events list -p work --tz UTC'],
    [profile, ['events', 'list', '--tz=UTC', '-p', 'home'], 'sched events list --tz=UTC -p home'],
    [profile, ['events', 'list', '--sandbox'], 'sched events list --sandbox --tz Asia/Tokyo'],
    // With a single profile that nobody named, there is no other account.
    [{ sandbox: false, profile: 'work', isOnly: true }, ['events', 'list'], 'sched events list'],
    [{ sandbox: false, profile: 'work', isOnly: true }, ['auth', 'login'], 'sched auth login -p work'],
    // A login and the checks of doctor are about a profile, its answers about the API come from the service.
    [sandbox, ['auth', 'login'], 'sched auth login'],
    [sandbox, ['doctor', '--network'], 'sched doctor --network'],
    [sandbox, ['doctor', '--api'], 'sched --sandbox doctor --api --tz Asia/Tokyo'],
    [profile, ['profiles', 'set', 'user', 'ID'], 'sched profiles set user ID -p work'],
    [profile, ['profiles', 'use', 'NAME'], 'sched profiles use NAME'],
    [sandbox, ['sandbox', 'reset'], 'sched sandbox reset'],
    [profile, ['compliance', 'verify', 'a.jsonl'], 'sched compliance verify a.jsonl'],
  ])('with %j names what %j lacks', (here, words, expected) => {
    expect(line(here, ...words)).toBe(expected);
  });

  test.each(commands)('leaves the account of $words out only if that command uses none', ({ words, usesNone }) => {
    const isSilent = (here: Here) => line(here, ...words) === `sched ${words.join(' ')}`;
    // The sandbox has no login to end.
    expect(isSilent({ sandbox: true }) && !usesNone && words.join(' ') !== 'auth logout').toBe(false);
    expect(isSilent({ sandbox: false, profile: 'work' }) && !usesNone).toBe(false);
  });

  const local = commands.filter(({ isLocal }) => isLocal).map(({ words }) => words);

  test.each(local)('leaves the account out for %s %s, which has none', (...words) => {
    // It says how to get deliveries from the sandbox.
    const knowsSandbox = words.join(' ') === 'webhooks listen';
    const isAboutProfile = ['auth', 'profiles'].includes(words[0]!);
    const sandboxed = line({ sandbox: true, zone: 'UTC' }, ...words);
    expect(sandboxed).toBe(knowsSandbox ? 'sched --sandbox webhooks listen --tz UTC' : `sched ${words.join(' ')}`);
    if (!knowsSandbox && !isAboutProfile) expect(line(profile, ...words)).toBe(sandboxed);
  });

  test('is written out in an advice', () => {
    const cancel = { command: ['events', 'cancel', 'E1'], flags: { reason: 'not well', yes: true, to: false } };
    expect(suggestedLine({ sandbox: true }, cancel)).toBe("sched --sandbox events cancel E1 --reason 'not well' --yes");
    expect(adviceText(['look (', { command: ['events', 'list'] }, ')'], { sandbox: false, profile: 'work' })).toBe(
      'look (sched events list -p work)',
    );
    expect(adviceText('wait', { sandbox: true })).toBe('wait');
  });
});
