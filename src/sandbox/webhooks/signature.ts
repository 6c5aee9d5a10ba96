import { createHmac } from 'node:crypto';

/** The value of `Webhook-Signature`. `seconds` is the time of the attempt, so that old deliveries can be refused. */
export const signatureOf = (key: string, seconds: number, body: string): string =>
  `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`;
