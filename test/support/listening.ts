import { writeFileSync } from 'node:fs';
import { heldClock } from './held-clock.ts';
import type { TestWorld } from './run.ts';
import { network, type Result, type WorldOptions } from './run.ts';
import { closeLater, temporaryFile } from './temporary.ts';
import { signingKey } from './webhooks.ts';

type Run = TestWorld['run'];

export interface Listening {
  url: string;
  /** Everything on stdout so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when stderr has a text. */
  said(pattern: RegExp): Promise<void>;
  /** Stops it as Ctrl-C does. */
  stop(): Promise<Result>;
  ended: Promise<Result>;
}

let keys = 0;

/** A file with the key of test/support/webhooks.ts. */
export const keyFile = (key = signingKey): string => {
  const file = temporaryFile(`hooks-${++keys}.key`);
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return file;
};

/** `sched webhooks listen` in this process, at a free port or that of `flags`, until it is stopped or the test file is done. */
export const startListening = async (
  run: Run,
  flags: string[] = [],
  more: WorldOptions = {},
  keyFlags = flags.includes('--signing-key-file') ? [] : ['--signing-key-file', keyFile()],
): Promise<Listening> => {
  const signal = new AbortController();
  const stopLater = closeLater(() => signal.abort());
  const text = { stdout: '', stderr: '' };
  let changed = () => {};
  const told = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const before = changed;
      changed = () => {
        before();
        const found = pattern.exec(text.stderr);
        if (found !== null) resolve(found);
      };
      changed();
    });
  const port = flags.includes('--port') ? [] : ['--port', '0'];
  const ended = run(['webhooks', 'listen', ...port, ...keyFlags, ...flags], {
    clock: heldClock(),
    send: network,
    ...more,
    interrupted: signal.signal,
    onStdout: (written) => {
      text.stdout += written;
      more.onStdout?.(written);
    },
    onStderr: (written) => {
      text.stderr += written;
      changed();
    },
  });
  const failed = ended.then(({ stderr }) => {
    throw new Error(`the listener ended: ${stderr}`);
  });
  // Only the start waits for it.
  failed.catch(() => {});
  const [, url] = await Promise.race([told(/Listening on (http:\S+\/)/), failed]);
  return {
    url: url!,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    said: async (pattern) => void (await told(pattern)),
    stop: () => {
      stopLater();
      return ended;
    },
    ended,
  };
};

/** A handler that answers with these codes in turn, and with the last one from then on. */
export const startHandler = async (...statuses: number[]) => {
  const { createServer } = await import('node:http');
  const requests: { method: string; url: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
  const server = createServer(async (message, response) => {
    let body = '';
    for await (const chunk of message.setEncoding('utf8')) body += chunk;
    requests.push({ method: message.method!, url: message.url!, headers: message.headers, body });
    response.writeHead(statuses[Math.min(requests.length, statuses.length) - 1] ?? 204).end();
  });
  const listen = (port = 0) =>
    new Promise<number>((resolve) =>
      server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
  const port = await listen();
  const close = closeLater(() => server.close());
  return { url: `http://127.0.0.1:${port}/hook`, port, requests, close, listen };
};
