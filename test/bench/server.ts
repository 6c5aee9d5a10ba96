import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withFaults } from '../../src/sandbox/admin.ts';
import { createFaultScript } from '../../src/sandbox/faults.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import { serve } from '../../src/sandbox/server.ts';
import { pagesServer } from './pages.ts';

/**
 * A server in a process of its own: `sandbox FILE`, `bare BODY`, which answers everything with that, or `pages`, which
 * has lists of any length. It says its port.
 * The sandbox's clock runs ten thousand times faster, so that every request is counted and none is one too many.
 */
const [kind, text = ''] = process.argv.slice(2);
if (kind === 'sandbox') {
  const started = Date.now();
  const system = { now: () => started + (Date.now() - started) * 10_000 };
  const sandbox = await openSandbox({ file: text, clock: system });
  // As `sandbox start` serves it: with its log of requests, and nothing that goes wrong.
  const clock = { now: () => sandbox.clock.now(), sleep: async () => {} };
  const service = withFaults(sandbox.service, { script: createFaultScript(), secret: 'bench', clock });
  const { port } = await serve(service, { port: 0 });
  process.send?.(port);
} else {
  const bare = () =>
    createServer((_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    });
  const server = kind === 'pages' ? pagesServer() : bare();
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}
process.on('disconnect', () => process.exit());
