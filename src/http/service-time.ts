import type { Layer } from './message.ts';

/** RFC 9110 §5.6.7: the only date format that a service may send. */
const imfDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The time of a header, in milliseconds since 1970. */
export const headerTime = (text = ''): number | undefined => {
  const time = imfDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

/** The service's clock, as of its last reply. This machine's clock may be wrong. */
export const serviceClock = () => {
  let time: number | undefined;
  const layer: Layer = (next) => async (request) => {
    const reply = await next(request);
    time = headerTime(reply.headers.date);
    return reply;
  };
  return { layer, now: () => time };
};
