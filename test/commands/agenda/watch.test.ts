import { describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import { extra } from '../../../src/commands/agenda/command.ts';
import type { Send } from '../../../src/http/message.ts';
import { type SentEvent, sentEvent, serviceWith } from '../../support/calendar.ts';
import { createWorld, outputs, replying, virtualClock, type WorldOptions } from '../../support/run.ts';

const world = await createWorld();

const standup: SentEvent = { name: 'Standup', start: '2026-11-16T08:00:00Z', end: '2026-11-16T08:15:00Z' };
const review: SentEvent = { name: 'Review', start: '2026-11-16T10:30:00Z', end: '2026-11-16T13:00:00Z' };

/** Runs `events agenda --watch` with another service in each minute, and stops it as Ctrl-C would after the last one. */
const watching = async (flags: string, services: readonly Send[], more: WorldOptions = {}) => {
  const { now, sleep } = virtualClock(Date.parse('2026-11-16T08:20:40Z'));
  const stop = new AbortController();
  const left = [...services];
  let current = left.shift()!;
  const pauses: number[] = [];
  const result = await world.run(`events agenda --watch ${flags}`, {
    terminals: outputs,
    columns: 80,
    rows: 40,
    clock: {
      now,
      sleep: async (milliseconds, signal) => {
        await sleep(milliseconds);
        // Others are waits between two attempts.
        if (signal !== stop.signal || now() % 60_000 !== 0) return;
        pauses.push(milliseconds);
        const next = left.shift();
        if (next === undefined) stop.abort(new SchedError('interrupted', 'Interrupted'));
        else current = next;
        signal.throwIfAborted();
      },
    },
    interrupted: stop.signal,
    send: (request) => current(request),
    ...more,
  });
  const [begin, ...frames] = result.stdout.split('\x1b[H');
  return { ...result, begin, frames, pauses };
};

const withEvents = (...events: SentEvent[]): Send => serviceWith(events.map(sentEvent), world.service);

const plain = (frame: string | undefined): string => frame!.replaceAll(/\x1b\[[?\d]*[A-Za-z]/g, '');

describe('events agenda --watch', () => {
  test('draws over the last picture every minute, and ends with Ctrl-C', async () => {
    const sent = [standup, review].map(sentEvent);
    const { code, begin, frames, pauses, stdout, requests } = await watching('', [
      serviceWith(sent.slice(0, 1), world.service),
      serviceWith(sent, world.service),
      serviceWith(sent, world.service),
    ]);
    expect({ code, begin, pauses }).toEqual({ code: 0, begin: '\x1b[?25l', pauses: [20_000, 60_000, 60_000] });
    expect(frames.map((frame) => /▶[\d:]+/.exec(frame)?.[0])).toEqual(['▶09:20', '▶09:21', '▶09:22']);
    expect(frames.map((frame) => frame.includes('Review'))).toEqual([false, true, true]);
    expect(plain(frames[1])).toContain('\nUpdated 09:21 · Ctrl-C stops\n');
    const paths = requests.map(({ url }) => new URL(url).pathname);
    expect(paths.filter((path) => path === '/scheduled_events')).toHaveLength(3);
    // The people of an event are asked for once.
    expect(paths.filter((path) => path.endsWith('/invitees'))).toHaveLength(2);
    // Each line is erased as it is drawn, and the rest of the screen at the end: nothing is blank in between.
    for (const frame of frames) expect(frame).toMatch(/^(.*\x1b\[K\n)+\x1b\[J(\x1b\[\?25h)?$/);
    expect(stdout.endsWith('\x1b[?25h')).toBe(true);
  });

  test('keeps the last picture while the service fails, and says since when', async () => {
    const failing = replying({ status: 503 });
    const { code, frames } = await watching('--max-wait 1s', [withEvents(standup), failing, withEvents(standup)]);
    expect(code).toBe(0);
    expect(frames).toHaveLength(3);
    for (const frame of frames) expect(frame).toContain('Standup');
    expect(plain(frames[1])).toMatch(/^Not updated since 09:20: .+ · Ctrl-C stops$/m);
    expect(frames[2]).toContain('Updated 09:2');
  });

  test('ends with the error if it never could be drawn, or can never be again', async () => {
    const first = await watching('--max-wait 1s', [replying({ status: 503 })]);
    expect(first).toMatchObject({ code: 9, frames: [] });
    const refused = await watching('', [withEvents(standup), replying({ status: 401 })]);
    expect(refused.code).toBe(4);
    expect(refused.stdout.endsWith('\x1b[?25h')).toBe(true);
  });

  test('leaves most of the rate limit to other commands', () => {
    const { background } = extra()[0]!;
    expect([background?.({ watch: true }), background?.({})]).toEqual([true, false]);
  });

  test('shows the next day after midnight', async () => {
    const { now, sleep } = virtualClock(Date.parse('2026-11-16T22:59:30Z'));
    const stop = new AbortController();
    const { stdout } = await world.run('events agenda --watch --day', {
      terminals: outputs,
      send: withEvents(),
      interrupted: stop.signal,
      clock: {
        now,
        sleep: async (milliseconds, signal) => {
          await sleep(milliseconds);
          if (now() > Date.parse('2026-11-16T23:00:30Z')) stop.abort(new SchedError('interrupted', 'Interrupted'));
          signal?.throwIfAborted();
        },
      },
    });
    expect(stdout.match(/(Mon|Tue) \d+ Nov(?=, today ·)/g)).toEqual(['Mon 16 Nov', 'Tue 17 Nov']);
  });

  test('keeps the present on a terminal that is too low', async () => {
    const { frames } = await watching('', [withEvents(standup, { ...review, start: '2026-11-16T03:00:00Z' })], {
      rows: 12,
    });
    const lines = plain(frames[0]).trimEnd().split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.filter((line) => line.includes('▶09:20 now'))).toHaveLength(1);
    expect(lines.at(-1)).toContain('More on a taller terminal');
  });

  test.each([
    ['', { terminals: [] }],
    ['--json', {}],
    ['-o csv', {}],
    ['--accessible', {}],
    ['', { env: { TERM: 'dumb' } }],
  ])('is refused with "%s" and %j', async (flags, more) => {
    const { code, stdout, stderr } = await world.run(`events agenda --watch ${flags}`, { terminals: outputs, ...more });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--watch draws on a terminal again and again');
  });
});
