import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { spawn } from '../support/processes.ts';
import { cleanEnvironment, program, runner, temporaryHome } from './program.ts';
import { rowOf, rowsAPage, smallService } from './small-service.ts';

const rowBytes = 10_000;

/** Lists about so many megabytes into a pipe whose reader stops after each page; what came, and what should have. */
export const readSlowly = async (megabytes: number) => {
  const service = await smallService({ rowBytes });
  try {
    const pages = Math.ceil((megabytes * 1e6) / (rowBytes * rowsAPage));
    const expected = createHash('sha256');
    let bytesExpected = 0;
    for (let page = 0; page < pages; page += 1) {
      for (let index = 0; index < rowsAPage; index += 1) {
        const line = `${JSON.stringify(rowOf(page, index, rowBytes))}\n`;
        bytesExpected += line.length;
        expected.update(line);
      }
    }
    const words = ['events', 'list', '--limit', String(pages * rowsAPage), '-o', 'jsonl'];
    const child = spawn(runner, [...program, ...words], { env: cleanEnvironment(temporaryHome(), service.env) });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const received = createHash('sha256');
    let bytes = 0;
    let mostAhead = 0;
    let pauses = 0;
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      received.update(chunk);
      // How far the program has read ahead of its reader, in pages.
      const read = bytes / (rowBytes * rowsAPage);
      mostAhead = Math.max(mostAhead, service.seen.pages - read);
      // Long enough for several pages, if the program did not wait for its reader.
      if (read < pauses) continue;
      pauses += 1;
      await pause(30);
    }
    return {
      code: await ended,
      bytes,
      bytesExpected,
      isWhole: received.digest('hex') === expected.digest('hex'),
      mostAhead: Math.ceil(mostAhead),
    };
  } finally {
    service.close();
  }
};
