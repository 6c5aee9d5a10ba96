import type { Dice } from './dice.ts';

/** How often each kind of fault happens, as a share of the occasions for it. */
export const noFaults = {
  /** SIGKILL, before a step of the process or right after it. */
  kill: 0,
  /** SIGINT or SIGTERM. */
  signal: 0,
  /** The machine loses power. */
  power: 0,
  /** A connection is refused. */
  refused: 0,
  lostRequest: 0,
  /** A write arrives after its sender has given up. */
  lateRequest: 0,
  lostReply: 0,
  /** 500, or half of a reply, after the change. */
  brokenReply: 0,
  /** 429 before the service sees the request. */
  limited: 0,
  /** 503 without a reply of the service. */
  unavailable: 0,
  /** ENOSPC: once, or for some calls. */
  diskFull: 0,
  /** EIO: once, or for some calls. */
  diskError: 0,
  /** A command of Redis gets no reply, before its change or after it. */
  redis: 0,
  /** Time passes while something could go on, as after a laptop was closed: for more than a moment if it is 1. */
  stall: 0,
  /** The clocks of machines differ by so many milliseconds. */
  skewMs: 0,
};

export type Faults = typeof noFaults;
export type FaultKind = keyof Faults;
export const faultKinds = Object.keys(noFaults) as FaultKind[];

const shares: Record<FaultKind, readonly number[]> = {
  kill: [0.002, 0.01, 0.03],
  signal: [0.002, 0.01],
  power: [0.001, 0.004],
  refused: [0.01, 0.1],
  lostRequest: [0.01, 0.1],
  lateRequest: [0.05, 0.2],
  lostReply: [0.02, 0.1, 0.2],
  brokenReply: [0.02, 0.1],
  limited: [0.01, 0.1],
  unavailable: [0.01, 0.1],
  diskFull: [0.002, 0.01, 0.03],
  diskError: [0.0005, 0.002],
  redis: [0.005, 0.02],
  stall: [1],
  skewMs: [5000, 3_600_000, 86_400_000],
};

/**
 * Each seed has some kinds of faults only, or hardly one: with all of them at once, nothing gets far enough to break, and
 * some promises hold only as long as nothing else fails.
 */
export const swarmOf = (dice: Dice): Faults => {
  const faults = { ...noFaults };
  const most = dice.pick([0, 0.2, 0.5]);
  for (const kind of faultKinds) {
    const share = dice.pick(shares[kind]);
    // Clocks that differ don't make anything fail.
    if (dice.chance(kind === 'skewMs' ? 0.5 : most)) faults[kind] = share;
  }
  return faults;
};

/** How many things a seed does. Many short seeds meet more kinds of faults than a few long ones. */
export const usualIntents = 20;

/** The kinds of work of a seed, each as often as its weight: all of them, or a few that meet more often then. */
export const workOf = (kinds: Readonly<Record<string, { weight: number }>>, dice: Dice, seed: number): string[] => {
  const names = Object.keys(kinds);
  // Seeds in a row meet every kind.
  const few = Array.from({ length: dice.pick([1, 1, 2, 4]) }, (_, index) =>
    index === 0 ? names[seed % names.length]! : dice.pick(names),
  );
  return (dice.chance(0.3) ? names : few).flatMap((name) => Array<string>(kinds[name]!.weight).fill(name));
};
