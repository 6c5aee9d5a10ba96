import { beforeEach, expect, test } from 'vitest';
import { createWorld, type TestWorld } from '../../support/run.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld();
});

const terminals = ['stdin' as const, 'stdout' as const, 'stderr' as const];
const list = async (flags = '', columns = 80) => {
  const { code, stdout } = await world.run(`availability list ${flags}`, { terminals, columns });
  expect(code).toBe(0);
  return stdout.split('\n').slice(0, -1);
};

test('shows the hours that all own event types share, and the days off from today on', async () => {
  await world.run('availability off 2026-12-28..2026-12-31 2026-11-18 2026-12-24..2026-12-27 --yes');
  expect(await list()).toEqual([
    'Your hours · Europe/Berlin',
    'Mon–Fri   09:00–12:30  13:00–17:00       10 event types',
    'Off       Wed 18 Nov · Fri 27 Nov · 24–31 Dec',
  ]);
  expect(await list('', 40)).toEqual([
    'Your hours · Europe/Berlin',
    'Mon–Fri   09:00–12:30  13:00–17:00',
    'Off       Wed 18 Nov · Fri 27 Nov',
    '          24–31 Dec',
  ]);
});

test('groups the event types by their hours, with other dates', async () => {
  await world.run('availability update --event-type "Intro call" --rule "tuesday 10:00-11:00" --yes');
  await world.run(
    'availability update --event-type "Intro call" --rule "2026-12-05 10:00-12:00" --day-off 2026-11-29 --yes',
  );
  expect(await list()).toEqual([
    'Your hours · Europe/Berlin',
    expect.stringMatching(/^9 event types: Board preview, /),
    expect.any(String),
    'hours, Support call',
    'Mon–Fri   09:00–12:30  13:00–17:00',
    'Off       Fri 27 Nov',
    '',
    '1 event type: Intro call',
    'Mon       09:00–12:30  13:00–17:00',
    'Tue       10:00–11:00',
    'Wed–Fri   09:00–12:30  13:00–17:00',
    'Off       Fri 27 Nov',
    'Other     Sat 5 Dec 10:00–12:00 · Sun 29 Nov off',
  ]);
});

test('reads as sentences', async () => {
  const [hours, ...rest] = (await list('--accessible')).join('\n').split(/(?<=\.)\n/);
  expect(hours!.replaceAll('\n', ' ')).toMatch(
    /^Hours of 10 event types, time zone Europe\/Berlin: Board preview, .*, Support call\.$/,
  );
  expect(rest).toEqual(['Mon to Fri: 09:00 to 12:30, 13:00 to 17:00.', 'Off: Fri 27 Nov.']);
});

test('lists schedules for --event-type, with the days off in order as ranges', async () => {
  await world.run('availability off 2026-12-28..2026-12-31 2026-11-18 --yes');
  const lines = await list('--event-type "Intro call"');
  expect(lines[2]).toMatch(/Working hours +Europe\/Berlin +Mon–Fri 09:00–12:30, 13:00–17:00/);
  expect(lines.slice(3).map((line) => line.trim())).toEqual(['Wed 18 Nov off', 'Fri 27 Nov off', '28–31 Dec off']);
});

test('lists the own schedules for a script, each of them once, with the event types that use it', async () => {
  const { code, stdout } = await world.run('availability list --json');
  expect(code).toBe(0);
  const schedules = JSON.parse(stdout) as { uri: string; _sched: { event_types: string[] } }[];
  expect(new Set(schedules.map(({ uri }) => uri)).size).toBe(schedules.length);
  expect(schedules.length).toBeGreaterThan(1);
  for (const { uri, _sched } of schedules.slice(0, 2)) {
    const [type] = _sched.event_types;
    expect((await world.run(`availability list --event-type ${type} -o id`)).stdout).toContain(uri);
  }
  expect((await world.run('availability list')).stdout.split('\n')).toHaveLength(schedules.length + 1);
  expect((await world.run('availability list --limit 1 -o csv')).stdout.trim().split('\n')).toHaveLength(2);
  expect((await world.run('availability list --dry-run')).stderr).toContain('Missing required flag --event-type');
});

test('availability off counts only the days that it changes', async () => {
  await world.run('availability off 2026-11-18 --yes');
  const { stderr } = await world.run('availability off 2026-11-18..2026-11-19 --yes', { terminals, columns: 100 });
  expect(stderr).toContain('already off: Wed 18 Nov');
  expect(stderr).toContain('✔ Off: Thu 19 Nov on 10 schedules');
});
