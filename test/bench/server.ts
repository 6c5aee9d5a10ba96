import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '../../src/sandbox/admin/log-admin.ts';
import { createFaultScript } from '../../src/sandbox/faults/faults.ts';
import { withFaults } from '../../src/sandbox/faults/with-faults.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import { serve } from '../../src/sandbox/server/http-server.ts';
import { pagesServer } from './pages.ts';

/**
 * A server in a separate process: `sandbox FILE`, `bare BODY`, which always replies with that body, or `pages`, which
 * has lists of any length. It sends its port to the parent, and its CPU time in microseconds if the parent asks.
 * The sandbox's clock runs ten thousand times faster, so that requests are counted but never exceed the rate limit.
 */
const [kind, text = ''] = process.argv.slice(2);

const serveSandbox = async () => {
  const started = Date.now();
  const system = { now: () => started + (Date.now() - started) * 10_000 };
  const sandbox = await openSandbox({ file: text, clock: system });
  // Like `sandbox start`: with its request log, without faults, and with counts that are written together.
  setInterval(sandbox.store.counters.batch, 250);
  const clock = { now: () => sandbox.clock.latest, sleep: async () => {} };
  const service = withFaults(sandbox.service, { script: createFaultScript(), log: createLog(), clock });
  const { port } = await serve(service, { port: 0 });
  process.send?.(port);
};

const bare = () =>
  createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      .end(text);
  });

if (kind === 'sandbox') void serveSandbox();
else {
  const server = kind === 'pages' ? pagesServer() : bare();
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
