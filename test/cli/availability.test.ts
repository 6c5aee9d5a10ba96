import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { createWorld } from '../support/run.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let schedule: string;
beforeEach(async () => {
  world = await createWorld();
  schedule = (await world.run('availability list --event-type "Intro call" --limit 1 -o id')).stdout.trim();
});

const writes = ({ requests }: { requests: { method: string }[] }) => requests.filter(({ method }) => method !== 'GET');

describe('availability update', () => {
  test.each(['{}', 'null', '[null]'])('changes nothing if the current rules are %s', async (rules) => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      const isList = request.method === 'GET' && request.url.includes('/event_type_availability_schedules');
      return isList ? { ...reply, body: reply.body.replaceAll(/"rules":\[.*?\]\}\]/g, `"rules":${rules}`) } : reply;
    };
    const line = `availability update ${schedule} --event-type "Intro call" --yes`;
    const merged = await world.run(`${line} --day-off 2030-12-24`, { send });
    expect({ code: merged.code, writes: writes(merged) }).toEqual({ code: 13, writes: [] });
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
      for (const note of ['- every Tuesday ', '+ every Monday 09:00-10:00"', '→ Asia/Tokyo"'])
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
      expect(sent.stderr).toContain('+ {"every":"full moon","from":22}');
    });

    test('sends rules that differ only in fields that sched does not know', async () => {
      const { stdout } = await world.run('availability list --event-type "Intro call" --limit 1 --json=rules');
      const rules = JSON.parse(stdout)[0].rules.map((rule: object) => ({ ...rule, note: 'new' }));
      const { code, stdout: request } = await update('-n', { rules });
      expect([code, JSON.parse(request).body]).toEqual([0, { rules }]);
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
});
