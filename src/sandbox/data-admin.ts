import type { HttpRequest } from '../http/message.ts';
import { bodyOf } from './admin.ts';
import { invalid, invalidParameter } from './error-replies.ts';
import type { Sandbox } from './open.ts';
import type { SandboxClock } from './sandbox-clock.ts';
import { lastMoment } from './store/names.ts';
import { worldCalls } from './world/world-admin.ts';

/** Carries out `{ "time": TIME }`, `{ "time": "now" }` for the system time, or `{ "advance_seconds": NUMBER }`. */
const move = (clock: SandboxClock, { time, advance_seconds: seconds }: Record<string, unknown>) => {
  if ((time === undefined) === (seconds === undefined))
    throw invalid({ message: 'exactly one of time and advance_seconds is required' });
  if (time === 'now') return clock.restore();
  const milliseconds = typeof seconds === 'number' ? seconds * 1000 : Number.NaN;
  const wanted = seconds === undefined ? Date.parse(String(time)) : clock.now() + milliseconds;
  if (!(wanted >= 0 && wanted <= lastMoment))
    throw invalidParameter(
      seconds === undefined ? 'time' : 'advance_seconds',
      seconds === undefined ? 'must be now or a time such as 2026-12-01T09:00:00Z' : 'must be a number of seconds',
    );
  if (seconds === undefined) clock.set(wanted);
  else clock.advance(milliseconds);
};

/** Admin requests about the data: its clock, its content, and new data. They also work without a server. */
export const dataCalls = (sandbox: Sandbox, data: string) => {
  const { clock } = sandbox;
  const shown = () => ({
    time: new Date(clock.now()).toISOString(),
    offset_seconds: Math.round(clock.offset / 1000),
    data,
  });
  return {
    'GET /__sandbox/clock': async () => shown(),
    'POST /__sandbox/clock': async (request: HttpRequest) => {
      move(clock, bodyOf(request));
      return shown();
    },
    ...worldCalls(sandbox, data),
  };
};
