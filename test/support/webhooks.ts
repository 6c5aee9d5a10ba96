import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { machineDay } from './run.ts';

export const signingKey = 'whk_5f0c1d9e7b3a';

/** A delivery as the service describes it. */
export const sample = (more: Record<string, unknown> = {}) => ({
  event: 'invitee.created',
  created_at: '2026-11-15T17:59:58.000000Z',
  created_by: 'http://127.0.0.1:4010/users/AMARA',
  payload: {
    uri: 'http://127.0.0.1:4010/scheduled_events/EV1/invitees/IN1',
    name: 'Ada Byron',
    email: 'ada@engine.example',
    scheduled_event: { name: 'Intro call', start_time: '2026-11-16T09:00:00.000000Z' },
  },
  ...more,
});

/** The header of a body, signed at this time. Written here on its own, so that the program's check has a judge. */
export const signed = (body: string | Uint8Array, at = machineDay, key = signingKey): string => {
  const time = Math.floor(at / 1000);
  return `t=${time},v1=${createHmac('sha256', key).update(`${time}.`).update(body).digest('hex')}`;
};

export interface Posted {
  status: number;
  text: string;
}

/** Sends a request that `fetch` might not send, such as one with a wrong content-length. */
export const post = (
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Posted> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, async (reply) => {
      let text = '';
      for await (const chunk of reply) text += chunk;
      resolve({ status: reply.statusCode!, text });
    });
    sent.on('error', reject);
    // As bytes: with a string, Node would send headers in its encoding.
    sent.end(Buffer.from(body as string));
  });

/** Sends a signed delivery. */
export const deliver = (
  url: string,
  content: unknown = sample(),
  at = machineDay,
  key = signingKey,
): Promise<Posted> => {
  const body = JSON.stringify(content);
  return post(url, body, { 'content-type': 'application/json', 'webhook-signature': signed(body, at, key) });
};
