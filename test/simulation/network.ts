import { NetworkFailure } from '../../src/http/failure.ts';
import { defaultTimeoutMs, type HttpReply, type HttpRequest, isSuccess, type Send } from '../../src/http/message.ts';
import type { Process, Site } from './machine.ts';

/*
 * Between the processes and the service. A request leaves, arrives and is replied to in steps of their own, so that
 * requests overtake each other. One that has left goes on if its process is killed.
 */

export const origin = 'http://127.0.0.1:4010';
/** Where the handlers of webhooks are. */
export const handlerOrigin = 'http://127.0.0.1:4020';
const place = '127.0.0.1:4010';
export const tokenPath = '/oauth/token';

/** The longest that a request may still be on its way after its sender has given up, by R27, less what replies take. */
const longestDelayMs = 110_000;

const refusal = (status: number, headers: Record<string, string> = {}, body = ''): HttpReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});
const tooMany = refusal(
  429,
  { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' },
  '{"title":"Too Many Requests","message":"Slow down."}',
);

const isToHandler = ({ url }: HttpRequest): boolean => url.startsWith(`${handlerOrigin}/`);

const arrive = async (
  { service, handle, scheduler, counts, onArrive, onChange }: Site,
  request: HttpRequest,
  process: Process,
  isLate = process.isOver,
): Promise<HttpReply> => {
  if (isToHandler(request)) {
    process.writes.made += 1;
    return handle(request);
  }
  if (request.method !== 'GET') onArrive(request, process);
  const answer = await service(request);
  const reply = { ...answer, headers: { ...answer.headers, date: new Date(scheduler.time).toUTCString() } };
  scheduler.note(`${process.pid} ${request.method} is served: ${reply.status}`);
  counts.requests += 1;
  if (reply.status === 429) {
    // The authorization server has a limit of its own, which no budget knows.
    if (new URL(request.url).pathname !== tokenPath) counts.limited += 1;
    process.saw.limited += 1;
  }
  if (request.method !== 'GET' && isSuccess(reply)) {
    // For most commands, a refresh is only a step before their own requests.
    if (process.argv[0] === 'auth' || new URL(request.url).pathname !== tokenPath) process.writes.made += 1;
    onChange(request, reply, process, isLate);
  }
  return reply;
};

/** The way of a process to the service, until it is interrupted. */
export const sendFrom =
  (site: Site, process: Process, interrupted: AbortSignal): Send =>
  (request) =>
    new Promise((resolve, reject) => {
      if (process.isOver) return;
      const {
        scheduler,
        dice: { network: dice },
      } = site;
      const isWrite = request.method !== 'GET';
      const { machine } = process;
      const { pathname } = new URL(request.url);
      const name = `${process.pid} ${request.method} ${pathname}`;
      const whole = `${request.method} ${request.url}`;
      const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
      let isSettled = false;
      const signals = [interrupted, ...(request.signal ? [request.signal] : [])];
      const settle = (work: () => void) => {
        if (isSettled) return;
        isSettled = true;
        for (const signal of signals) signal.removeEventListener('abort', stop);
        work();
      };
      const stop = () => settle(() => reject(signals.find(({ aborted }) => aborted)!.reason));
      if (signals.some(({ aborted }) => aborted)) return stop();
      for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
      const back = (label: string, work: () => void) =>
        scheduler.add({ label: `${name} ${label}`, owner: process, happen: () => settle(work) });
      const reply = (label: string, answer: HttpReply) =>
        back(label, () => {
          const seconds = answer.status === 429 ? Number(answer.headers['x-ratelimit-reset']) : 0;
          process.mayRepeatAt.set(whole, scheduler.time + seconds * 1000);
          resolve(answer);
        });
      const fail = (label: string, isSent: boolean, reason: string) =>
        back(label, () => reject(new NetworkFailure(place, reason, isSent)));
      /** For the check of exit codes. */
      const note = (isSent = true) => {
        process.saw.network += 1;
        if (isWrite && isSent) process.saw.lostWrites += 1;
        // A network that fails once is often away for a while.
        if (machine.offline === 0 && dice.chance(0.2)) machine.offline = 1 + dice.below(6);
      };
      const lose = () => {
        note();
        if (dice.chance(0.5)) fail('is reset', true, 'the connection was reset');
        else
          scheduler.after(timeoutMs, () => fail('times out', true, `no complete reply within ${timeoutMs / 1000} s`));
      };
      if (scheduler.time < (process.mayRepeatAt.get(whole) ?? 0) && pathname !== tokenPath && !isToHandler(request))
        scheduler.violate(`R28: ${name} is sent again before the time that the service has named`);
      if (isWrite) {
        process.writes.sent += 1;
        site.onLeave(process, request);
      }
      scheduler.add({
        label: `${name} leaves`,
        happen: async () => {
          // The process was interrupted before the connection was made.
          if (isSettled) return;
          const { faults } = site;
          if (machine.offline > 0) machine.offline -= 1;
          if (machine.offline > 0 || dice.chance(faults.refused)) {
            note(false);
            return fail('is refused', false, 'connection refused');
          }
          if (dice.chance(faults.limited)) {
            process.saw.limited += 1;
            return reply('gets a 429', tooMany);
          }
          if (dice.chance(faults.unavailable)) {
            note();
            return reply('gets a 503', refusal(503));
          }
          if (dice.chance(faults.lostRequest)) return lose();
          if (isWrite && dice.chance(faults.lateRequest)) {
            // Right then, and not at some later step: the time could be beyond what R27 allows.
            scheduler.after(dice.below(timeoutMs + longestDelayMs), async () => {
              scheduler.note(`${name} arrives late`);
              await arrive(site, request, process, true);
            });
            return lose();
          }
          const answer = await arrive(site, request, process);
          if (dice.chance(faults.lostReply)) return lose();
          if (dice.chance(faults.brokenReply)) {
            note();
            const half = { ...answer, body: answer.body.slice(0, answer.body.length >> 1) };
            const broken = dice.chance(0.5) ? refusal(500, {}, '<h1>Oops') : half;
            return reply('is broken', broken);
          }
          reply('is replied to', answer);
        },
      });
    });
