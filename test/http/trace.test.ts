import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { trace } from '../../src/http/trace.ts';
import { virtualClock } from '../support/run.ts';

const canary = 'canary-token-0123456789';
const answer: Send = async () => ({
  status: 200,
  headers: { 'set-cookie': canary, 'x-request-id': 'r-1' },
  body: '{}',
});

describe('trace', () => {
  const traced = async (send: Send, url = 'https://api.example.com/invitees?count=1') => {
    const lines: string[] = [];
    const request = {
      method: 'POST',
      url,
      headers: { accept: 'application/json', authorization: `Bearer ${canary}` },
      body: '{"name":"ü"}',
    };
    const outcome = await trace(virtualClock(), (line) => lines.push(line))(send)(request).catch((error) => error);
    return { lines, outcome };
  };

  test('reports request and reply without headers and bodies', async () => {
    const { lines, outcome } = await traced(answer);
    expect(outcome.status).toBe(200);
    expect(lines).toEqual([
      '→ POST https://api.example.com/invitees?count=1 (13 bytes)',
      '← 200 in 0 ms, 2 bytes, request r-1',
    ]);
    expect(lines.join()).not.toContain(canary);
  });

  // R49
  test('hides email addresses in a query, also in a page token', async () => {
    const token = Buffer.from('{"invitee_email":"ada@engine.example","id":7}').toString('base64url');
    const query = `user=U&invitee_email=ada%40engine.example&email=a%40b&page_token=${token}&count=1`;
    const { lines } = await traced(answer, `https://api.example.com/scheduled_events?${query}`);
    const shown = 'user=U&invitee_email=[address]&email=[address]&page_token=[address]&count=1';
    expect(lines[0]).toBe(`→ POST https://api.example.com/scheduled_events?${shown} (13 bytes)`);
  });

  test('reports a failure and throws it', async () => {
    const broken = new Error('the connection was reset');
    const { lines, outcome } = await traced(async () => {
      throw broken;
    });
    expect(outcome).toBe(broken);
    expect(lines[1]).toBe('← no reply after 0 ms: the connection was reset');
  });
});
