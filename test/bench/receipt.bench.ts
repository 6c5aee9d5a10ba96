import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendDeletion } from '../../src/cli/compliance/send.ts';
import { createClient } from '../../src/client/client.ts';
import { type Disk, realDisk } from '../../src/jobs/disk.ts';
import { readKey } from '../../src/jobs/key.ts';
import { startReceipt } from '../../src/jobs/receipt-file.ts';
import { runJob } from '../../src/jobs/run.ts';
import { nodeRuntime } from '../../src/runtime.ts';
import { type Measurement, median } from './measurement.ts';

declare const BENCH_ROOT: string;

const rounds = 9;
const batchesARound = 150;
const batchSize = 25;

/** Takes everything and keeps nothing. */
const noDisk = (): Disk => {
  let size = 0;
  const file = {
    size: async () => size,
    append: async (text: string) => {
      size += text.length;
    },
    sync: async () => {},
    truncate: async () => {},
    close: async () => {},
  };
  return {
    create: async (_, text) => {
      size = text.length;
    },
    open: async () => file,
    read: async () => undefined,
  };
};

/** A deletion of many addresses against the sandbox, with its receipt on disk and with one that is written nowhere. */
export const measure = async (): Promise<Measurement[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const words = ['sandbox', 'start', '--port', '0', '--data', join(directory, 'sandbox.db'), '--no-limits', '--json'];
  const child = spawn(process.execPath, [join(BENCH_ROOT, 'bin/sched.js'), ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
    const { base_url: baseUrl, token } = JSON.parse(line) as { base_url: string; token: string };
    const { sendToEnd, clock, interrupted } = nodeRuntime();
    const send = async (request: Parameters<typeof sendToEnd>[0]) => {
      await request.beforeLeaving?.();
      return sendToEnd({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
    };
    const client = createClient({ baseUrl, send, sendPlain: send });
    const key = readKey('ab'.repeat(32))!;
    let runs = 0;
    const once = async (disk: Disk): Promise<number> => {
      runs += 1;
      const items = Array.from({ length: batchesARound * batchSize }, (_, index) => `p${index}.${runs}@people.example`);
      const facts = { tool: 'bench', operation: 'bench', endpoint: baseUrl, owner: '', organization: '', key: key.id };
      const started = performance.now();
      const receipt = await startReceipt(
        disk,
        join(directory, `${runs}.jsonl`),
        {
          type: 'run',
          receipt: 1,
          run: 'R',
          at: '',
          ...facts,
          input: '',
          total: items.length,
          duplicates: 0,
          skipped: 0,
        },
        false,
        'draft',
      );
      await runJob(
        { items, mark: key.mac, batchSize, send: sendDeletion(client) },
        { clock, interrupted, receipt, before: { fates: new Map(), nextBatch: 1 }, skipped: 0, onProgress: () => {} },
      );
      await receipt.close();
      return performance.now() - started;
    };
    const turns: { ours: number; bare: number }[] = [];
    await once(realDisk);
    for (let round = 0; round < rounds; round += 1) {
      const bare = await once(noDisk());
      turns.push({ bare, ours: await once(realDisk) });
    }
    return [
      {
        name: `receipt: ${batchesARound} batches with it, beside without`,
        unit: 'ms',
        value: median(turns.map(({ ours }) => ours)),
        reference: median(turns.map(({ bare }) => bare)),
        ratio: median(turns.map(({ ours, bare }) => ours / bare)),
        // At most 15 % of the whole.
        target: { most: 1.17 },
      },
    ];
  } finally {
    child.kill();
    rmSync(directory, { recursive: true, force: true });
  }
};
