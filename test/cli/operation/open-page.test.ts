import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld, network, replying, someday, type WorldOptions } from '../../support/run.ts';
import { usedHome } from '../../support/seeded.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let invitee: string;
beforeAll(async () => {
  world = await createWorld();
  const event = (await world.run('events list --upcoming --limit 1 -o id')).stdout.trim();
  invitee = (await world.run(`invitees list ${event} --limit 1 -o id`)).stdout.trim();
});

/** The tokens of the sandbox are no secrets. */
const token = 'pat_7f3k29sx81mqz04vbn56tyhw';
const site = 'http://127.0.0.1:4010';

/** Runs a command with a browser that only records its URLs. */
const runWithBrowser = async (line: string, options: WorldOptions = {}) => {
  const opened: string[] = [];
  const openBrowser = async (url: string) => {
    opened.push(url);
    return true;
  };
  return { ...(await world.run(line, { openBrowser, ...options })), opened };
};

describe('--web', () => {
  test.each([
    ['event-types get "Intro call"', `${site}/book/amara-lindqvist/intro-call`],
    ['users get me', `${site}/book/amara-lindqvist`],
    ['users me', `${site}/book/amara-lindqvist`],
  ])('opens the scheduling page instead of printing the record: %s', async (line, url) => {
    const { code, stdout, stderr, opened } = await runWithBrowser(`${line} --web`);
    expect({ code, stdout, stderr, opened }).toEqual({
      code: 0,
      stdout: '',
      stderr: `Opening ${url} in your browser\n`,
      opened: [url],
    });
  });

  test('opens the page where an invitee cancels or reschedules, and asks which one', async () => {
    const id = invitee.split('/').at(-1);
    expect((await runWithBrowser(`invitees get ${invitee} --web=cancel`)).opened).toEqual([
      `${site}/cancellations/${id}`,
    ]);
    expect((await runWithBrowser(`invitees get ${invitee} --web reschedule`)).opened).toEqual([
      `${site}/reschedulings/${id}`,
    ]);
    for (const [web, problem] of [
      ['--web', '--web needs a value: cancel, reschedule'],
      ['--web=other', '--web must be one of cancel, reschedule, not "other"'],
    ]) {
      const { code, stderr, requests } = await runWithBrowser(`invitees get ${invitee} ${web}`);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain(problem);
    }
    const { stderr } = await runWithBrowser(`invitees get ${invitee} --web=reschedul`);
    expect(stderr).toContain(`try: sched invitees get ${invitee} --web=reschedule\n`);
  });

  test('opens no join link that the sandbox has made up', async () => {
    for (const line of ['events next --web', `events get ${invitee.replace(/\/invitees\/.*/, '')} --web`]) {
      const { code, stderr, opened } = await runWithBrowser(line);
      expect({ code, opened }).toEqual({ code: 0, opened: [] });
      expect(stderr).toMatch(
        /^Nobody can open this join link: the sandbox has made up its address, https:\/\/\S+\.example\/\S+\n$/,
      );
    }
  });

  test('prints a new booking link, then opens its page', async () => {
    const { code, stdout, opened } = await runWithBrowser('shares create --event-type "Intro call" --web -o id');
    expect(code).toBe(0);
    expect(opened).toEqual([stdout.trim()]);
  });

  test('prints the URL if no browser can be opened, even with --quiet', async () => {
    const { code, stderr } = await runWithBrowser('users me --web --quiet', { openBrowser: async () => false });
    expect(code).toBe(0);
    expect(stderr).toBe(`Can't open a browser. Open the page yourself: ${site}/book/amara-lindqvist\n`);
  });

  test('opens nothing in the built-in sandbox while no server has pages for it', async () => {
    const home = await usedHome(someday);
    const { code, stderr, opened } = await runWithBrowser('--sandbox users me --web', { home, send: network });
    expect({ code, opened }).toEqual({ code: 0, opened: [] });
    expect(stderr).toContain(`Run sched sandbox start, then open ${site}/book/amara-lindqvist\n`);
  });

  test('opens nothing with --dry-run, and is refused with flags for printing', async () => {
    expect((await runWithBrowser('users me --web --dry-run')).opened).toEqual([]);
    const { code, stderr, requests } = await runWithBrowser('users me --web -o yaml');
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain("--web prints no record, so it can't be used with --output");
  });

  // R6, R11
  test.each<[string, unknown, number, string]>([
    ['no URL', undefined, 6, 'This record has no scheduling page'],
    ['an empty URL', '', 6, 'This record has no scheduling page'],
    ['a file', 'file:///etc/passwd', 13, 'not an http or https URL'],
    ['a script', 'javascript:alert(1)', 13, 'not an http or https URL'],
    ['no URL at all', '--help', 13, 'not an http or https URL'],
    ['the token', 'https://evil.example/?t=', 13, 'contains the token'],
  ])('opens nothing if the record has %s', async (what, url, exit, text) => {
    const scheduling_url = what === 'the token' ? `${url}${token}` : url;
    const send = replying({ body: JSON.stringify({ resource: { uri: 'https://a.example/users/X', scheduling_url } }) });
    const { code, stderr, opened } = await runWithBrowser('users me --web', { send, env: { SCHED_TOKEN: token } });
    expect({ code, opened }).toEqual({ code: exit, opened: [] });
    expect(stderr).toContain(text);
  });
});

test.each([
  ['events reschedule ABC --to 2030-01-07T10:00Z', 'sched events move ABC --to 2030-01-07T10:00Z'],
  ['reschedule ABC --to 2030-01-07T10:00Z', 'sched events move ABC --to 2030-01-07T10:00Z'],
  ['book --email a@b.example', 'sched invitees create --email a@b.example --event-type NAME --start TIME --name TEXT'],
])('suggests the command that exists: %s', async (line, suggestion) => {
  const { code, stderr, requests } = await world.run(line);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(stderr).toContain(`try: ${suggestion}`);
});
