import type { Ended, Machine } from '../machine.ts';
import { nameOf, type Scene } from '../scene.ts';
import type { Intent, Kind } from './intent.ts';

/*
 * R55: `events follow` prints every booking and cancellation once. A kill repeats at most one line.
 */

/** What the followers of a machine have printed. */
interface Followed {
  lines: Map<string, number>;
  /** How often a follower may have printed a line and not remembered it. */
  interruptions: number;
}

const followers = new WeakMap<Machine, Followed>();

export const followedAt = (machine: Machine): Followed => {
  const found = followers.get(machine) ?? { lines: new Map(), interruptions: 0 };
  followers.set(machine, found);
  return found;
};

/** Counts the lines of a follower, also of one that was killed. */
const count = (machine: Machine, { code, stdout }: Ended): void => {
  const { lines } = followedAt(machine);
  if (code !== 0) followedAt(machine).interruptions += 1;
  for (const line of stdout.split('\n').slice(0, -1)) {
    const { event, payload } = JSON.parse(line) as { event: string; payload: { uri: string; created_at: string } };
    const key = `${event} ${nameOf(payload)}`;
    lines.set(key, (lines.get(key) ?? 0) + 1);
  }
};

export const followOnce = (machine: Machine): Intent => ({
  argv: ['events', 'follow', '--once', '--org', 'current', '--until', '2028-01-01', '-o', 'jsonl'],
  missing: () => undefined,
  onEnd: (ended) => count(machine, ended),
  // Another follower of this machine is at work, and tells what there is.
  settles: ({ code }) => code === 7,
});

export const follow: Kind = {
  commands: ['events follow'],
  weight: 2,
  make(scene, dice, machine) {
    if (!scene.isFollowed) return undefined;
    // Several people book the same event meanwhile, so that there is something to tell.
    const start = scene.nextSlot();
    for (let people = dice.below(6); people > 0; people -= 1) {
      const email = `guest${scene.nextNumber()}@sim.example`;
      const invitee = { email, name: 'Guest', timezone: 'UTC' };
      scene.later(dice.pick([0, 1000]), 'POST', '/invitees', { event_type: scene.group, start_time: start, invitee });
    }
    return followOnce(machine);
  },
};

/** What the followers of a machine got wrong in the end. */
export const wrongLines = (scene: Scene, machine: Machine): string | undefined => {
  const { lines, interruptions } = followedAt(machine);
  for (const { name, canceledAt } of scene.model.everBooked()) {
    if (!lines.has(`invitee.created ${name}`)) return `R55: the booking ${name} was never printed at ${machine.name}`;
    if (canceledAt !== undefined && !lines.has(`invitee.canceled ${name}`))
      return `R55: the cancellation ${name} was never printed at ${machine.name}`;
  }
  const repeated = [...lines.values()].reduce((sum, times) => sum + times - 1, 0);
  if (repeated > interruptions && machine.boot === 1)
    return `R55: ${repeated} lines came twice at ${machine.name} after ${interruptions} interruptions`;
  return undefined;
};
