import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import type { SendResult } from '../../../src/commands/bulk/work-run.ts';
import { verifyChain } from '../../../src/commands/bulk/work-verify-receipt.ts';
import { type Disk, diskTrouble, realDisk } from '../../../src/state/disk.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { runs, sample } from '../../support/tier.ts';
import { createService, dyingDisk, itemsUpTo, Killed, memoryDisk, runOnce } from '../harness.ts';

const fileIn = (folder: string) => join(folder, 'receipt.jsonl');
const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A disk that is full once the service has got a request. */
const untilAnswered = (disk: Disk, { requests }: ReturnType<typeof createService>): Disk => ({
  ...disk,
  open: async (path) => {
    const file = await disk.open(path);
    const append = (text: string) => {
      if (requests.length > 0) throw diskTrouble('write', path, { code: 'ENOSPC' });
      file.append(text);
    };
    return { ...file, append };
  },
});

/** What can become of a request. An answer that was looked up took no request. */
const answers = ['accepted', 'rejected', 'unknown', 'looked up', 'refused'] as const;
type Answer = (typeof answers)[number];

describe('run', () => {
  test('sends all items in batches and writes them to the receipt', async () => {
    const path = fileIn(temporaryDirectory());
    const service = createService();
    const counts = await runOnce(path, itemsUpTo(8), service);
    expect(counts).toEqual({ total: 8, accepted: 8, rejected: 0, unknown: 0, skipped: 0 });
    expect(service.requests.map((items) => items.length)).toEqual([3, 3, 2]);
    expect(linesOf(path).map(({ type }) => type)).toEqual([
      'run',
      'sending',
      'verdict',
      'sending',
      'verdict',
      'sending',
      'verdict',
      'end',
    ]);
    expect(readFileSync(path, 'utf8')).not.toMatch(/"item-/);
  });

  // R34; test/simulation/ kills runs at any step.
  test('loses nothing if killed while it writes a verdict, and run again', async () => {
    const path = fileIn(temporaryDirectory());
    const service = createService();
    await expect(runOnce(path, itemsUpTo(8), service, { disk: dyingDisk(4) })).rejects.toThrow(Killed);
    expect(service.requests).toHaveLength(2);
    const counts = await runOnce(path, itemsUpTo(8), service);
    expect(counts).toEqual({ total: 8, accepted: 8, rejected: 0, unknown: 0, skipped: 0 });
    // Only the batch whose verdict is lost is sent twice.
    expect([...service.times()]).toEqual(itemsUpTo(8).map((item, index) => [item, index >= 3 && index < 6 ? 2 : 1]));
    expect(verifyChain(readFileSync(path))).toMatchObject({ status: 'ok', history: { counts } });
  });

  // R65
  test('says that it changed something if what follows a batch fails, and sends that batch again', async () => {
    const path = fileIn(temporaryDirectory());
    const service = createService();
    const follow = async () => {
      throw new SchedError('environment', 'the disk is full', { outcome: 'not-sent' });
    };
    await expect(runOnce(path, itemsUpTo(8), service, { follow })).rejects.toMatchObject({
      category: 'environment',
      facts: { outcome: 'applied' },
    });
    expect(linesOf(path).map(({ type }) => type)).toEqual(['run', 'sending']);
    expect(await runOnce(path, itemsUpTo(8), service)).toMatchObject({ accepted: 8, rejected: 0 });
    expect(service.requests).toHaveLength(4);
  });

  test('finds the one rejected item of a batch', async () => {
    const path = fileIn(temporaryDirectory());
    const service = createService(
      (items): SendResult =>
        items.includes('item-4') ? { verdict: 'split', status: 400 } : { verdict: 'accepted', status: 202 },
    );
    const counts = await runOnce(path, itemsUpTo(8), service, { batchSize: 8 });
    expect(counts).toMatchObject({ accepted: 7, rejected: 1 });
    expect(service.requests).toHaveLength(7);
    expect(verifyChain(readFileSync(path))).toMatchObject({
      status: 'ok',
      history: { counts: { accepted: 7, rejected: 1 } },
    });
  });

  test('sends smaller batches after one was too large', async () => {
    const service = createService(
      (items): SendResult =>
        items.length > 2 ? { verdict: 'split', status: 413, isTooLarge: true } : { verdict: 'accepted', status: 202 },
    );
    const counts = await runOnce(fileIn(temporaryDirectory()), itemsUpTo(20), service, { batchSize: 8 });
    expect(counts.accepted).toBe(20);
    expect(service.requests.filter((items) => items.length > 2).map(({ length }) => length)).toEqual([8, 4]);
  });

  /** How many requests a run judges: it stops at a refusal, and after three lost replies in a row. */
  const judged = (sequence: readonly Answer[]): number => {
    let lost = 0;
    for (const [at, answer] of sequence.entries()) {
      if (answer !== 'looked up') lost = answer === 'unknown' ? lost + 1 : 0;
      if (answer === 'refused' || (answer === 'unknown' && lost === 3)) return at + 1;
    }
    return sequence.length + 1;
  };

  test('any verdicts in any order: it stops when it must, records each, and repeats what is not known', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...answers, 'unknown', 'looked up'), { minLength: 1, maxLength: 16 }),
        async (sequence) => {
          const [disk, items] = [memoryDisk(), itemsUpTo(sequence.length)];
          const service = createService();
          let at = 0;
          const send = async (batch: readonly string[], leaving: () => Promise<void>): Promise<SendResult> => {
            const answer = sequence[at++]!;
            if (answer === 'looked up') return { verdict: 'unknown' };
            await service.send(batch, leaving);
            const error = new SchedError('forbidden', 'no');
            return answer === 'refused' ? { verdict: answer, error } : { verdict: answer };
          };
          const options = { batchSize: 1, disk };
          const ended = await runOnce('', items, { ...service, send }, options).then(
            () => 'done',
            (error: SchedError) => error.category,
          );
          const seen = sequence.slice(0, judged(sequence));
          const isStopped = seen.at(-1) === 'refused' ? 'forbidden' : 'outcome-unknown';
          expect(ended).toBe(judged(sequence) > sequence.length ? 'done' : isStopped);
          const verdicts = disk
            .bytes!.toString()
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line).verdict);
          const told = seen.map((each) => (each === 'looked up' ? 'unknown' : each));
          expect(verdicts.filter((each) => each !== undefined)).toEqual(told);
          // The next run sends what has no answer, once.
          const settled = (index: number) => ['accepted', 'rejected'].includes(seen[index]!);
          const before = service.times();
          await runOnce('', items, service, options);
          const again = items.map((item) => service.times().get(item)! - (before.get(item) ?? 0));
          expect(again.map((count) => count || 0)).toEqual(items.map((_, index) => (settled(index) ? 0 : 1)));
          expect(verifyChain(disk.bytes!).status).toBe('ok');
        },
      ),
      runs(150, 5000),
    );
  });

  test('records a verdict that was looked up, and does not count it as a lost reply', async () => {
    const path = fileIn(temporaryDirectory());
    const service = createService();
    const lookingUp = { ...service, send: async (): Promise<SendResult> => ({ verdict: 'unknown' }) };
    const counts = await runOnce(path, itemsUpTo(5), lookingUp, { batchSize: 1 });
    expect(counts).toMatchObject({ total: 5, unknown: 5 });
    expect(linesOf(path).filter(({ type }) => type === 'sending')).toEqual(
      itemsUpTo(5).map((item, index) =>
        expect.objectContaining({ batch: index + 1, attempt: 0, items: [`mark-of-${item}`] }),
      ),
    );
    expect(verifyChain(readFileSync(path)).status).toBe('incomplete');
    expect(await runOnce(path, itemsUpTo(5), service, { batchSize: 1 })).toMatchObject({ accepted: 5, unknown: 0 });
    expect(service.requests).toHaveLength(5);
    expect(verifyChain(readFileSync(path)).status).toBe('ok');
  });

  test('stops if the service refuses all items, and can be resumed', async () => {
    const path = fileIn(temporaryDirectory());
    const error = new SchedError('forbidden', 'no');
    let isAllowed = false;
    const service = createService(
      (): SendResult => (isAllowed ? { verdict: 'accepted', status: 202 } : { verdict: 'refused', status: 403, error }),
    );
    await expect(runOnce(path, itemsUpTo(8), service)).rejects.toBe(error);
    expect(service.requests).toHaveLength(1);
    expect(linesOf(path).at(-1)).toMatchObject({ type: 'verdict', verdict: 'refused', status: 403 });
    isAllowed = true;
    expect(await runOnce(path, itemsUpTo(8), service)).toMatchObject({ accepted: 8 });
  });
});

describe('run: a failure', () => {
  const failing = (error: unknown) =>
    createService((): SendResult => {
      throw error;
    });

  test('by a signal after the request was sent writes the verdict "unknown"', async () => {
    const path = fileIn(temporaryDirectory());
    const interruption = new SchedError('interrupted', 'interrupted');
    await expect(runOnce(path, itemsUpTo(8), failing(interruption))).rejects.toMatchObject({
      category: 'interrupted',
      facts: { outcome: 'unknown' },
    });
    expect(linesOf(path).at(-1)).toMatchObject({ type: 'verdict', verdict: 'unknown' });
  });

  test('after a verdict keeps the verdict', async () => {
    const path = fileIn(temporaryDirectory());
    const bug = new Error('a bug in the progress display');
    const onProgress = () => {
      throw bug;
    };
    await expect(runOnce(path, itemsUpTo(8), createService(), { onProgress })).rejects.toBe(bug);
    expect(linesOf(path).at(-1)).toMatchObject({ type: 'verdict', verdict: 'accepted' });
  });

  test('to write a verdict is reported as a disk error', async () => {
    const disk = memoryDisk();
    const refusal = new SchedError('forbidden', 'no');
    const service = createService((): SendResult => ({ verdict: 'refused', status: 403, error: refusal }));
    await expect(runOnce('r', itemsUpTo(8), service, { disk: untilAnswered(disk, service) })).rejects.toMatchObject({
      category: 'environment',
    });
  });

  test('after a request whose end is unknown is no error that says nothing was sent', async () => {
    const disk = memoryDisk();
    // What was accepted can't be noted elsewhere, and then not in the receipt either.
    const service = createService(() => {
      throw new SchedError('environment', 'full', { outcome: 'unknown' });
    });
    await expect(runOnce('r', itemsUpTo(8), service, { disk: untilAnswered(disk, service) })).rejects.toMatchObject({
      category: 'environment',
      facts: { outcome: 'unknown' },
    });
  });

  test('to write the receipt ends the run, even if the sender takes it for a rejection', async () => {
    const path = fileIn(temporaryDirectory());
    const service = createService((): SendResult => {
      appendFileSync(path, 'x');
      return { verdict: 'accepted', status: 202 };
    });
    let times = 0;
    const gullible: typeof service = {
      ...service,
      send: async (items, leaving) => {
        times += 1;
        return service.send(items, leaving).catch((): SendResult => ({ verdict: 'rejected', status: 409 }));
      },
    };
    await expect(runOnce(path, itemsUpTo(30), gullible)).rejects.toMatchObject({
      category: 'conflict',
    });
    expect(service.requests).toHaveLength(1);
    expect(times).toBe(1);
  });
});

/** The lengths at which a receipt can be cut off after its first line, a few in each line: before it, within it, before its end. */
const cuts = (bytes: Buffer): number[] => {
  const first = bytes.indexOf(10) + 1;
  const lengths = Array.from({ length: bytes.length - first }, (_, index) => first + index);
  const kindOf = (length: number) => {
    const line = bytes.subarray(0, length).filter((byte) => byte === 10).length;
    return `${line} ${bytes[length - 1] === 10} ${bytes[length] === 10}`;
  };
  return sample(lengths, 3, kindOf);
};

/** A disk with room for this many bytes. */
const smallDisk = (disk: Disk, bytes: number): Disk => ({
  ...disk,
  open: async (path) => {
    const file = await disk.open(path);
    return {
      ...file,
      append: (text) => {
        const room = bytes - file.size();
        if (room >= text.length) return file.append(text);
        file.append(text.slice(0, Math.max(room, 0)));
        throw diskTrouble('write', path, Object.assign(new Error(), { code: 'ENOSPC' }));
      },
    };
  },
});

describe('run: the receipt on disk', () => {
  // R35
  test('stops the run before the next request if the disk is full at any byte, and resumes when there is room', async () => {
    const whole = memoryDisk();
    await runOnce('r', itemsUpTo(8), createService(), { disk: whole });
    for (const room of cuts(whole.bytes!)) {
      const disk = memoryDisk();
      const service = createService();
      const full = await runOnce('r', itemsUpTo(8), service, { disk: smallDisk(disk, room) }).catch((error) => error);
      expect(full).toMatchObject({
        category: 'environment',
        facts: {
          reason: 'the disk is full (ENOSPC)',
          outcome: service.requests.length === 0 ? 'not-sent' : 'applied',
        },
      });
      const sent = disk
        .bytes!.toString()
        .split('\n')
        .filter((line) => /"type":"sending".*\}$/.test(line)).length;
      expect(service.requests.length).toBeLessThanOrEqual(sent);
      expect(await runOnce('r', itemsUpTo(8), service, { disk })).toMatchObject({ accepted: 8 });
      expect(Math.max(...service.times().values())).toBeLessThanOrEqual(2);
      expect(verifyChain(disk.bytes!).status).toBe('ok');
    }
  });

  test('is repaired if its last line is cut off at any byte', async () => {
    const whole = memoryDisk();
    await runOnce('r', itemsUpTo(5), createService(), { disk: whole });
    const bytes = whole.bytes!;
    for (const length of cuts(bytes)) {
      const disk = memoryDisk(bytes.subarray(0, length));
      expect(await runOnce('r', itemsUpTo(5), createService(), { disk })).toMatchObject({ accepted: 5 });
      expect(verifyChain(disk.bytes!).status).toBe('ok');
    }
  });

  test('is repaired on a real disk', async () => {
    const path = fileIn(temporaryDirectory());
    await runOnce(path, itemsUpTo(5), createService());
    truncateSync(path, readFileSync(path).length - 100);
    expect(await runOnce(path, itemsUpTo(5), createService())).toMatchObject({ accepted: 5 });
    expect(verifyChain(readFileSync(path)).status).toBe('ok');
  });

  test('is refused if damaged in the middle, and nothing is sent', async () => {
    const path = fileIn(temporaryDirectory());
    await expect(runOnce(path, itemsUpTo(8), createService(), { disk: dyingDisk(4) })).rejects.toThrow(Killed);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf(10) + 100]! ^= 1;
    writeFileSync(path, bytes);
    const service = createService();
    await expect(runOnce(path, itemsUpTo(8), service)).rejects.toThrow('edited at line 2');
    expect(service.requests).toEqual([]);
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('is not read if it is a device that never ends', async () => {
    await expect(runOnce('/dev/zero', itemsUpTo(8), createService())).rejects.toMatchObject({
      category: 'environment',
      facts: { reason: 'it is not a file' },
    });
  });

  test('stops the run at once if another process writes to it', async () => {
    const path = fileIn(temporaryDirectory());
    const service = createService((): SendResult => {
      appendFileSync(path, 'x');
      return { verdict: 'accepted', status: 202 };
    });
    await expect(runOnce(path, itemsUpTo(8), service)).rejects.toMatchObject({ category: 'conflict' });
    expect(service.requests).toHaveLength(1);
  });

  // R33
  test('has each batch before its request is sent, and its verdict before the next request', async () => {
    const steps: string[] = [];
    const disk: Disk = {
      ...realDisk,
      open: async (path) => {
        const file = await realDisk.open(path);
        return {
          ...file,
          append: (text) => {
            steps.push(JSON.parse(text).type);
            file.append(text);
          },
          sync: () => {
            file.sync();
            steps.push('sync');
          },
        };
      },
    };
    const service = createService((): SendResult => {
      steps.push('request');
      return { verdict: 'accepted', status: 202 };
    });
    await runOnce(fileIn(temporaryDirectory()), itemsUpTo(9), service, { disk });
    const batch = ['sending', 'sync', 'request', 'verdict'];
    expect(steps).toEqual([...batch, ...batch, ...batch, 'end', 'sync']);
  });

  test('is the only file left', async () => {
    const folder = temporaryDirectory();
    await runOnce(fileIn(folder), itemsUpTo(2), createService());
    expect(readdirSync(folder)).toEqual(['receipt.jsonl']);
  });
});
