import { describe, expect, test } from 'vitest';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { createWorld } from '../../support/run.ts';
import { seededFile } from '../../support/seeded.ts';
import { amara, noon, organization, system } from '../world.ts';

const minute = 60_000;
const day = 86_400_000;

/** Opens a sandbox on a file, with requests sent as the owner. */
const open = async (file: string, token = 'sandbox_owner') => {
  const sandbox = await openSandbox({ file, clock: system });
  const ask = async (method: string, path: string, body?: string, type = 'application/json') => {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) };
    const reply = await sandbox.service({
      method,
      url: `http://127.0.0.1:4010${path}`,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    return { status: reply.status, headers: reply.headers, body: JSON.parse(reply.body) };
  };
  return { sandbox, ask };
};

const list = `/scheduled_events?user=${encodeURIComponent(amara)}&count=2`;

describe('clock', () => {
  test('follows the system clock until it is moved, for every process on the same data', async () => {
    const file = await seededFile(noon);
    const [one, two] = [await open(file), await open(file)];
    const aheadMs = noon - system.now();
    expect([one.sandbox.clock.now(), one.sandbox.clock.offset]).toEqual([noon, aheadMs]);
    one.sandbox.clock.set(noon + 3 * day);
    expect([two.sandbox.clock.now(), two.sandbox.clock.offset]).toEqual([noon + 3 * day, aheadMs + 3 * day]);
    two.sandbox.clock.set('system');
    expect(one.sandbox.clock.now()).toBe(system.now());
    one.sandbox.clock.set(noon + day);
    one.sandbox.reset();
    expect([one.sandbox.clock.offset, two.sandbox.clock.now()]).toEqual([0, system.now()]);
    for (const { sandbox } of [one, two]) sandbox.close();
  });

  test('stands still while frozen, and runs on from there', async () => {
    const file = await seededFile(noon);
    const moving = { now: () => moving.time, time: noon };
    const sandbox = await openSandbox({ file, clock: moving });
    const { clock } = sandbox;
    const later = () => {
      moving.time += minute;
      return [clock.now() - noon, clock.isFrozen];
    };
    clock.set('system');
    clock.freeze();
    expect(later()).toEqual([0, true]);
    clock.set(clock.now() + 5);
    expect(later()).toEqual([5, true]);
    clock.set(noon + day);
    expect(later()).toEqual([day, true]);
    clock.resume();
    expect(later()).toEqual([day + minute, false]);
    clock.freeze();
    clock.set('system');
    expect(later()).toEqual([4 * minute, true]);
    sandbox.reset();
    expect(later()).toEqual([6 * minute, false]);
    sandbox.close();
  });

  test('advances by the exact amount', async () => {
    const world = await createWorld({ start: noon });
    const data = await seededFile(noon);
    await world.clock.sleep(731);
    const seconds = async (line: string) => {
      const { stdout } = await world.run(`sandbox clock ${line} --data ${data} --json=offset_seconds`);
      await world.clock.sleep(317);
      return JSON.parse(stdout).offset_seconds;
    };
    await seconds('set now');
    const each = [];
    for (let times = 0; times < 5; times += 1) each.push(await seconds('advance 1s'));
    expect(each).toEqual([1, 2, 3, 4, 5]);
    expect([await seconds('advance 2h'), await seconds('set +1h')]).toEqual([7205, 10_805]);
    expect(await seconds('set now')).toBe(0);
  });

  test('drives rate limits', async () => {
    const { sandbox, ask } = await open(await seededFile(noon));
    const left = async () => (await ask('GET', '/users/me')).headers['x-ratelimit-remaining'];
    const first = Number(await left());
    expect(Number(await left())).toBe(first - 1);
    sandbox.clock.set(noon + minute);
    expect(Number(await left())).toBe(first);
    sandbox.close();
  });

  test('drives the expiry of page tokens and access tokens', async () => {
    const file = await seededFile(noon);
    const { sandbox, ask } = await open(file);
    const token = (await ask('GET', list)).body.pagination.next_page_token;
    const refresh = 'grant_type=refresh_token&client_id=sched-cli&refresh_token=sandbox_legacy_refresh';
    const { body } = await ask('POST', '/oauth/token', refresh, 'application/x-www-form-urlencoded');
    const renewed = await open(file, body.access_token);
    expect((await renewed.ask('GET', '/users/me')).status).toBe(200);
    sandbox.clock.set(noon + 16 * minute);
    expect((await ask('GET', `${list}&page_token=${token}`)).body.details[0].code).toBe('expired');
    sandbox.clock.set(noon + body.expires_in * 1000);
    expect((await renewed.ask('GET', '/users/me')).status).toBe(401);
    sandbox.clock.set(noon);
    expect((await renewed.ask('GET', '/users/me')).status).toBe(200);
    for (const each of [sandbox, renewed.sandbox]) each.close();
  });

  test('drives deletions', async () => {
    const { sandbox, ask } = await open(await seededFile(noon));
    const events = `/scheduled_events?organization=${encodeURIComponent(organization)}&count=1`;
    const [event] = (await ask('GET', events)).body.collection;
    const invitees = `${new URL(event.uri).pathname}/invitees`;
    const [{ email }] = (await ask('GET', invitees)).body.collection;
    const find = async () =>
      (await ask('GET', `${events}&invitee_email=${encodeURIComponent(email)}`)).body.collection.length;
    expect(
      (await ask('POST', '/data_compliance/invitee_deletion', JSON.stringify({ emails: [email] }))).status,
    ).toBeLessThan(300);
    expect(await find()).toBe(1);
    sandbox.clock.set(noon + 30 * day);
    expect(await find()).toBe(0);
    sandbox.close();
  });
});
