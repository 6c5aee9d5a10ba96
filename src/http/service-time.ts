import type { Clock } from '../base/system.ts';
import type { Layer } from './message.ts';

/** RFC 9110 §5.6.7: the only date format that a service may send. */
const imfDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The time of a header, in milliseconds since 1970. */
export const headerTime = (text = ''): number | undefined => {
  const time = imfDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

/** A larger difference between two clocks matters: logins and rate limits may fail, and `next` is another event. */
export const toleratedSkewMs = 2 * 60_000;

/** The service's clock, learned from its replies: this machine's clock may be wrong, and that of a sandbox moved. */
export const serviceClock = (machine: Pick<Clock, 'now'>) => {
  let time: number | undefined;
  let ahead = 0;
  const layer: Layer = (next) => async (request) => {
    const reply = await next(request);
    time = headerTime(reply.headers.date);
    if (time !== undefined) ahead = time - machine.now();
    return reply;
  };
  return {
    layer,
    /** The time in the last reply, if it had one. */
    told: () => time,
    /** The time by now. This machine's own until a reply tells another. */
    now: () => machine.now() + ahead,
  };
};
