import type { HttpReply, HttpRequest } from '../../http/message.ts';
import { urlOf } from '../server/request-url.ts';
import type { SandboxClock } from './sandbox-clock.ts';

export const timePath = '/__sandbox/time';

/** Tells the time of the sandbox to everyone who asks: the clock can be moved, and `tomorrow` is typed before any reply. */
export const answerTime = (request: HttpRequest, clock: Pick<SandboxClock, 'now'>): HttpReply | undefined =>
  request.method === 'GET' && urlOf(request)?.pathname === timePath
    ? { status: 204, headers: { date: new Date(clock.now()).toUTCString() }, body: '' }
    : undefined;
