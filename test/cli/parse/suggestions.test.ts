import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const world = await createWorld();

describe('suggestions: the hint', () => {
  test.each(
    sample<[string, string]>(
      [
        ['events list --statsu active', 'sched events list --status active'],
        ['events list --statsu=active --limit 3', 'sched events list --status=active --limit 3'],
        ['events list -L 3', 'sched events list --limit 3'],
        ['events list --search "two words" --jsno', "sched events list --search 'two words' --json"],
        ['--quite events list', 'sched --quiet events list'],
        ['events list --limit', 'sched events list --limit N'],
        ['events list --yes=no', 'sched events list'],
        ['events list --yes=1', 'sched events list --yes'],
        [
          'events cancel JW6SHQTS78SH7TS8 --fields nmae,locaton.type',
          'sched events cancel JW6SHQTS78SH7TS8 --fields name,location.type',
        ],
        ['events list --status actve --limit 2', 'sched events list --status active --limit 2'],
        ['events list --with invitee', 'sched events list --with invitees'],
        ['-V', 'sched --version'],
        ['version', 'sched --version'],
        ['help times', 'sched help time'],
        ['help exit', 'sched help exit-codes'],
        ['help evnets', 'sched help events'],
      ],
      8,
    ),
  )('for %s is the corrected command', async (line, corrected) => {
    const { code, stderr, requests } = await world.run(line);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toMatch(/^error: /);
    expect(stderr.endsWith(`\ntry: ${corrected}\n`), stderr).toBe(true);
  });

  test('for a field that the reply lacks is the corrected command', async () => {
    const { code, stdout, stderr } = await world.run('events list --fields nmae,locaton.type --limit 1');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: Unknown field "nmae"\. Did you mean "name"\?/);
    expect(stderr.endsWith('\ntry: sched events list --fields name,location.type --limit 1\n'), stderr).toBe(true);
  });

  test.each([
    'events list --nonsense',
    'events cancel JW6SHQTS78SH7TS8 --fields xyzzy',
    'events list --limit ten',
    'events list extra',
    // The name of the profile doesn't go on after the command.
    '-p work whoami extra',
    'events xyzzy',
    'xyzzy',
    'help xyzzy',
    // Free-form arguments may contain a secret.
    'api /users/me --heder=x:y',
    // One of the problems can't be corrected.
    'events get --nonsense',
    'evnts list --nonsense',
  ])('for %s is left out, because the command cannot be corrected', async (line) => {
    const { code, stderr } = await world.run(line);
    expect(code).toBe(2);
    expect(stderr).not.toContain('try:');
  });

  // General help with exit code 0 would look to a script like a command that was carried out.
  test.each([
    '-- events cancel JW6SHQTS78SH7TS8 --yes',
    '--sandbox -- events list',
    '-- --help',
    'help -- events',
    'events -- cancel JW6SHQTS78SH7TS8 --yes',
    'events -- --help',
  ])('for %s says where to put --', async (line) => {
    const { code, stdout, stderr, requests } = await world.run(line);
    expect({ code, stdout, requests }).toEqual({ code: 2, stdout: '', requests: [] });
    const corrected = line.replace('-- ', '');
    expect(stderr).toBe(`error: Misplaced "--". Put it after the command\ntry: sched ${corrected}\n`);
  });

  test.each([
    ['--sandbox events get', 'sched --sandbox events get EVENT'],
    ['--sandbox invitees get', 'sched --sandbox invitees get EVENT INVITEE'],
    ['--sandbox evnets list', 'sched --sandbox events list'],
    ['--sandbox events ls', 'sched --sandbox events list'],
    ['evnets list --sandbox', 'sched events list --sandbox'],
  ])('for %s needs no login either', async (line, hint) =>
    expect((await world.run(line)).stderr.endsWith(`\ntry: ${hint}\n`)).toBe(true),
  );

  test.each(['0s', '0ms', '0h0m0s'])(
    'a timeout of %s is rejected, and not reported as an unreachable service',
    async (limit) => {
      const { code, stderr, requests } = await world.run(`events list --timeout ${limit}`);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain(`--timeout must be more than 0, not "${limit}"`);
      expect((await world.run('events list --limit 1 --timeout 30s --max-wait 0s')).code).toBe(0);
    },
  );

  test.each(['1000000000', '2147483647', String(Number.MAX_SAFE_INTEGER)])(
    'a limit of %s is accepted',
    async (limit) => {
      const { code, stderr } = await world.run(`events list --upcoming --limit ${limit} -o id`);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );

  test.each([
    ['events list --limit 0', '--limit must be a whole number from 1 up, not "0"'],
    ['events list --limit 9007199254740992', 'must be a whole number from 1 up'],
    ['events list --limit 1e3', '--limit must be a whole number from 1 up, not "1e3"'],
    ['events list --page-size 101', '--page-size must be a whole number from 1 to 100, not "101"'],
    ['one-offs create --name x --duration 30 --days 0', '--days must be a whole number from 1 up, not "0"'],
    ['event-types create --name x --duration 99999999999999999', 'must be a whole number, not "99999999999999999"'],
  ])('for %s the error names the allowed range', async (line, problem) => {
    const { code, stderr, requests } = await world.run(line);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(problem);
  });

  test('an empty list of fields is rejected, and does not mean all fields', async () => {
    const { code, stderr } = await world.run(['events', 'list', '--fields', '']);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--fields needs at least one field'),
    });
  });

  test('an unknown field is reported once, with all known fields', async () => {
    const { stderr } = await world.run('events list --fields nmae');
    expect(stderr).toContain('Unknown field "nmae". Did you mean "name"? Available fields: uri, name,');
    expect(stderr.match(/_sched/g)).toHaveLength(1);
  });

  test('an invalid rule is not also reported as nothing to change', async () => {
    const line = ['availability', 'update', 'S', '--event-type', 'YBL6DUNR9FS4PNP6', '--rule', 'mnoday 9:00-10:00'];
    const { code, stderr } = await world.run(line);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean monday?');
    expect(stderr).not.toMatch(/nothing to change/i);
  });
});

describe('suggestions: canceling several events', () => {
  const failing =
    (id: string, status: number): Send =>
    (request) =>
      request.url.includes(id) ? Promise.resolve({ status, headers: {}, body: '{}' }) : world.service(request);

  test('does not suggest running a command that will fail again', async () => {
    const { code, stderr } = await world.run('events cancel NOSUCHEVENT XEFT95ZZDW9SPL93 --yes');
    expect(code).toBe(11);
    expect(stderr).toContain('1 of 2 events was not canceled');
    expect(stderr).not.toContain('try:');
  });

  test('suggests a command that may succeed, with the typed flags', async () => {
    const line = 'events cancel NOSUCHEVENT XEFT95ZZDW9SPL93 --reason "It rains" --yes';
    const { code, stderr } = await world.run(line, { send: failing('XEFT95ZZDW9SPL93', 503) });
    expect(code).toBe(11);
    expect(stderr).toContain("try: sched events cancel XEFT95ZZDW9SPL93 --reason 'It rains' --yes\n");
  });

  test('reports the results of the first run when a file is run a second time', async () => {
    const home = temporaryDirectory('suggestions');
    const file = join(home, 'events.txt');
    writeFileSync(file, 'L2LVULZV44SDBXJQ\nNOSUCHEVENT1\n');
    await world.run(`events cancel --from ${file} --yes`, { home });
    const { code, stderr, requests } = await world.run(`events cancel --from ${file} --yes`, { home });
    expect(code).toBe(11);
    expect(stderr).toMatch(
      /^1 of 2 canceled at \S+, as the receipt says: nothing was sent or looked up\. To look at each of them, and send what is missing: --again\n/,
    );
    expect(stderr).toContain('Not all events were canceled: 1 rejected');
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
