import { SchedError } from '../../../../src/errors.ts';
import type { HttpRequest } from '../../../../src/http/message.ts';
import type { Clock } from '../../../../src/system.ts';
import type { Result, TestWorld, WorldOptions } from '../../../support/run.ts';

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

let people = 0;

/** Books a free time of the event type for somebody new. Returns the ID of the event. */
export const book = async (world: TestWorld, type = 'Intro call', name = 'Ada Byron'): Promise<string> => {
  people += 1;
  const line = `invitees create --event-type "${type}" --first-free --name "${name}" --email p${people}@engine.example --timezone UTC --json`;
  const { code, stdout, stderr } = await world.run(line);
  if (code !== 0) throw new Error(stderr);
  return String(JSON.parse(stdout).event).split('/').at(-1)!;
};

export const cancel = async (world: TestWorld, event: string): Promise<void> => {
  const { code, stderr } = await world.run(`events cancel ${event} --yes`);
  if (code !== 0) throw new Error(stderr);
};
