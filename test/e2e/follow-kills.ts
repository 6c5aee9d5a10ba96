import { spawn } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { introCall, slot } from './booking-kills.ts';
import { cleanEnvironment, program, runner, startSandbox, temporaryHome } from './program.ts';

interface Delivery {
  event: string;
  payload: { uri: string };
}

export interface FollowTorture {
  kills: number;
  /** Bookings and cancellations at the service. */
  happened: number;
  missing: number;
  /** Lines about something that never happened. */
  invented: number;
  /** The most lines that came again after one kill. */
  mostDoubledPerKill: number;
  /** Cancellations that were told before their booking. */
  outOfOrder: number;
}

/** Follows bookings with the real program against a real sandbox that isn't killed, while others book and cancel. */
export const openFollowTorture = async () => {
  const sandbox = await startSandbox('--no-limits');
  const home = temporaryHome();
  const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url };
  const args = [...program, 'events', 'follow', '--until', '+900d', '-o', 'jsonl'];
  const happened: string[] = [];
  const told: string[] = [];
  let booked = 0;
  let kills = 0;
  let mostDoubledPerKill = 0;

  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' };
    const reply = await fetch(`${sandbox.base_url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text).resource;
  };

  /** Books one meeting after another, and cancels every fifth. */
  const book = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      const person = { email: `p${booked}@people.example`, name: `Guest ${booked}`, timezone: 'UTC' };
      const made = await post('/invitees', { event_type: introCall, start_time: slot(booked), invitee: person });
      happened.push(`invitee.created ${made.uri}`);
      booked += 1;
      if (booked % 5 !== 0) continue;
      await post(`/scheduled_events/${made.event!.split('/').at(-1)}/cancellation`, {});
      happened.push(`invitee.canceled ${made.uri}`);
    }
  };

  /** Adds the lines of one process to those of the earlier ones. */
  const add = (stdout: string): void => {
    // A line without its end was cut off, so its reader doesn't use it.
    const lines = stdout.split('\n').slice(0, -1);
    const own = lines.map((line) => {
      const { event, payload } = JSON.parse(line) as Delivery;
      return `${event} ${payload.uri}`;
    });
    mostDoubledPerKill = Math.max(mostDoubledPerKill, own.filter((line) => told.includes(line)).length);
    told.push(...own);
  };

  const start = (...more: string[]) => {
    const child = spawn(runner, [...args, ...more], { env: cleanEnvironment(home, env) });
    const out = { stdout: '', stderr: '', lines: 0 };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out.stdout += text;
      out.lines = out.stdout.split('\n').length - 1;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      out.stderr += text;
    });
    const ended = new Promise<NodeJS.Signals | number | null>((resolve) =>
      child.once('close', (code, signal) => resolve(signal ?? code)),
    );
    return { child, out, ended };
  };

  const once = async (): Promise<void> => {
    const { out, ended } = start('--once');
    const code = await ended;
    if (code !== 0) throw new Error(`follow --once ended with ${code}: ${out.stderr}`);
    add(out.stdout);
  };

  await once();
  return {
    book,
    /** Kills a process when it has told so many lines, or is done. Meetings are booked meanwhile. */
    dieAfter: async (lines: number, bookings: number): Promise<void> => {
      const { child, out, ended } = start();
      const others = book(bookings);
      await Promise.race([until(() => out.lines >= lines), ended]);
      child.kill('SIGKILL');
      const signal = await ended;
      if (signal !== 'SIGKILL') throw new Error(`follow ended with ${signal}: ${out.stderr}`);
      kills += 1;
      add(out.stdout);
      await others;
    },
    finish: async (): Promise<FollowTorture> => {
      await once();
      const known = new Set(told);
      const first = (line: string) => told.indexOf(line);
      const isEarly = (line: string) => first(line) < first(line.replace('canceled', 'created'));
      return {
        kills,
        happened: happened.length,
        missing: happened.filter((line) => !known.has(line)).length,
        invented: told.filter((line) => !happened.includes(line)).length,
        mostDoubledPerKill,
        outOfOrder: [...known].filter((line) => line.startsWith('invitee.canceled') && isEarly(line)).length,
      };
    },
    stop: sandbox.stop,
  };
};
