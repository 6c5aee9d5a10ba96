import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, writes } from '../../support/run.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let schedule: string;
beforeEach(async () => {
  world = await createWorld();
  schedule = (await world.run('availability list --event-type "Intro call" --limit 1 -o id')).stdout.trim();
});

test('availability list is of an event type or of a user, not both', async () => {
  const { code, stderr, requests } = await world.run('availability list --event-type "Intro call" --user me --limit 0');
  expect({ code, stderr, requests }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      'error: --limit must be a whole number from 1 up, not "0"; --user can\'t be used with --event-type\n',
    ),
    requests: [],
  });
});

describe('availability update', () => {
  const foreign = '[{"day":"mon","hours":["9-17"]}]';
  test.each(['{}', 'null', '[null]', foreign])('changes nothing if the current rules are %s', async (rules) => {
    let isChanged = false;
    const send: Send = async (request) => {
      const reply = await world.service(request);
      isChanged ||= request.method === 'PATCH';
      const isList = !isChanged && request.url.includes('/event_type_availability_schedules');
      return isList ? { ...reply, body: reply.body.replaceAll(/"rules":\[.*?\]\}\]/g, `"rules":${rules}`) } : reply;
    };
    const line = `availability update ${schedule} --event-type "Intro call" --yes`;
    const merged = await world.run(`${line} --day-off 2030-12-24`, { send });
    expect({ code: merged.code, writes: writes(merged) }).toEqual({ code: 13, writes: [] });
    if (rules === foreign)
      expect(merged.stderr).toContain(`can't read the hours in ${foreign.slice(1, -1)}, so it can't change some rules`);
    const replaced = await world.run(`${line} --replace --day-off 2030-12-24`, { send });
    expect({ code: replaced.code, writes: writes(replaced).length }).toEqual({ code: 0, writes: 1 });
  });

  describe('--body', () => {
    const update = (more: string, body: object, send?: Send) =>
      world.run(`availability update ${schedule} --event-type "Intro call" --body - --yes ${more}`, {
        stdin: JSON.stringify(body),
        ...(send === undefined ? {} : { send }),
      });

    test('replaces all rules and shows the difference', async () => {
      const rules = [{ type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '10:00' }] }];
      const { code, stderr, stdout } = await update('--json', { rules, timezone: 'Asia/Tokyo' });
      expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ rules, timezone: 'Asia/Tokyo' })]);
      for (const note of ['every Tuesday: 09:00–12:30, 13:00–17:00 → no hours', '→ 09:00–10:00"', '→ Asia/Tokyo"'])
        expect(stderr).toContain(note);
      const again = await update('--json', { rules, timezone: 'Asia/Tokyo' });
      expect([JSON.parse(again.stdout)._sched, writes(again)]).toEqual([{ already: true }, []]);
    });

    test('sends rules of any shape as typed, and shows them as JSON', async () => {
      const rules = [{ every: 'full moon', from: 22 }];
      const send: Send = async (request) =>
        request.method === 'PATCH'
          ? { status: 200, headers: { 'content-type': 'application/json' }, body: '{"resource":{"uri":"x"}}' }
          : world.service(request);
      const sent = await update('', { rules }, send);
      expect([sent.code, writes(sent)]).toEqual([0, [expect.objectContaining({ body: JSON.stringify({ rules }) })]]);
      expect(sent.stderr).toContain('added: {"every":"full moon","from":22}');
    });

    test('sends rules that differ only in fields that sched does not know', async () => {
      const { stdout } = await world.run('availability list --event-type "Intro call" --limit 1 --json=rules');
      const rules = JSON.parse(stdout)[0].rules.map((rule: object) => ({ ...rule, note: 'new' }));
      const { code, stdout: request } = await update('-n', { rules });
      expect([code, JSON.parse(request).body]).toEqual([0, { rules }]);
    });

    test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])('reads tomorrow in its new time zone, %s', async (zone) => {
      const byBody = await update('-n --day-off tomorrow', { timezone: zone });
      const byFlag = await update(`-n --day-off tomorrow --timezone ${zone}`, {});
      expect([byBody.code, byBody.stdout]).toEqual([0, byFlag.stdout]);
    });

    test.each([
      ['', { name: 'New' }, 'the body has unknown fields: name'],
      ['', { rules: ['monday'] }, 'must be an object'],
      ['--day-off friday', { rules: [] }, "--body with rules can't be used with --rule"],
    ])('rejects %s %j', async (more, body, problem) => {
      const refused = await update(more, body);
      expect([refused.code, writes(refused)]).toEqual([2, []]);
      expect(refused.stderr).toContain(problem);
    });
  });

  describe('without a schedule', () => {
    const update = (more: string, options: Parameters<typeof world.run>[1] = {}) =>
      world.run(`availability update --event-type "Support call" ${more}`, options);
    const schedules = async (): Promise<{ uri: string; name: string; timezone: string; rules: object[] }[]> =>
      JSON.parse((await world.run('availability list --event-type "Support call" --json')).stdout);
    const monday = { type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '10:00' }] };

    test('replaces the rules of all schedules with one request', async () => {
      const before = await schedules();
      expect(before.length).toBeGreaterThan(1);
      const done = await update('--replace --rule "monday 09:00-10:00" --yes -o json');
      expect([done.code, writes(done)]).toEqual([0, [expect.objectContaining({ method: 'PATCH' })]]);
      expect(JSON.parse(done.stdout)).toEqual(before.map((each) => ({ ...each, rules: [monday] })));
      expect(await schedules()).toEqual(JSON.parse(done.stdout));
    });

    test('shows the difference of each schedule, and asks once with all of their names', async () => {
      const names = (await schedules()).map(({ name, uri }) => `${name} (${uri.split('/').at(-1)})`);
      const { code, stderr, ...asked } = await update('--replace --rule "monday 09:00-10:00"');
      expect([code, writes(asked)]).toEqual([12, []]);
      for (const name of names) expect(stderr).toContain(`${name}:\n  every Monday: `);
      expect(stderr).toContain(
        `Confirmation needed to change ${names.length} availability schedules: ${names.join(', ')}, but`,
      );
    });

    test('names the schedules before it changes them without a question', async () => {
      const names = (await schedules()).map(({ name, uri }) => `${name} (${uri.split('/').at(-1)})`).join(', ');
      for (const [flag, verb] of [
        ['--dry-run', 'Would change'],
        ['--yes', 'Changing'],
      ]) {
        const { stderr } = await update(`--replace --rule "monday 09:00-10:00" ${flag}`);
        expect(stderr).toMatch(/^.* \d availability schedules: /);
        expect(stderr.split('\n')[0]).toBe(`${verb} ${names.split(', ').length} availability schedules: ${names}`);
      }
    });

    test('changes single days if all schedules then have the same rules', async () => {
      const same = await update('--replace --rule "monday 09:00-10:00" --yes');
      expect(same.code).toBe(0);
      const done = await update('--day-off 2030-12-24 --yes');
      expect([done.code, writes(done).length]).toEqual([0, 1]);
      const rules = [monday, { type: 'date', date: '2030-12-24', intervals: [] }];
      for (const schedule of await schedules()) expect(schedule.rules).toEqual(rules);
      const again = await update('--day-off 2030-12-24 --yes --json');
      expect([again.code, writes(again)]).toEqual([0, []]);
      for (const { _sched } of JSON.parse(again.stdout)) expect(_sched).toEqual({ already: true });
    });

    test('sends nothing if the schedules would have different rules', async () => {
      const [first] = await schedules();
      await world.run(
        `availability update ${first!.uri} --event-type "Support call" --rule "sunday 09:00-10:00" --yes`,
      );
      const refused = await update('--day-off 2030-12-24 --yes');
      expect([refused.code, writes(refused)]).toEqual([2, []]);
      expect(refused.stderr).toContain('Name one schedule, or use --replace');
    });

    test('changes the time zone and keeps different rules', async () => {
      const before = await schedules();
      const { code, stdout } = await update('--timezone Asia/Tokyo --yes --json');
      expect([code, JSON.parse(stdout)]).toEqual([0, before.map((each) => ({ ...each, timezone: 'Asia/Tokyo' }))]);
    });

    test('names the schedules that the service did not change', async () => {
      const [mine, other] = await schedules();
      const send: Send = async (request) => {
        if (request.method !== 'PATCH') return world.service(request);
        const body = JSON.stringify({ rules: [monday] });
        const reply = await world.service({ ...request, url: mine!.uri, body });
        return { ...reply, body: JSON.stringify({ collection: [JSON.parse(reply.body).resource] }) };
      };
      const { code, stderr } = await update('--replace --rule "monday 09:00-10:00" --yes', { send });
      expect(code).toBe(0);
      expect(stderr).toContain(`changed: ${mine!.name} (${mine!.uri.split('/').at(-1)})\n`);
      expect(stderr).toContain(`not changed by the service: ${other!.name} (${other!.uri.split('/').at(-1)})\n`);
    });

    test('accepts a body of any shape, if it names the event type', async () => {
      const { stdout } = await world.run('event-types get "Support call" --json');
      const body = { event_type: JSON.parse(stdout).uri, rules: [{ every: 'full moon' }], more: true };
      const sent = await world.run('availability update --body - -n', { stdin: JSON.stringify(body) });
      expect([sent.code, JSON.parse(sent.stdout).body]).toEqual([0, body]);
      const refused = await world.run('availability update --body - -n', { stdin: '{"rules":[]}' });
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('Missing required flag --event-type'),
      ]);
    });

    test('does not read an empty schedule as all schedules', async () => {
      const line = ['availability', 'update', '', '--event-type', 'Support call', '--timezone', 'UTC', '--yes'];
      const refused = await world.run(line);
      expect([refused.code, writes(refused)]).toEqual([2, []]);
    });

    test('requires the event type', async () => {
      const refused = await world.run('availability update --day-off friday --yes');
      expect([refused.code, refused.requests]).toEqual([2, []]);
      expect(refused.stderr).toContain('Missing required flag --event-type');
    });
  });
});
