import { SchedError } from '../../../src/base/errors.ts';
import { onceEach } from '../../../src/base/once.ts';
import type { Clock } from '../../../src/base/system.ts';
import type { HttpRequest } from '../../../src/http/message.ts';
import { createWorld, type Result, type TestWorld, type WorldOptions } from '../../support/run.ts';

/** Shorter sleeps are not pauses between two checks. */
const shortestPause = 9000;

/**
 * Runs `events follow` until the steps are done, then stops it as Ctrl-C would. A step runs in each pause between two
 * checks, and the clock moves only in pauses.
 */
export const following = async (
  world: TestWorld,
  flags: string,
  steps: readonly (() => unknown)[],
  more: WorldOptions = {},
): Promise<Result & { pauses: number[] }> => {
  const stop = new AbortController();
  const left = [...steps];
  const pauses: number[] = [];
  /** Errors of steps, which the program must not take for its own. */
  const broken: unknown[] = [];
  const sleep: Clock['sleep'] = async (milliseconds, signal) => {
    await world.clock.sleep(milliseconds);
    if (milliseconds < shortestPause || signal === undefined) return;
    pauses.push(milliseconds);
    const next = left.shift();
    try {
      await next?.();
    } catch (error) {
      broken.push(error);
    }
    if (next === undefined || broken.length > 0) stop.abort(new SchedError('interrupted', 'Interrupted'));
    signal.throwIfAborted();
  };
  const clock = { now: world.clock.now, sleep };
  const result = await world.run(`events follow ${flags}`, { ...more, clock, interrupted: stop.signal });
  if (broken.length > 0) throw broken[0];
  return { ...result, pauses };
};

export interface Delivery {
  event: string;
  created_at: string;
  created_by: string | null;
  payload: { uri: string; name: string; status: string; updated_at: string; scheduled_event: { uri: string } };
}

export const deliveries = (stdout: string): Delivery[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

export const isInvitees = ({ url }: HttpRequest) => new URL(url).pathname.endsWith('/invitees');

/** Sends a request to the service itself: a command for each booking would take longer. */
const post = async (world: TestWorld, path: string, body: object) => {
  const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:4010${path}`;
  return world.service({ method: 'POST', url, headers, body: JSON.stringify(body) });
};

/** An event type and its free times in a world without further bookings. They are the same in all worlds. */
const typeWithStarts = onceEach(async (type: string): Promise<{ uri: string; starts: string[] }> => {
  const world = await createWorld();
  const types = JSON.parse((await world.run('event-types list --json')).stdout) as { uri: string; name: string }[];
  const { stdout } = await world.run(`event-types slots "${type}" -o id`);
  return { uri: types.find(({ name }) => name === type)!.uri, starts: stdout.trim().split('\n') };
});

let people = 0;

/** Books the first free time of the event type for somebody new. Returns the ID of the event. */
export const book = async (world: TestWorld, type = 'Intro call', name = 'Ada Byron'): Promise<string> => {
  people += 1;
  const invitee = { name, email: `p${people}@engine.example`, timezone: 'UTC' };
  const { uri, starts } = await typeWithStarts(type);
  for (const start_time of starts) {
    const { status, body } = await post(world, '/invitees', { event_type: uri, start_time, invitee });
    if (status < 300) return String(JSON.parse(body).resource.event).split('/').at(-1)!;
  }
  throw new Error(`no time of ${type} is free`);
};

export const cancel = async (world: TestWorld, event: string): Promise<void> => {
  const { status, body } = await post(world, `/scheduled_events/${event}/cancellation`, {});
  if (status >= 300) throw new Error(body);
};
