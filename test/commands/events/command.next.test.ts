import { describe, expect, test } from 'vitest';
import { createWorld, outputs } from '../../support/run.ts';
import { sample } from '../../support/tier.ts';

const json = (text: string) => JSON.parse(text);

describe('the next event', () => {
  test('is the first active event from now on, as events get gives it', async () => {
    const { run } = await createWorld();
    const [first] = json((await run('events list --upcoming --status active --limit 1 --json')).stdout);
    const { code, stdout } = await run('events next --json');
    expect([code, json(stdout)]).toEqual([0, first]);
    expect((await run('events get next --json')).stdout).toBe(stdout);
    expect(json((await run('events cancel next --dry-run')).stdout).url).toBe(`${first.uri}/cancellation`);
    expect(json((await run('events cancel next --yes --json')).stdout).uri).toBe(first.uri);
    const next = json((await run('events next --json')).stdout);
    expect([next.uri === first.uri, next.start_time >= first.start_time]).toEqual([false, true]);
  });

  test('is shown with the time until it starts, its people, their answers and the join link', async () => {
    const { run } = await createWorld();
    const { stdout } = await run('events next', { terminals: outputs, columns: 80 });
    expect(stdout).toContain('When      Mon 16 Nov 09:00–10:00 (Europe/Paris, 60 min)\nStarts    in 14 h\n');
    expect(stdout).toContain('Join      https://meet.northlight.example/g/');
    expect(stdout).toContain('Invitees  Björk <bjork@geysir.example>');
    const events = json((await run('events list --upcoming --with invitees --json')).stdout);
    const answered = events.find(
      (event: { _sched: { invitees: { questions_and_answers: unknown[] }[] } }) =>
        (event._sched.invitees[0]?.questions_and_answers ?? []).length > 0,
    );
    const { answer } = answered._sched.invitees[0].questions_and_answers[0];
    expect((await run(['events', 'get', answered.uri], { terminals: outputs, columns: 120 })).stdout).toContain(answer);
  });

  test.each(
    sample<[number, string]>(
      [
        [1, 'in 1 min'],
        [60, 'in 1 h'],
        [277, 'in 4 h 37 min'],
        [2879, 'in 47 h 59 min'],
        [2880, 'in 2 days'],
      ],
      2,
    ),
  )('starts in words, %i minutes before', async (minutes, words) => {
    const { run, clock } = await createWorld();
    const { start_time: start, uri } = json((await run('events next --json')).stdout);
    await clock.sleep(Date.parse(start) - minutes * 60_000 - clock.now());
    expect((await run(['events', 'get', uri], { terminals: outputs })).stdout).toMatch(
      new RegExp(`Starts +${words}\n`),
    );
  });

  test('opens the join link with --web, and only one of http or https', async () => {
    const opened: string[] = [];
    const openBrowser = async (url: string) => opened.push(url) > 0;
    const world = await createWorld({ openBrowser });
    const withLink = (link: string | null) =>
      world.run('events next --web', {
        send: async (request) => {
          const reply = await world.service(request);
          return { ...reply, body: reply.body.replace(/"join_url":"[^"]*"/g, `"join_url":${JSON.stringify(link)}`) };
        },
      });
    const link = 'https://meet.example.com/g/1';
    const { code, stdout } = await withLink(link);
    expect([code, stdout, opened]).toEqual([0, '', [link]]);
    const { stderr } = await world.run('events next --web');
    expect(stderr).toContain('Nobody can open this join link');
    expect((await withLink('file:///etc/passwd')).stderr).toContain('not an http or https URL');
    expect(await withLink(null)).toMatchObject({ code: 6, stderr: expect.stringContaining('has no join link') });
    expect(opened).toHaveLength(1);
  });

  test('is missing with exit code 6', async () => {
    const { run, clock } = await createWorld();
    await clock.sleep(365 * 86_400_000);
    const { code, stdout, stderr } = await run('events next');
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain('error: No next event: you have no active event that starts from now on\n');
    expect(stderr).toContain('try: sched events list --past');
  });

  test('can be written wherever an event is an argument, and is then named by its ID', async () => {
    const { run } = await createWorld();
    const { uri } = json((await run('events next --json')).stdout);
    const [invitee] = json((await run('invitees list next --json')).stdout);
    expect(invitee.event).toBe(uri);
    const { code, stderr } = await run('events cancel next');
    expect([code, stderr]).toEqual([
      12,
      expect.stringContaining(`try: sched events cancel ${uri.split('/').at(-1)} --yes`),
    ]);
    expect((await run('events get nxt')).code).toBe(6);
  });
});
