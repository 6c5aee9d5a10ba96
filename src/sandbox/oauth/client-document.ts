import http from 'node:http';
import https from 'node:https';
import { isObject, jsonIn } from '../../base/json.ts';
import type { Clock } from '../../base/system.ts';

const mostBytes = 64 * 1024;
const patienceMilliseconds = 2_000;

/** The redirect URIs that a document lists, or why it can't be used. Nothing else of it is kept. */
export type ClientDocument = { redirectUris: unknown[] } | { problem: string };

/**
 * Whether a client ID is the URL of a document on this machine: with a literal loopback address, so that nothing depends on
 * an answer of DNS, and spelled as the URL parser spells it, so that what is checked is what is connected to.
 */
export const isDocumentUrl = (id: string): boolean =>
  /^https?:\/\/(127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?\/[^?#]+$/.test(id) && URL.canParse(id) && new URL(id).href === id;

/**
 * Reads a document, without credentials, and follows no redirect. Any certificate will do, as none is needed with http:
 * clients that demand https have one of their own for this address.
 */
const read = (url: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http;
    const options = { agent: false, signal, headers: { accept: 'application/json' }, rejectUnauthorized: false };
    const sent = request(url, options, (response) => {
      const { statusCode, headers } = response;
      const refuse = (why: string) => {
        reject(new Error(why));
        sent.destroy();
      };
      if (statusCode !== 200) return refuse('its address does not answer with status 200');
      if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? ''))
        return refuse('it is not sent as JSON');
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > mostBytes) return refuse('it is larger than 64 kB');
        chunks.push(chunk);
      });
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.on('error', () => refuse('it ended too early'));
    });
    sent.on('error', () => reject(new Error('nothing answers at its address')));
    sent.end();
  });

/**
 * The metadata document of a client. Another service of this machine may be at its address, so no part of what it answers
 * reaches an error, a log or a page.
 */
export const readDocument = async (id: string, sleep: Clock['sleep']): Promise<ClientDocument> => {
  if (!isDocumentUrl(id)) return { problem: 'the sandbox only reads documents at http://127.0.0.1 or http://[::1]' };
  const end = new AbortController();
  const late = sleep(patienceMilliseconds, end.signal).then(
    () => {
      throw new Error('it takes longer than two seconds');
    },
    () => new Promise<never>(() => {}),
  );
  try {
    const document = jsonIn(await Promise.race([read(id, end.signal), late]));
    if (!isObject(document) || document.client_id !== id || !Array.isArray(document.redirect_uris))
      return { problem: 'it must have its own address as client_id, and redirect_uris' };
    return { redirectUris: document.redirect_uris };
  } catch (error) {
    return { problem: (error as Error).message };
  } finally {
    end.abort();
  }
};
