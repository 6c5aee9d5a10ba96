import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogEntry } from '../../src/sandbox/admin/log-admin.ts';
import { spawn } from '../support/processes.ts';
import { createWorld } from '../support/run.ts';
import { until } from '../support/until.ts';
import {
  cleanEnvironment,
  farMonday,
  program,
  runner,
  sched,
  startSandbox,
  temporaryHome,
  testClock,
  usedSandbox,
} from './program.ts';

/** Quarter hours from 12:00Z that are working hours in Berlin in winter and summer, on working days. */
const slotsPerDay = 12;

export const slot = (index: number): string => {
  const day = Math.floor(index / slotsPerDay);
  const days = Math.floor(day / 5) * 7 + (day % 5);
  const start = Date.parse(farMonday().replace('T10', 'T12'));
  return new Date(start + days * 86_400_000 + (index % slotsPerDay) * 900_000).toISOString();
};

/** The event type that is booked, in every sandbox. */
export const introCall = 'http://127.0.0.1:4010/event_types/YBL6DUNR9FS4PNP6';

/** Past the end of a window for bookings, also if its end isn't known for sure. */
const windowMs = 95_000;

/** Past the time after which an empty look-up proves that nothing was booked. */
const laterMs = 180_000;

export interface BookingTorture {
  kills: number;
  /** Lines that were claimed in the ledger by a process that was killed before the service got them. */
  unknown: number;
  /** Lines that the service booked, and how many bookings it made for them. */
  booked: number;
  bookings: number;
  /** Requests for a line beyond the first one, by the service's log. */
  sentTwice: number;
  result: { total: number; accepted: number; rejected: number; unknown: number };
  /** Addresses in the receipt. */
  leaks: number;
}

/** Books from a file with the real program against a real sandbox that isn't killed. The sandbox's log has the truth. */
export const openBookingTorture = async (count: number) => {
  const data = await usedSandbox();
  const sandbox = await startSandbox('--no-limits', '--data', data);
  const home = temporaryHome();
  const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url };
  const from = join(home, 'bookings.csv');
  const receipt = join(home, 'receipt.jsonl');
  const emails = Array.from({ length: count }, (_, index) => `tortured.${index}@people.example`);
  const rows = emails.map((email, index) => `${slot(index)},${email},Guest ${index}`);
  writeFileSync(from, ['start,email,name', ...rows].join('\n'));
  const same = ['--event-type', 'Intro call', '--timezone', 'Europe/Berlin'];
  const args = [
    'invitees',
    'create',
    '--from',
    from,
    ...same,
    '--confirm',
    String(count),
    '--receipt',
    receipt,
    '--json',
  ];
  const ledger = join(home, '.local/state/sched/bookings');
  mkdirSync(ledger, { recursive: true, mode: 0o700 });
  let kills = 0;

  const claims = (): number => readdirSync(ledger).filter((name) => name.endsWith('.json')).length;

  const clock = testClock();
  const run = (words: string[]) => sched(words, home, { ...env, ...clock.env });

  const log = async (): Promise<LogEntry[]> => {
    const reply = await fetch(`${sandbox.base_url}/__sandbox/log`, {
      headers: { 'x-sandbox-admin': sandbox.admin_token },
    });
    return ((await reply.json()) as { log: LogEntry[] }).log.filter(({ operation }) => operation === 'invitees.create');
  };

  /**
   * Waits, by both clocks, until a look-up can prove something. Then another booking shows that the list is current. It is
   * the earliest, because the look-up reads no more than 500 events.
   */
  const later = async () => {
    const moved = await (await createWorld()).run(['sandbox', 'clock', 'advance', '3m', '--data', data]);
    if (moved.code !== 0) throw new Error(moved.stderr);
    clock.setAhead(laterMs);
    const booked = await fetch(`${sandbox.base_url}/invitees`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        event_type: introCall,
        start_time: farMonday(),
        invitee: { email: 'other@people.example', name: 'Other', timezone: 'Europe/Berlin' },
      }),
    });
    if (!booked.ok) throw new Error(`the newer booking: ${await booked.text()}`);
  };

  return {
    /** Kills the process when it has claimed so many more bookings. */
    dieAfter: async (more: number): Promise<boolean> => {
      const before = claims();
      const child = spawn(runner, [...program, ...args], { env: cleanEnvironment(home, env) });
      const ended = new Promise<boolean>((resolve) => child.on('close', (_, signal) => resolve(signal === 'SIGKILL')));
      await Promise.race([until(() => claims() - before >= more, ledger), ended]);
      child.kill('SIGKILL');
      const wasKilled = await ended;
      if (wasKilled) kills += 1;
      return wasKilled;
    },
    finish: async (): Promise<BookingTorture> => {
      // The permits of killed processes are lost. Past their window, the limit of the plan doesn't make this run wait.
      clock.setAhead(windowMs);
      let last = await run(args);
      const { unknown } = JSON.parse(last.stdout) as BookingTorture['result'];
      if (unknown > 0) {
        await later();
        last = await run(args);
      }
      const sent = (await log())
        .map(({ body, committed }) => ({ email: JSON.parse(body!).invitee.email as string, committed }))
        .filter(({ email }) => emails.includes(email));
      const bookings = sent.filter(({ committed }) => committed);
      return {
        kills,
        unknown,
        booked: new Set(bookings.map(({ email }) => email)).size,
        bookings: bookings.length,
        sentTwice: sent.length - new Set(sent.map(({ email }) => email)).size,
        result: JSON.parse(last.stdout),
        leaks: readFileSync(receipt, 'utf8').split('tortured').length - 1,
      };
    },
    stop: sandbox.stop,
  };
};
