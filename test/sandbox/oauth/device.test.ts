import { beforeEach, describe, expect, it } from 'vitest';
import { openWorld } from '../world.ts';
import { oauthOf } from './login.ts';

const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
const origin = 'http://127.0.0.1:4010';

let world: Awaited<ReturnType<typeof openWorld>>;
let oauth: ReturnType<typeof oauthOf>;
beforeEach(async () => {
  world = await openWorld();
  oauth = oauthOf(world);
});

const start = async (form: Record<string, string> = {}) => {
  const all = { client_id: 'sched-cli', scope: 'users:read', ...form };
  const { status, body } = await oauth.post('/oauth/device_authorization', all);
  return { status, ...JSON.parse(body) };
};
const ask = (device_code: string, client_id = 'sched-cli') => oauth.token({ grant_type, client_id, device_code });
const page = (query = '') => world.send({ method: 'GET', url: `${origin}/oauth/device${query}`, headers: {} });
const ticketIn = (body: string) => /name="ticket" value="([^"]+)"/.exec(body)?.[1] ?? '';
const decide = async (code: string, decision: string, headers: Record<string, string> = {}) => {
  const ticket = ticketIn((await page(`?user_code=${code}`)).body);
  return oauth.post('/oauth/device', { ticket, user: 'admin', decision }, headers);
};

describe('a device login', () => {
  it('issues tokens after the user has typed the code and allowed it, once', async () => {
    const started = await start();
    expect(started).toMatchObject({
      status: 200,
      expires_in: 600,
      interval: 5,
      verification_uri: `${origin}/oauth/device`,
    });
    expect(started.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect(started.verification_uri_complete).toBe(`${origin}/oauth/device?user_code=${started.user_code}`);
    expect((await ask(started.device_code)).json.error).toBe('authorization_pending');
    expect((await page()).body).toContain('name="user_code"');
    const typed = started.user_code.toLowerCase().replace('-', '%20');
    expect((await page(`?user_code=${typed}`)).body).toContain(started.user_code);
    expect((await decide(started.user_code, 'allow')).body).toContain('You are logged in');
    world.clock.time += 5_000;
    const { status, json } = await ask(started.device_code);
    expect([status, json.scope]).toEqual([200, 'users:read']);
    expect((await oauth.refresh(json.refresh_token)).status).toBe(200);
    world.clock.time += 5_000;
    expect((await ask(started.device_code)).json.error).toBe('invalid_grant');
  });

  it('says slow_down to a client that asks too often, and then wants longer pauses', async () => {
    const { device_code } = await start();
    const errors: string[] = [];
    for (const seconds of [0, 4, 5, 10, 14]) {
      world.clock.time += seconds * 1000;
      errors.push((await ask(device_code)).json.error);
    }
    const pending = 'authorization_pending';
    expect(errors).toEqual([pending, 'slow_down', 'slow_down', 'slow_down', 'slow_down']);
    world.clock.time += 25_000;
    expect((await ask(device_code)).json.error).toBe(pending);
  });

  it('ends when it is denied, and when the code has expired', async () => {
    const denied = await start();
    await decide(denied.user_code, 'deny');
    expect((await ask(denied.device_code)).json.error).toBe('access_denied');
    const late = await start();
    world.clock.time += 600_000;
    expect((await page(`?user_code=${late.user_code}`)).status).toBe(400);
    expect((await ask(late.device_code)).json.error).toBe('expired_token');
  });

  it('refuses another client, unknown codes and unknown scopes', async () => {
    const { device_code } = await start();
    expect((await ask(device_code, 'northlight-calendar')).json.error).toBe('invalid_grant');
    expect((await ask('sandbox_device_none')).json.error).toBe('invalid_grant');
    expect((await start({ scope: 'all' })).error).toBe('invalid_scope');
    expect((await start({ client_id: 'nobody' })).error).toBe('invalid_client');
    expect((await page('?user_code=<b>')).body).not.toContain('<b>');
  });

  // R47
  it('takes a decision only from its own page, and not with the ticket of the consent page', async () => {
    const { user_code, device_code } = await start();
    expect((await decide(user_code, 'allow', { 'sec-fetch-site': 'cross-site' })).status).toBe(400);
    const ticket = ticketIn((await oauth.authorize()).body);
    for (const wrong of ['', 'x.y', ticket, `${ticket.split('.')[0]}.${'é'.repeat(43)}`])
      expect((await oauth.post('/oauth/device', { ticket: wrong, user: 'admin', decision: 'allow' })).status).toBe(400);
    expect((await ask(device_code)).json.error).toBe('authorization_pending');
  });
});
