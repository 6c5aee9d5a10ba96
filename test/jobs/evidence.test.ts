import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkScript, proveScript } from '../../src/jobs/audit-scripts.ts';
import { type Status, verify } from '../../src/jobs/evidence.ts';
import { keyText, readKey } from '../../src/jobs/key.ts';
import { firstPrev, type ReceiptLine, sealLine } from '../../src/jobs/receipt.ts';
import { execFileSync, spawnSync } from '../support/processes.ts';
import { times } from '../support/times.ts';
import { createService, itemsUpTo, runOnce, temporary } from './harness.ts';

const hasTools = ['bash', 'jq', 'openssl', 'sha256sum'].every((tool) => spawnSync('which', [tool]).status === 0);

const folder = temporary();
const script = join(folder, 'check.sh');
const exits: Record<Status, number> = { ok: 0, edited: 13, rewritten: 13, incomplete: 11, sandbox: 13 };

let whole: Buffer;
let sandboxed: Buffer;
beforeAll(async () => {
  writeFileSync(script, checkScript);
  await runOnce(join(folder, 'whole.jsonl'), itemsUpTo(5), createService());
  await runOnce(join(folder, 'sandbox.jsonl'), itemsUpTo(2), createService(), { isSandbox: true });
  whole = readFileSync(join(folder, 'whole.jsonl'));
  sandboxed = readFileSync(join(folder, 'sandbox.jsonl'));
});

/** What the auditor's commands say of many receipts: exit code and first line of each. */
const audit = (receipts: readonly Buffer[], head = ''): { code: number; words: string }[] => {
  const place = join(folder, `audit-${Math.random()}`);
  mkdirSync(place);
  for (const [index, bytes] of receipts.entries()) writeFileSync(join(place, `${index}`), bytes);
  const one = `out=$(bash ${script} $0 ${head} 2>&1); code=$?; echo "$(basename $0)|$code|$(head -n 1 <<<"$out")"`;
  const files = receipts.map((_, index) => join(place, `${index}`)).join('\n');
  const out = execFileSync('xargs', ['-P', '4', '-n', '1', 'bash', '-c', one], { input: files, encoding: 'utf8' });
  const said: { code: number; words: string }[] = [];
  for (const line of out.trim().split('\n')) {
    const [index, code, words] = line.split('|');
    said[Number(index)] = { code: Number(code), words: words ?? '' };
  }
  return said;
};

/** Both must say the same, down to the line. The auditor's commands take long, and are asked of so many receipts, all over the list. */
const agree = (
  receipts: readonly Buffer[],
  { head, asked = 30 }: { head?: string | undefined; asked?: number } = {},
) => {
  const findings = receipts.map((bytes) => verify(bytes, head));
  if (!hasTools) return findings;
  const step = Math.ceil(receipts.length / times(asked, receipts.length));
  const chosen = [...receipts.keys()].filter((index) => index % step === 0);
  const said = audit(
    chosen.map((index) => receipts[index]!),
    head,
  );
  for (const [place, index] of chosen.entries()) {
    const { status, line } = findings[index]!;
    const { code, words } = said[place]!;
    expect({ index, code, words }).toMatchObject({ index, code: exits[status] });
    if (status === 'edited') expect(words).toMatch(new RegExp(`^edited at line ${line}\\b`));
    if (status === 'incomplete') expect(words).toMatch(/^incomplete/);
    if (status === 'ok') expect(words).toMatch(/^ok/);
  }
  return findings;
};

const rows = (bytes: Buffer): string[] => bytes.toString('latin1').split('\n').slice(0, -1);
const join_ = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');

/** The chain computed anew over other lines. */
const rechain = (lines: readonly ReceiptLine[]): Buffer => {
  let prev = firstPrev;
  return Buffer.concat(
    lines.map((line) => {
      const { text, hash } = sealLine(line, prev, false);
      prev = hash;
      return Buffer.from(text);
    }),
  );
};

const valuesOf = (bytes: Buffer): ReceiptLine[] =>
  rows(bytes).map((row) => {
    const { prev: _, hash: __, ...value } = JSON.parse(row);
    return value;
  });

describe('evidence', () => {
  test('of a whole receipt is ok, of a sandbox one is not', () => {
    expect(agree([whole, sandboxed]).map(({ status }) => status)).toEqual(['ok', 'sandbox']);
    expect(
      sandboxed
        .toString()
        .trim()
        .split('\n')
        .every((line) => line.includes('"sandbox":true')),
    ).toBe(true);
  });

  // R36
  test('finds 500 random edits', () => {
    let seed = 42;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const edits = Array.from({ length: 500 }, (): Buffer => {
      const at = random(whole.length);
      const kind = random(4);
      if (kind === 0) return Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1 + random(5))]);
      if (kind === 1) return Buffer.concat([whole.subarray(0, at), Buffer.from([random(256)]), whole.subarray(at)]);
      const copy = Buffer.from(whole);
      copy[at] = kind === 2 ? random(256) : copy[at]! ^ (1 << random(8));
      return copy;
    }).filter((bytes) => !bytes.equals(whole));
    expect(edits.length).toBeGreaterThan(490);
    const findings = agree(edits, { asked: 50 });
    expect(findings.filter(({ status }) => status === 'ok')).toEqual([]);
  }, 120_000);

  test('finds every removed, doubled and swapped line', () => {
    const lines = rows(whole);
    const broken: Buffer[] = [];
    for (let index = 0; index < lines.length; index += 1) {
      broken.push(join_(lines.filter((_, other) => other !== index)));
      broken.push(join_(lines.flatMap((line, other) => (other === index ? [line, line] : [line]))));
      for (let other = index + 1; other < lines.length; other += 1) {
        const swapped = [...lines];
        [swapped[index], swapped[other]] = [lines[other]!, lines[index]!];
        broken.push(join_(swapped));
      }
    }
    expect(agree(broken).every(({ status }) => status === 'edited' || status === 'incomplete')).toBe(true);
  }, 60_000);

  test('calls a receipt that was cut at a line or inside one incomplete', () => {
    const lines = rows(whole);
    const cuts = lines.map((_, count) => join_(lines.slice(0, count)));
    const torn = Array.from({ length: 60 }, (_, index) => whole.subarray(0, whole.length - 1 - index * 37));
    expect(agree([...cuts, ...torn]).every(({ status }) => status === 'incomplete')).toBe(true);
  }, 60_000);

  test('finds a chain that was computed anew, by its head', () => {
    const head = verify(whole).head;
    const forged = rechain(
      valuesOf(whole).map((line) => (line.type === 'run' ? { ...line, organization: 'another' } : line)),
    );
    expect(agree([forged])[0]!.status).toBe('ok');
    expect(agree([forged, whole], { head }).map(({ status }) => status)).toEqual(['rewritten', 'ok']);
  });

  test('finds a chain computed anew over a story that does not add up', () => {
    const lines = valuesOf(whole);
    const without = (type: string) => rechain(lines.filter((line) => line.type !== type));
    const changed = (type: string, change: object) =>
      rechain(lines.map((line) => (line.type === type ? ({ ...line, ...change } as ReceiptLine) : line)));
    const stories = [
      without('sending'),
      without('run'),
      changed('end', { accepted: 4 }),
      changed('end', { total: 6 }),
      changed('verdict', { verdict: 'rejected' }),
      changed('verdict', { batch: 99 }),
      changed('end', { type: 'other' }),
      changed('run', { total: 6 }),
      without('verdict'),
    ];
    expect(agree(stories).every(({ status }) => status === 'edited')).toBe(true);
    expect(agree([without('end')])[0]!.status).toBe('incomplete');
  });

  test.runIf(hasTools)('names an address by openssl as we do', () => {
    const keyFile = join(folder, 'receipt.key');
    const text = keyText(new Uint8Array(32).fill(7));
    writeFileSync(keyFile, text);
    const key = readKey(text)!;
    const marks = ['ada@engine.example', 'bob@engine.example'].map(key.mac);
    const at = '2026-11-15T18:00:00.000Z';
    const lines = rechain([
      valuesOf(whole)[0]!,
      { type: 'sending', batch: 1, attempt: 1, at, items: marks },
      { type: 'verdict', batch: 1, at, verdict: 'accepted', status: 202 },
    ]);
    writeFileSync(join(folder, 'prove.sh'), proveScript);
    writeFileSync(join(folder, 'p.jsonl'), lines);
    const prove = (address: string) =>
      spawnSync('bash', [join(folder, 'prove.sh'), keyFile, join(folder, 'p.jsonl')], {
        input: `${address}\n`,
        encoding: 'utf8',
      });
    expect(prove('Ada@Engine.example')).toMatchObject({
      status: 0,
      stdout: `${at} batch 1: sending\n${at} batch 1: accepted (HTTP 202)\n`,
    });
    expect(prove('eve@engine.example')).toMatchObject({ status: 6, stdout: 'not in this receipt\n' });
  });
});
