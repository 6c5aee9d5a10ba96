import { expect } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { visitorOf } from '../sandbox/pages/visitor.ts';
import { keyFile } from '../support/listening.ts';
import { jsonOf } from '../support/run.ts';
import { few } from '../support/tier.ts';
import { startListener } from './listener.ts';
import { commandsOn, sched, startSandbox, temporaryHome } from './program.ts';

const send: Send = async ({ method, url, headers, body }) => {
  const sent = method === 'POST' ? { method, headers, body: body ?? '' } : {};
  const reply = await fetch(url, { redirect: 'manual', ...sent });
  return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.text() };
};

few(1, {
  'a booking on a page arrives at webhooks listen, and events follow tells it': async () => {
    const key = keyFile();
    const listener = await startListener(['--signing-key-file', key, '-o', 'jsonl']);
    const hook = ['--webhook-to', listener.url, '--signing-key-file', key];
    const sandbox = await startSandbox(...hook);
    const home = temporaryHome();
    const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url };
    const follow = () => sched(['events', 'follow', '--once', '-o', 'jsonl'], home, env);
    expect(await follow()).toMatchObject({ code: 0, stdout: '' });

    const run = await commandsOn(sandbox);
    const { scheduling_url } = jsonOf(await run('event-types', 'get', 'Intro call', '--json'));
    const visitor = visitorOf({ send }, sandbox.base_url);
    const days = await visitor.open(scheduling_url);
    expect(days.status).toBe(200);
    const details = await visitor.open(days.links.find((link) => link.includes('start='))!);
    const booked = await visitor.submit(details, { name: 'Ada Lovelace', email: 'ada@engine.example' });
    expect((await visitor.follow(booked)).text).toContain('You are booked with Amara Lindqvist');

    await listener.printed(/"invitee\.created".*\n/);
    const { payload } = JSON.parse(listener.stdout());
    expect(payload).toMatchObject({ email: 'ada@engine.example', scheduling_method: null, invitee_scheduled_by: null });
    expect(payload.cancel_url.startsWith(`${sandbox.base_url}/cancellations/`)).toBe(true);
    expect(JSON.parse((await follow()).stdout)).toMatchObject({
      event: 'invitee.created',
      payload: { uri: payload.uri },
    });
    await sandbox.stop();
    expect(await listener.stop()).toBe(0);
  },
});
