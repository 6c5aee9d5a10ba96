import { expect, test } from 'vitest';
import { visitorOf } from '../sandbox/pages/visitor.ts';
import { openWorld, organization, pathOf } from '../sandbox/world.ts';
import { isDeep, random } from '../support/tier.ts';
import { farMonday, isStandalone, spawnSandbox, usedSandbox } from './program.ts';

/** More than the statements of a move: after the last one, the program isn't killed. */
const most = 60;
const steps = isDeep ? Array.from({ length: most }, (_, index) => index + 1) : [1 + Math.floor(random() * 20)];

// R53
test.skipIf(isStandalone)(
  'a reschedule that is killed leaves one booking, and can be sent again',
  async () => {
    let kills = 0;
    for (const step of steps) {
      const file = await usedSandbox();
      const open = () => openWorld({ file, clock: { now: Date.now } });
      const before = await open();
      before.store.run('DELETE FROM webhooks');
      const hook = { url: 'http://127.0.0.1:9/', events: ['invitee.created', 'invitee.canceled'], organization };
      await before.call('POST', '/webhook_subscriptions', { body: { ...hook, scope: 'organization' } });
      const old = (await before.book('intro-call', farMonday())).body.resource;
      const form = await visitorOf(before).open(`${pathOf(old.reschedule_url)}?start=${farMonday(1)}`);
      before.store.close();

      const preload = new URL('kill-at-statement.js', import.meta.url).href;
      const env = { NODE_OPTIONS: `--import=${preload}`, KILL_STEP: String(step) };
      const sandbox = await spawnSandbox(['--data', file], env);
      const sent = fetch(`${sandbox.base_url}${form.url.pathname}`, {
        method: 'POST',
        body: new URLSearchParams(form.fields),
        redirect: 'manual',
      });
      const wasKilled = await sent.then(
        () => false,
        () => true,
      );
      await sandbox.stop('SIGKILL');
      kills += wasKilled ? 1 : 0;

      const after = await open();
      const invitees = () =>
        after.store
          .all<{ doc: string }>("SELECT doc FROM invitees WHERE email = 'ada@engine.example'")
          .map(({ doc }) => JSON.parse(doc));
      const reported = () => after.store.all('SELECT event, subject FROM deliveries ORDER BY number');
      const active = invitees().filter(({ status }) => status === 'active');
      expect(active, `step ${step}`).toHaveLength(1);
      const isOld = active[0].uri === pathOf(old.uri);
      expect([invitees().length, reported().length], `step ${step}`).toEqual(isOld ? [1, 1] : [2, 3]);
      expect((await visitorOf(after).submit(form)).status).toBe(303);
      const [canceled, moved] = invitees().sort((one) => (one.status === 'canceled' ? -1 : 1));
      expect(canceled).toMatchObject({ status: 'canceled', rescheduled: true, new_invitee: moved.uri });
      expect(moved).toMatchObject({ status: 'active', old_invitee: canceled.uri });
      expect(reported()).toEqual([
        { event: 'invitee.created', subject: canceled.uri },
        { event: 'invitee.canceled', subject: canceled.uri },
        { event: 'invitee.created', subject: moved.uri },
      ]);
      after.store.close();
      if (!wasKilled) break;
    }
    expect(kills).toBeGreaterThanOrEqual(isDeep ? 20 : 1);
  },
  1_200_000,
);
