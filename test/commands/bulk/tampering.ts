import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { firstPrev, type ReceiptLine, sealLine } from '../../../src/commands/bulk/work-receipt.ts';
import { type ReceiptFinding, verifyChain } from '../../../src/commands/bulk/work-verify-receipt.ts';
import checkScript from '../../../src/commands/compliance/audit/check.sh' with { type: 'text' };
import { execFileSync } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { needs } from '../../support/tools.ts';

/** What the auditor's scripts use. */
export const auditTools = ['bash', 'jq', 'openssl', 'sha256sum'] as const;

const exits: Record<ReceiptFinding['status'], number> = {
  ok: 0,
  edited: 13,
  rewritten: 13,
  incomplete: 11,
  sandbox: 13,
};

/** Runs check.sh on many receipts. Returns the exit code and the first line of output for each. */
const audit = (receipts: readonly Buffer[], head: string): { code: number; words: string }[] => {
  const place = temporaryDirectory('audit');
  const script = join(place, 'check.sh');
  writeFileSync(script, checkScript);
  for (const [index, bytes] of receipts.entries()) writeFileSync(join(place, `${index}`), bytes);
  const one = `out=$(bash ${script} $0 ${head} 2>&1); code=$?; echo "\${0##*/}|$code|\${out%%$'\\n'*}"`;
  const files = receipts.map((_, index) => join(place, `${index}`)).join('\n');
  const workers = String(availableParallelism());
  const out = execFileSync('xargs', ['-P', workers, '-n', '1', 'bash', '-c', one], { input: files, encoding: 'utf8' });
  const said: { code: number; words: string }[] = [];
  for (const line of out.trim().split('\n')) {
    const [index, code, words] = line.split('|');
    said[Number(index)] = { code: Number(code), words: words ?? '' };
  }
  return said;
};

/** Expects `verify` and check.sh to agree, down to the line number. Returns the findings of `verify`. */
export const agree = (receipts: readonly Buffer[], head?: string): ReceiptFinding[] => {
  needs(...auditTools, 'xargs');
  const findings = receipts.map((bytes) => verifyChain(bytes, { head }));
  const said = audit(receipts, head ?? '');
  for (const [index, { status, line }] of findings.entries()) {
    const { code, words } = said[index]!;
    expect({ index, code, words }).toMatchObject({ index, code: exits[status] });
    if (status === 'edited') expect(words).toMatch(new RegExp(`^edited at line ${line}\\b`));
    if (status === 'incomplete') expect(words).toMatch(/^incomplete/);
    if (status === 'ok') expect(words).toMatch(/^ok/);
  }
  return findings;
};

const rows = (bytes: Buffer): string[] => bytes.toString('latin1').split('\n').slice(0, -1);
const ofRows = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');

/** Receipts with bytes removed, inserted, replaced or flipped at random places. */
export const randomEdits = (whole: Buffer, count: number): Buffer[] => {
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const edit = (): Buffer => {
    const at = random(whole.length);
    const kind = random(4);
    if (kind === 0) return Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1 + random(5))]);
    if (kind === 1) return Buffer.concat([whole.subarray(0, at), Buffer.from([random(256)]), whole.subarray(at)]);
    const copy = Buffer.from(whole);
    copy[at] = kind === 2 ? random(256) : copy[at]! ^ (1 << random(8));
    return copy;
  };
  const edits: Buffer[] = [];
  while (edits.length < count) {
    const edited = edit();
    if (!edited.equals(whole)) edits.push(edited);
  }
  return edits;
};

/** Receipts with each line removed, each line doubled, and each pair of lines swapped. */
export const rearrangements = (whole: Buffer): Buffer[] => {
  const lines = rows(whole);
  const broken: Buffer[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    broken.push(ofRows(lines.filter((_, other) => other !== index)));
    broken.push(ofRows(lines.flatMap((line, other) => (other === index ? [line, line] : [line]))));
    for (let other = index + 1; other < lines.length; other += 1) {
      const swapped = [...lines];
      [swapped[index], swapped[other]] = [lines[other]!, lines[index]!];
      broken.push(ofRows(swapped));
    }
  }
  return broken;
};

/** The receipt cut after each line. */
export const cutsAtLines = (whole: Buffer): Buffer[] =>
  rows(whole).map((_, count) => ofRows(rows(whole).slice(0, count)));

/** The receipt cut at every byte. */
export const cuts = (whole: Buffer): Buffer[] =>
  Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length));

/** A forged receipt with valid hashes over other lines, which anyone who can write the file can make. */
export const rechain = (lines: readonly ReceiptLine[], isSandbox = false): Buffer => {
  let prev = firstPrev;
  return Buffer.concat(
    lines.map((line) => {
      const { text, hash } = sealLine(line, prev, isSandbox);
      prev = hash;
      return Buffer.from(text);
    }),
  );
};

export const valuesOf = (bytes: Buffer): ReceiptLine[] =>
  rows(bytes).map((row) => {
    const { prev: _, hash: __, ...value } = JSON.parse(row);
    return value;
  });
