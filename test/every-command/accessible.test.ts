import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { width } from '../../src/output/width.ts';
import { createWorld, terminals } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

const world = await createWorld({ env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });

/** No drawing, no cursor movement, no alignment, no cut text. */
const expectSpoken = (text: string) => {
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect(text).not.toMatch(/[│─┌┐└┘├┤┬┴┼…]/);
  for (const line of text.split('\n').filter(Boolean)) {
    expect(line).toMatch(/^\S+( \S+)*: \S/);
    expect(line).not.toMatch(/ {2}/);
  }
};

describe('--accessible', () => {
  test.each(
    sample(
      [
        'events get JW6SHQTS78SH7TS8 --with invitees',
        'event-types list',
        'event-types get "Intro call"',
        'invitees list JW6SHQTS78SH7TS8',
        'members list',
        'availability list --event-type "Intro call"',
        'routing-forms submissions --limit 2',
        'activity list --limit 2',
        'sandbox tokens',
        'mcp metadata',
      ],
      5,
    ),
  )('prints each value after its label: %s', async (line) => {
    const { code, stdout } = await world.run(`${line} --accessible --color always`, { terminals, columns: 40 });
    expect(code).toBe(0);
    expectSpoken(stdout);
  });

  test.each(['', '--with invitees'])(
    'says events in sentences that the screen never breaks in a word: %s',
    async (flag) => {
      const line = `events list --upcoming --limit 2 ${flag} --accessible`;
      const { code, stdout } = await world.run(line, { terminals, columns: 40 });
      expect(code).toBe(0);
      const sentences = stdout
        .trimEnd()
        .replace(/\n(?!\w{3} \d)/g, ' ')
        .split('\n');
      expect(sentences).toHaveLength(2);
      for (const sentence of sentences)
        expect(sentence).toMatch(/^\w{3} \d+ \w{3} \d\d:\d\d to \d\d:\d\d: \S.*, with \S.*\. ID [A-Z0-9]{16}$/);
      for (const each of stdout.split('\n')) expect(width(each)).toBeLessThanOrEqual(40);
    },
  );

  test('applies to doctor too', async () => {
    const home = temporaryDirectory('accessible');
    const { stdout } = await world.run('doctor --accessible', { terminals, columns: 40, home });
    expectSpoken(stdout);
    expect(stdout).toMatch(/^Check: .+\nStatus: .+\nFinding: .+\n/);
  });

  test.each([
    ['1', 0],
    ['yes', 0],
    ['2', 12],
    ['', 12],
  ])('offers numbered answers, and accepts %j', async (answer, code) => {
    const at = await createWorld();
    const uri = (await at.run('events list --upcoming --status active --limit 1 -o id')).stdout.trim();
    const result = await at.run(`events cancel ${uri} --accessible`, { terminals, stdin: `${answer}\n` });
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(
      /^Question: Cancel ".*\n\w{3} \d+ \w{3} [\d:–]+, .*\nOrganization: .*\nProfile: .*\nService: .*\nTime zone: .*\n1: continue\n2: stop and send nothing\nNumber, or Enter for 2: /,
    );
  });

  test('asks for the URLs of a login one by one, and where to store it', async () => {
    const home = temporaryDirectory('accessible');
    const env = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
    const asked = await world.run('auth login --accessible --base-url https://api.example.com', {
      terminals,
      home,
      env,
      stdin: 'https://auth.example.com\n\n',
    });
    expect(asked.code).toBe(2);
    const [first, second] = asked.stderr.split('Answer, or Enter to stop: ');
    expect(first).toMatch(/^Question 1 of 2: \S.*\nFlag: --auth-url\n$/);
    expect(second).toMatch(/^Question 2 of 2: \S.*\nFlag: --client-id\n$/);
    const line = 'auth login --accessible --base-url https://a.example --auth-url https://b.example --client-id c';
    const kept = await world.run(line, { terminals, home, env, stdin: '2\n' });
    expect(kept.code).toBe(3);
    expect(kept.stderr).toMatch(
      /^Question: Store the token in a file that only you can read\?\nReason: no usable keychain on this machine \(.*\)\nLocation: .*\n1: store it in the file\n2: stop and store nothing\nNumber, or Enter for 2: /,
    );
    expect(kept.stderr.replace(/ \\\n\s+/g, ' ')).toContain(`try: sched ${line} --credential-store file\n`);
  });

  test.each([
    ['1\n2\n', 0],
    ['1\n1\n', 12],
    ['2\n', 12],
    ['\n', 12],
  ])('offers numbered answers before a deletion, then asks for the count: %j', async (typed, code) => {
    const home = temporaryDirectory('accessible');
    const file = join(home, 'emails.txt');
    writeFileSync(file, 'ada@engine.example\nbob@engine.example\n');
    const result = await world.run(`compliance delete --from ${file} --accessible`, { terminals, home, stdin: typed });
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(
      /^Question: Delete all data about 2 invitees\? This can't be undone\.\nOrganization: .*\nProfile: .*\nService: .* \(sandbox\)\n1: continue and type the count\n2: stop and send nothing\nNumber, or Enter for 2: /m,
    );
    expect(result.stderr.includes('Type the count to continue (2): ')).toBe(typed.startsWith('1'));
    expect(result.stderr).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  test('does not make 1 a yes without the flag', async () => {
    const uri = (await world.run('events list --upcoming --status active --limit 1 -o id')).stdout.trim();
    expect((await world.run(`events cancel ${uri}`, { terminals, stdin: '1\n' })).code).toBe(12);
  });
});
