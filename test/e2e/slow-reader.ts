import { createHash } from 'node:crypto';
import { spawn } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { narrowPipe } from './narrow-pipe.ts';
import { cleanEnvironment, program, runner, temporaryHome } from './program.ts';
import { rowOf, rowsAPage, smallService } from './small-service.ts';

const rowBytes = 2_000;

/** Lists about so many megabytes into a pipe with a slow reader. Returns what arrived, and what should have. */
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
    const home = temporaryHome();
    const pipe = narrowPipe(home);
    const env = cleanEnvironment(home, service.env);
    const child = spawn(runner, [...program, ...words], { env, stdio: ['ignore', pipe.writer, 'ignore'] });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    const received = createHash('sha256');
    let bytes = 0;
    let mostAhead = 0;
    const take = (): number => {
      const chunk = pipe.read();
      bytes += chunk.length;
      received.update(chunk);
      return chunk.length;
    };
    // Before each page, the reader waits until the program has filled the pipe. A program that doesn't wait for its reader
    // uses this time to fetch more pages.
    for (let page = 1; !hasEnded(); page += 1) {
      await pipe.untilFull(hasEnded);
      // How far the program has read ahead of its reader, in pages.
      mostAhead = Math.max(mostAhead, service.seen.pages - bytes / (rowBytes * rowsAPage));
      while (!hasEnded() && bytes < page * rowBytes * rowsAPage) {
        await until(() => hasEnded() || take() > 0);
      }
    }
    while (take() > 0);
    pipe.close();
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
