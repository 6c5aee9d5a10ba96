import { checkSignature } from '../../../src/commands/webhooks/work-signature.ts';
import type { HttpReply, HttpRequest } from '../../../src/http/message.ts';
import { inputs, type Machine } from '../machine.ts';
import { handlerOrigin } from '../network.ts';
import { nameOf, type Scene } from '../scene.ts';
import { common, type Kind } from './intent.ts';

/*
 * R70: a backfill that says it is done has sent every booking and cancellation of its stretch, signed and without a token.
 * A kill, a lost reply or a late request repeats at most one delivery.
 */

const key = 'signing-key-of-the-handler';
const keyPath = `${inputs}/hooks.key`;

/** What reached the handler of a machine. */
interface Handled {
  /** How often each delivery was accepted. */
  counts: Map<string, number>;
  /** How often a backfill may not have noted that one was accepted. */
  mishaps: number;
}

const handlers = new WeakMap<Machine, Handled>();

const handledAt = (machine: Machine): Handled => {
  const found = handlers.get(machine) ?? { counts: new Map(), mishaps: 0 };
  handlers.set(machine, found);
  return found;
};

/** Lets the handler of each machine receive deliveries. */
export const startHandlers = ({ site, scheduler, machines }: Scene): void => {
  site.handle = ({ url, headers, body = '' }: HttpRequest): HttpReply => {
    const machine = machines.find(({ name }) => new URL(url).pathname === `/${name}`)!;
    const check = checkSignature(
      { header: headers['webhook-signature'] ?? '', body: Buffer.from(body) },
      { key, now: scheduler.time },
    );
    if (check.kind !== 'ok' && check.kind !== 'too old') scheduler.violate(`R70: a delivery is ${check.kind}`);
    if (headers.authorization !== undefined) scheduler.violate('R51: the handler gets a token');
    const { event, created_at, payload } = JSON.parse(body);
    const { counts } = handledAt(machine);
    const id = `${event} ${nameOf(payload)} ${created_at}`;
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return { status: 204, headers: {}, body: '' };
  };
};

/** What happened in the stretch and was never sent. The clock of the service has whole seconds. */
const missingDelivery = (
  { model }: Scene,
  machine: Machine,
  { since, before }: { since: number; before: number },
): string | undefined => {
  const sent = new Set([...handledAt(machine).counts.keys()].map((id) => id.split(' ').slice(0, 3).join(' ')));
  const expected = model.everBooked().flatMap(({ name, at, canceledAt = Number.NaN }) => [
    { id: `invitee.created ${name}`, at },
    { id: `invitee.canceled ${name}`, at: canceledAt },
  ]);
  const missing = expected.find(({ id, at }) => at >= since && at < before && !sent.has(id));
  return missing && `R70: ${missing.id} was never sent to the handler of ${machine.name}`;
};

export const backfill: Kind = {
  commands: ['webhooks backfill'],
  weight: 2,
  make(scene, dice, machine) {
    machine.volume.place(keyPath, key);
    const handled = handledAt(machine);
    let stretch: { since: number; before: number } | undefined;
    // Somebody books and cancels meanwhile.
    const invitee = { email: `missed${scene.nextNumber()}@sim.example`, name: 'Guest', timezone: 'UTC' };
    const booking = { event_type: scene.group, start_time: scene.nextSlot(), invitee };
    scene.later(dice.pick([0, 1000]), 'POST', '/invitees', booking);
    const to = `${handlerOrigin}/${machine.name}`;
    return {
      // The clocks of machines may differ by a day.
      argv: [
        ...['webhooks', 'backfill', '--since', '-25h', '--org', 'current'],
        ...['--forward-to', to, '--signing-key-file', keyPath, ...common],
      ],
      onEnd: ({ code, stdout }, { saw, startedAt }) => {
        handled.mishaps += saw.disk + saw.lostWrites + saw.signals + (code === 'killed' ? 1 : 0);
        if (code === 0) stretch = { since: Date.parse(JSON.parse(stdout).since), before: startedAt };
      },
      missing: () => stretch && missingDelivery(scene, machine, stretch),
      // Another backfill of this machine is at work.
      settles: ({ code }) => code === 7,
      sentTooOften: () => {
        const repeated = [...handled.counts.values()].reduce((sum, times) => sum + times - 1, 0);
        return repeated > handled.mishaps
          ? `R70: ${repeated} deliveries came again at ${machine.name} after ${handled.mishaps} mishaps`
          : undefined;
      },
      hidesAddresses: true,
    };
  },
};
