import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SchedError } from '../../src/base/errors.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import { filesWith } from '../support/files-with.ts';
import { createWorld, jsonOf, type Result, type TestWorld } from '../support/run.ts';
import { syncedHome } from '../support/synced.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

/*
 * What docs/reliability.md promises about the end of a run, for each way in which one can end. A new promise of this kind
 * is a row of `promises`.
 */

const ends = ['well', 'refused', 'replies lost', 'stopped by SIGTERM', 'killed'] as const;
type End = (typeof ends)[number];

/** How each end is reported; a killed process reports nothing. */
const codes: Record<End, number[]> = {
  well: [0],
  // A part was done before.
  refused: [5, 11],
  'replies lost': [9, 10, 11],
  // R42: a command that runs until it is stopped ends well.
  'stopped by SIGTERM': [143, 0],
  killed: [],
};

interface Promised {
  line: string;
  /** The requests that do the work. The run ends at the second one, unless it ends well. */
  isWork(request: HttpRequest): boolean;
  /** What must hold when the run has ended, and after the same command has run again. */
  holds(run: Ended): Promise<void> | void;
  afterwards(run: Ended, again: Result): Promise<void> | void;
}

interface Ended {
  world: TestWorld;
  end: End;
  /** What it left on this machine. */
  home: string;
  stdout: string;
  people: string[];
  /** The work that the service has done for it. */
  done: HttpRequest[];
}

/** The files of a process that is killed right now. Its locks are free, as the system frees them. */
const copyOf = (home: string): string => {
  const copy = temporaryDirectory('killed');
  cpSync(home, copy, { recursive: true });
  for (const name of readdirSync(copy, { recursive: true, encoding: 'utf8' }))
    if (/(^|\/)\.?locks$/.test(name)) rmSync(join(copy, name), { recursive: true });
  return copy;
};

const runUntil = async (end: End, { line, isWork }: Promised): Promise<Ended> => {
  const world = await createWorld();
  const home = await syncedHome(world, '--since -5d --until +5d');
  const rows = jsonOf(await world.run('events list --org current --since now --until +4d --with invitees --json'));
  const all = rows.flatMap((row: { _sched: { invitees: { email: string }[] } }) => row._sched.invitees);
  const people = [...new Set<string>(all.map(({ email }: { email: string }) => email.toLowerCase()))].slice(0, 3);
  const stop = new AbortController();
  const done: HttpRequest[] = [];
  let [count, left, shown] = [0, home, ''];
  let printed: string | undefined;
  const send: Send = async (request) => {
    const isHit = isWork(request) && ++count >= 2;
    if (isHit && end === 'replies lost') throw new NetworkFailure('127.0.0.1', 'connection reset', true);
    if (isHit && end === 'refused') return { status: 403, headers: {}, body: '{"title":"Permission Denied"}' };
    if (isHit && end === 'killed' && printed === undefined) {
      left = copyOf(home);
      printed = shown;
    }
    if (isHit && end === 'stopped by SIGTERM') stop.abort(new SchedError('terminated', 'Terminated'));
    const reply = await world.service(request);
    if (isWork(request) && printed === undefined) done.push(request);
    return reply;
  };
  const onStdout = (text: string) => {
    shown += text;
  };
  const words = line.replace('PEOPLE', people.join(' '));
  const result = await world.run(words, { home, send, onStdout, interrupted: stop.signal });
  if (end !== 'killed') expect(codes[end], result.stderr).toContain(result.code);
  return { world, end, home: left, stdout: printed ?? result.stdout, people, done };
};

const emailsIn = (requests: readonly HttpRequest[]): string[] =>
  requests.flatMap(({ body }) => (JSON.parse(body!) as { emails: string[] }).emails);

const printed = (text: string): string[] =>
  [...text.matchAll(/"uri":"([^"]*\/invitees\/[^"]+)"/g)].map(([, uri]) => uri!);

const promises: Record<string, Promised> = {
  // R34, R36, R37, R49, R67
  'compliance delete': {
    line: 'compliance delete PEOPLE --batch-size 1 --yes --json',
    isWork: ({ url }) => url.endsWith('/invitee_deletion'),
    holds: async ({ world, home, end, people, done }) => {
      const send = () => Promise.reject(new Error('a mirror sends nothing'));
      // A killed process finishes nothing: no command answers from the mirror before it is done.
      if (end === 'killed') await world.run('--mirror events list --org current', { home, send });
      for (const email of emailsIn(done)) expect(filesWith(join(home, '.cache'), email)).toEqual([]);
      for (const email of people) expect(filesWith(join(home, '.local'), email)).toEqual([]);
    },
    afterwards: ({ people, done, home }, again) => {
      expect(again.code, again.stderr).toBe(0);
      const repeated = again.requests.filter(({ url }) => url.endsWith('/invitee_deletion'));
      expect([...emailsIn(done), ...emailsIn(repeated)].sort()).toEqual([...people].sort());
      for (const email of people) expect(filesWith(home, email)).toEqual([]);
    },
  },
  // R55
  'events follow': {
    line: 'events follow --once -o jsonl --since 2026-11-01 --org current',
    isWork: ({ url }) => /\/invitees\?/.test(url),
    holds: () => {},
    afterwards: async ({ world, stdout }, again) => {
      expect(again.code, again.stderr).toBe(0);
      const whole = await world.run('events follow --once -o jsonl --since 2026-11-01 --org current', {
        home: temporaryDirectory('home'),
      });
      expect([...printed(stdout), ...printed(again.stdout)].sort()).toEqual(printed(whole.stdout).sort());
    },
  },
  // R66
  'availability off': {
    line: 'availability off 2026-12-24 --yes',
    isWork: ({ method, url }) => method !== 'GET' && url.includes('availability'),
    holds: () => {},
    afterwards: async ({ world, home }, again) => {
      expect(again.code, again.stderr).toBe(0);
      const { stderr } = await world.run('availability off 2026-12-24 --yes', { home });
      expect(stderr).toContain('all schedules are off');
    },
  },
};

const cells = Object.keys(promises).flatMap((name) => ends.map((end) => [name, end] as const));

/** Following reads all lists several times, so only some of its ends are tried in each run. */
const kindOf = ([name, end]: readonly [string, End]) => (name === 'compliance delete' ? `${name} ${end}` : name);

test.each(sample(cells, 1, kindOf))('%s that ends: %s', async (name, end) => {
  const promised = promises[name]!;
  const run = await runUntil(end, promised);
  await promised.holds(run);
  const words = promised.line.replace('PEOPLE', run.people.join(' '));
  const isPosition = name === 'events follow';
  const again = await run.world.run(isPosition ? words.replace(/--since \S+ /, '') : words, { home: run.home });
  await promised.afterwards(run, again);
});
